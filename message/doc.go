// Package message holds what a conversation is made of: messages with a role,
// an author and parts.
//
// It promises that what a provider checks byte for byte (tool-call arguments,
// thinking and its signature, blocks this program does not know) goes through
// [Encode] and [Decode] unchanged, and that one rule, [Pair], says which tool
// call is answered by which result (promises P2 and P5).
package message
