package providertest

import (
	"sync/atomic"
	"time"

	"github.com/stemma-history/stemma/message"
)

// A Script says what is answered. It is called for requests that are not
// refused, by several at a time.
type Script func(Ask) Answer

// An Answer is what a model says, or what goes wrong instead.
type Answer struct {
	// Parts are texts, thinking and calls. Calls without an id get one, and
	// thinking is signed.
	Parts []message.Part
	// Stop is why it ends. Default: StopTools after calls, else StopEnd. An answer
	// that is longer than was asked for is cut, and ends with StopLength.
	Stop message.Stop
	// Fault is what goes wrong. Default: nothing.
	Fault Fault
}

// Say returns an answer of one text.
func Say(text string) Answer { return Answer{Parts: []message.Part{message.Text{Text: text}}} }

// Call returns an answer that calls a tool. The arguments are JSON.
func Call(name, arguments string) Answer { return Answer{}.Call(name, arguments) }

// Think returns the answer with thinking behind what it has.
func (a Answer) Think(text string) Answer { return a.with(message.Thinking{Text: text}) }

// Say returns the answer with a text behind what it has.
func (a Answer) Say(text string) Answer { return a.with(message.Text{Text: text}) }

// Call returns the answer with a call behind what it has.
func (a Answer) Call(name, arguments string) Answer {
	return a.with(message.ToolCall{Name: name, Arguments: []byte(arguments)})
}

func (a Answer) with(p message.Part) Answer {
	a.Parts = append(a.Parts[:len(a.Parts):len(a.Parts)], p)
	return a
}

// But returns the answer with something that goes wrong.
func (a Answer) But(f Fault) Answer {
	a.Fault = f
	return a
}

// A Fault is what goes wrong with an answer: [Refuse], [Overflow], [Cut], [Fail],
// [Hang] or [Misbill].
type Fault interface{ fault() }

// Refuse answers with an error instead.
type Refuse struct {
	Status        int
	Type, Message string // Default: what the wire says with this status
	// RetryAfter is in the header of the same name, in whole seconds.
	RetryAfter time.Duration
	// Bare leaves the body out.
	Bare bool
}

// Overflow refuses the prompt as too long for half of its tokens, in the words
// of the server.
type Overflow struct{}

// Cut closes the connection after so many bytes of the answer.
type Cut struct{ After int }

// Fail ends a stream, after so many events, with an error inside the 200.
type Fail struct {
	After         int
	Type, Message string // Default: overloaded
}

// Hang sends no more after so many bytes, until the client goes away.
type Hang struct{ After int }

// Misbill reports so many times the tokens that were read.
type Misbill struct{ Factor float64 }

func (Refuse) fault()   {}
func (Overflow) fault() {}
func (Cut) fault()      {}
func (Fail) fault()     {}
func (Hang) fault()     {}
func (Misbill) fault()  {}

// RateLimited refuses with 429.
func RateLimited(retryAfter time.Duration) Refuse { return Refuse{Status: 429, RetryAfter: retryAfter} }

// Overloaded refuses with 529, or with 503 where the wire has no 529.
func Overloaded() Refuse { return Refuse{Status: 529} }

// In gives each request the next answer, and the last one for ever.
func In(order ...Answer) Script {
	var next atomic.Int64
	return func(Ask) Answer {
		return order[min(int(next.Add(1)), len(order))-1]
	}
}

// When lets another script answer the requests that are so.
func (s Script) When(is func(Ask) bool, other Script) Script {
	return func(a Ask) Answer {
		if is(a) {
			return other(a)
		}
		return s(a)
	}
}

// Failing lets things go wrong with requests, by their number: 1 is the first
// that is not refused.
func (s Script) Failing(faults map[int]Fault) Script {
	var number atomic.Int64
	return func(a Ask) Answer {
		if f, ok := faults[int(number.Add(1))]; ok {
			return s(a).But(f)
		}
		return s(a)
	}
}
