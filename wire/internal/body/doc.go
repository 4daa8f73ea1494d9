// Package body holds what the wires have in common when they write a request:
// the bytes so far and their seal, which thinking goes back, and what can be
// sent of an image or a document.
package body
