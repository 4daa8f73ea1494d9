// Package rawjson reads JSON without changing a byte of it.
//
// Histories hold values that a provider checks byte for byte: signed thinking,
// tool-call arguments, blocks this program does not know. encoding/json cannot
// carry them: it compacts raw messages, escapes <, > and &, and replaces lone
// surrogates. Here a value is a slice of the input, found and checked in one
// pass, and strings keep lone surrogates (in the form of WTF-8) so that they
// can be written again.
//
// All functions are pure and safe for concurrent use.
package rawjson
