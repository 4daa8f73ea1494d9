package verdict

import "github.com/stemma-history/stemma/internal/rawjson"

// A Place is where an element of a conversation begins in a body. Offset 0 is
// no place.
type Place struct{ Index, Offset int }

// A Thread is how a checker goes on in a body that begins with the same bytes
// as one that it has read before. The zero Thread begins at the beginning.
type Thread[S any] struct {
	// From is where the elements begin that are new, and State what the checker
	// knew there of those before.
	From  Place
	State S
	// Keep is where the next body may go on, and Kept what is known there.
	Keep Place
	Kept S
}

// Elements reads the array of the conversation, as far as it is new. state is
// the checker's own, and clone returns a copy that later elements do not change.
func (t *Thread[S]) Elements(r *rawjson.Reader, state *S, clone func(S) S, f func(n int)) {
	if t.From.Offset > 0 {
		*state = clone(t.State)
	}
	r.ArrayFrom(t.From.Index, t.From.Offset, func(n int) {
		if r.Offset() == t.Keep.Offset {
			t.Kept = clone(*state)
		}
		f(n)
	})
}

// Unreadable returns what is wrong with the new bytes of body as JSON, empty if
// nothing is: end is what the reader of the body found.
func (t *Thread[S]) Unreadable(body []byte, end error) string {
	return unreadable(body, t.From.Offset, end)
}
