package agent

import (
	"context"
	"iter"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/reclaim"
)

// An Event is something that a run did. The set is closed: Delta, CallStarted,
// CallProgress, CallEnded, Saved, Compacted, Waiting, Repeated, Notice, Done.
type Event interface{ event() }

type (
	// Delta is a piece of the answer under way.
	Delta struct{ provider.Delta }

	// CallStarted says that a call runs. Index counts the calls of the answer
	// from 0.
	CallStarted struct {
		Index int
		Call  message.ToolCall
	}
	// CallProgress is a line that a call printed.
	CallProgress struct {
		Index int
		Line  string
	}
	// CallEnded has the result of a call.
	CallEnded struct {
		Index  int
		Result message.ToolResult
	}

	// Saved says that entries are stored, and on the run's path.
	Saved struct{ Entries []history.Entry }

	// Compacted says that room was made. Dropped are checkpoints that the run no
	// longer offers, since their entry is not whole in its view any more.
	Compacted struct {
		Entry   history.Entry
		Plan    reclaim.Plan
		Dropped []history.Checkpoint
	}

	// Waiting says that a request is sent again after a while.
	Waiting struct{ provider.Wait }

	// Repeated says that a request was refused as too large and goes out again,
	// smaller. What was shown of an answer before counts for nothing.
	Repeated struct{ Refusal *provider.Error }

	// Notice tells people of something that they should know and need not act
	// on.
	Notice struct{ Text string }

	// Done ends an exchange. Usage is what all of its answers cost, and the
	// summaries that were asked for.
	Done struct {
		Stop  message.Stop
		Usage history.Usage
	}
)

func (Delta) event()        {}
func (CallStarted) event()  {}
func (CallProgress) event() {}
func (CallEnded) event()    {}
func (Saved) event()        {}
func (Compacted) event()    {}
func (Waiting) event()      {}
func (Repeated) event()     {}
func (Notice) event()       {}
func (Done) event()         {}

// Events is what a run does, as it does it. An error is the last of them. To
// break out of the iteration interrupts the run: the turn under way is closed
// and saved before the loop ends.
type Events = iter.Seq2[Event, error]

// A listener passes events to the one who iterates, until that one has had
// enough; then it cancels the work.
type listener struct {
	yield  func(Event, error) bool
	cancel context.CancelFunc
	gone   bool
}

func (l *listener) tell(e Event) {
	if !l.gone && !l.yield(e, nil) {
		l.gone = true
		l.cancel()
	}
}
