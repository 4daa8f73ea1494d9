// Package transport sends requests over HTTP and reads answers while they
// stream.
//
// It is what all providers have in common: addresses, keys, members put behind
// a body without copying it, the events of a stream, silence and cancelling,
// and errors that say whether anything was shown.
package transport
