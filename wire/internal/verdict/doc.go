// Package verdict holds what the checkers of the wires have in common: the
// order in which a provider refuses, and the look at an image's header.
package verdict
