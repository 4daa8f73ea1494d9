package wire

import "github.com/stemma-history/stemma/message"

// A Session writes the requests of one run, one after another. A request mostly
// repeats the one before it: where its view begins with the same messages, in
// the same frame, a session copies the bytes up to the last answer of that one,
// and writes, seals and checks only what is behind. Whatever else has changed, it
// begins anew. The bytes are those that a new session would write.
//
// Messages are the same where they share their parts in memory. What a view
// holds must not be changed once it was encoded, nor may [Limits].
//
// A session keeps the last body. It is for one goroutine at a time.
type Session interface {
	// Encode returns the body of a request, checked. The error is a [*Refusal]
	// where the provider would not take the body.
	Encode(Request) (Body, error)
	// Seals returns the seals of the thinking in an answer to a request, in
	// order, for the entry that keeps the answer: what [Request.KeepsThinking]
	// compares when the answer is sent back.
	Seals(r Request, answer message.Message) ([]message.Hash, error)
}
