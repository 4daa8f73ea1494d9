// Package anthropic answers requests over the Anthropic Messages API, at the
// vendor's own address or at one of those that speak as it does.
//
// Every block of an answer is kept as it came: thinking with its signature,
// arguments as the model wrote them, blocks unknown here as the JSON that their
// pieces make (promise P2).
package anthropic
