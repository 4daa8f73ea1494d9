// Package anthropic speaks the Anthropic Messages API: its content blocks, and
// the request bodies made of them.
//
// Blocks that came over this wire are written again byte for byte where the
// provider checks them (thinking and its signature, blocks unknown here), so
// that what is sent is what was said (promise P2).
package anthropic
