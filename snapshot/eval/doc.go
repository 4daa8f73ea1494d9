// Package eval measures how exactly a reader (a model, or a program for
// optical character recognition) reads snapshot pages: it sets papers of text
// that hides strings nobody can guess, and marks what the reader wrote.
//
// Papers are functions of a seed, so that a result can be repeated.
package eval
