package message

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// A Place is a part on a path: the index of its message in the sequence given
// to [Pair], and the index of the part in that message.
type Place struct {
	Message, Part int
}

// State says what became of a tool call.
type State int

const (
	// Waiting: nothing but results has followed; the answer may still come.
	Waiting State = iota
	// Answered: a result followed before the next user or assistant message.
	Answered
	// Unanswered: the conversation went on without a result, or was settled
	// (see [Message]), so none will come.
	Unanswered
)

// A PairedCall is a tool call and what answers it.
type PairedCall struct {
	ToolCall
	At     Place
	State  State
	Result Place // where State is Answered
}

// A Pairing says, for a sequence of messages, which call is answered by which
// result.
type Pairing struct {
	Calls []PairedCall
	// Orphans are results that answer no call: the call is gone, was answered
	// already, or the conversation had gone on before the result came.
	Orphans []Place

	open int // Calls[open:] are those of the latest assistant message
}

// Pair matches calls with results along a path.
//
// A result answers the first call with its id, in the latest assistant
// message, that has no result yet. Ids are looked up in that one message
// only: some back ends repeat them (call_0) in every answer. A user or
// assistant message ends the wait of all calls before it; silent messages do
// not.
func Pair(path iter.Seq[*Message]) Pairing {
	var p Pairing
	i := -1
	for m := range path {
		i++
		if m.Silent() {
			continue
		}
		if m.Role == User || m.Role == Assistant {
			p.settle()
		}
		for part, c := range m.Calls {
			call := PairedCall{ToolCall: c, At: Place{i, part}}
			if m.Settled {
				call.State = Unanswered
			}
			if n := len(p.Calls); n == cap(p.Calls) { // append grows long slices by a quarter only
				p.Calls = slices.Grow(p.Calls, max(n, 4))
			}
			p.Calls = append(p.Calls, call)
		}
		for part, r := range m.Results {
			p.answer(r.CallID, Place{i, part})
		}
	}
	return p
}

// settle ends the wait of all calls so far.
func (p *Pairing) settle() {
	for i, c := range p.Calls[p.open:] {
		if c.State == Waiting {
			p.Calls[p.open+i].State = Unanswered
		}
	}
	p.open = len(p.Calls)
}

func (p *Pairing) answer(id string, at Place) {
	for i := range p.Calls[p.open:] {
		if c := &p.Calls[p.open+i]; c.State != Answered && c.ID == id {
			c.State, c.Result = Answered, at
			return
		}
	}
	p.Orphans = append(p.Orphans, at)
}

// Open returns the calls of the latest assistant message that have no result,
// waiting or settled.
func (p *Pairing) Open() []PairedCall { return p.latest(func(s State) bool { return s != Answered }) }

// Waiting returns the calls that still wait at the end of the path.
func (p *Pairing) Waiting() []PairedCall { return p.latest(func(s State) bool { return s == Waiting }) }

func (p *Pairing) latest(in func(State) bool) []PairedCall {
	var calls []PairedCall
	for _, c := range p.Calls[p.open:] {
		if in(c.State) {
			calls = append(calls, c)
		}
	}
	return calls
}

// A WaitingError says that a path does not end at a turn boundary.
type WaitingError struct {
	Calls []PairedCall // the calls that wait
}

func (e *WaitingError) Error() string {
	names := make([]string, len(e.Calls))
	for i, c := range e.Calls {
		names[i] = fmt.Sprintf("%s (%s)", c.Name, c.ID)
	}
	return "not a turn boundary: still waiting for the result of " + strings.Join(names, ", ")
}

// A Boundary is proof that a path ends where no call waits: the only place
// where a history may be saved, cut, marked or left. Only [AtBoundary] makes
// one; the zero Boundary is the end of an empty path.
type Boundary struct {
	messages int
}

// Messages is the length of the path that was checked.
func (b Boundary) Messages() int { return b.messages }

// AtBoundary checks that path ends at a turn boundary. The error is a
// [*WaitingError].
func AtBoundary(path []Message) (Boundary, error) {
	p := Pair(Each(path))
	if waiting := p.Waiting(); len(waiting) > 0 {
		return Boundary{}, &WaitingError{Calls: waiting}
	}
	return Boundary{messages: len(path)}, nil
}

// Each yields pointers to the messages of a slice, as [Pair] takes them.
func Each(messages []Message) iter.Seq[*Message] {
	return func(yield func(*Message) bool) {
		for i := range messages {
			if !yield(&messages[i]) {
				return
			}
		}
	}
}
