package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

// ErrNothingToRetry: the path ends in a finished answer, or is empty.
var ErrNothingToRetry = errors.New("nothing to retry")

// A RunningError says that another run has a turn under way.
type RunningError struct{ Draft history.Draft }

func (e *RunningError) Error() string {
	return fmt.Sprintf("another run is at work on this conversation: it saved its draft at %s", e.Draft.Updated.Format(time.TimeOnly))
}

// A Retry says how to try again.
type Retry struct {
	// Again answers the last prompt anew, as a sibling of the answer that is
	// there.
	Again bool
	// Discard leaves out what a run that broke off had done of its turn.
	Discard bool
}

// Retry goes on where a run failed or broke off. It looks at the stored path
// alone, so that a restart changes nothing (P14): where that ends in a prompt or
// in results, they are sent again; where it ends in a finished answer, the error
// is [ErrNothingToRetry]; where it cannot be read, a [*LoadError].
//
// What a run that broke off had done of its turn is on no path yet. Where a call
// with effects had started, the turn is closed and saved first, so that nothing
// is done twice unsaid. Where the run is still at work, the error is a
// [*RunningError].
func (r *Run) Retry(ctx context.Context, how Retry) Events {
	return r.work(ctx, func(ctx context.Context) error {
		if err := r.catchUp(ctx); err != nil {
			return err
		}
		if how.Discard {
			if err := r.discardDrafts(ctx); err != nil {
				return err
			}
		} else if err := r.closeDrafts(ctx); err != nil {
			return err
		}
		if how.Again || r.brokenOff() {
			if err := r.backToPrompt(ctx); err != nil {
				return err
			}
		} else if !r.unanswered() {
			return r.nothingToRetry()
		}
		return r.exchange(ctx)
	})
}

// lastMessage is the index of the last message of the path that a model gets;
// -1 where there is none.
func (r *Run) lastMessage() int {
	for i := range slices.Backward(r.path) {
		if m := r.path[i].Message; m != nil && !m.Silent() {
			return i
		}
	}
	return -1
}

// unanswered reports whether a model has something to answer.
func (r *Run) unanswered() bool {
	i := r.lastMessage()
	return i >= 0 && r.path[i].Message.Role != message.Assistant
}

func (r *Run) nothingToRetry() error {
	if r.lastMessage() < 0 {
		return fmt.Errorf("%w: nothing was said in the conversation yet", ErrNothingToRetry)
	}
	return fmt.Errorf("%w: the conversation ends in a finished answer", ErrNothingToRetry)
}

// brokenOff reports whether the path ends in an answer that was interrupted
// before it was done.
func (r *Run) brokenOff() bool {
	i := r.lastMessage()
	if i < 0 || r.path[i].Message.Role != message.Assistant {
		return false
	}
	stop := r.path[i].Message.Stop
	return stop == message.StopAborted || stop == message.StopError
}

// backToPrompt moves to the last prompt, or the last results, before the answer
// that is to be given anew.
func (r *Run) backToPrompt(ctx context.Context) error {
	at := r.lastPrompt()
	if at >= 0 && r.depth()-r.path[at].Depth > len(r.path)-1-at { // a later one was not read
		if err := r.readAll(ctx); err != nil {
			return err
		}
		at = r.lastPrompt()
	}
	if at < 0 {
		return r.nothingToRetry()
	}
	boundary, err := history.BoundaryAt(ctx, r.Store, r.Conversation, r.path[at].ID)
	if err != nil {
		return err
	}
	if err := r.Store.MoveTip(ctx, boundary, r.tip); err != nil {
		return err
	}
	r.goTo(r.path[:at+1])
	r.tip = r.Position()
	r.keepMarks(r.marks)
	return r.fill(ctx)
}

// lastPrompt is the index of the last prompt of the path; -1 where there is none.
func (r *Run) lastPrompt() int {
	for i := range slices.Backward(r.path) {
		if m := r.path[i].Message; m != nil && m.IsPrompt() {
			return i
		}
	}
	return -1
}

// closeDrafts deals with the turns that runs have begun and not saved: those
// that continue from where this run stands, and had effects, are closed and
// saved; others are dropped.
func (r *Run) closeDrafts(ctx context.Context) error {
	drafts, err := r.deadDrafts(ctx)
	if err != nil {
		return err
	}
	for _, d := range drafts {
		if d.Parent == r.Position() && hadEffects(&d) {
			if err := r.closeDraft(ctx, d); err != nil {
				return err
			}
			continue
		}
		if err := r.Store.DiscardDraft(ctx, r.Conversation, d.Run); err != nil {
			return err
		}
	}
	return nil
}

func (r *Run) discardDrafts(ctx context.Context) error {
	drafts, err := r.deadDrafts(ctx)
	if err != nil {
		return err
	}
	for _, d := range drafts {
		if err := r.Store.DiscardDraft(ctx, r.Conversation, d.Run); err != nil {
			return err
		}
	}
	return nil
}

// deadDrafts returns the drafts of runs that have ended: those that were not
// saved for the time of a lease. It waits for that where a draft is younger.
func (r *Run) deadDrafts(ctx context.Context) ([]history.Draft, error) {
	before, err := r.Store.Drafts(ctx, r.Conversation)
	if err != nil || len(before) == 0 {
		return nil, err
	}
	youngest := time.Time{}
	for _, d := range before {
		if d.Updated.After(youngest) {
			youngest = d.Updated
		}
	}
	if age := r.Now().Sub(youngest); age < r.Lease {
		r.tell(Notice{"Another run has left a turn unfinished. Looking whether it still works on it …"})
		timer := time.NewTimer(min(r.Lease-age, r.Lease))
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-timer.C:
		}
	}
	now, err := r.Store.Drafts(ctx, r.Conversation)
	if err != nil {
		return nil, err
	}
	for _, d := range now {
		i := slices.IndexFunc(before, func(b history.Draft) bool { return b.Run == d.Run })
		if i < 0 || d.Updated.After(before[i].Updated) {
			return nil, &RunningError{d}
		}
	}
	return now, nil
}

func hadEffects(d *history.Draft) bool {
	return slices.ContainsFunc(d.Calls, func(c history.DraftCall) bool { return c.State != history.CallNotStarted })
}

// closeDraft saves the turn of a run that broke off, with a result for each of
// its calls.
func (r *Run) closeDraft(ctx context.Context, d history.Draft) error {
	var results []message.ToolResult
	unknown := 0
	d.Message.Calls(func(_ int, c message.ToolCall) bool {
		result := message.ToolResult{CallID: c.ID, Name: c.Name, Outcome: message.Aborted, Content: []message.Content{message.Text{Text: notRun}}}
		if n := len(results); n < len(d.Calls) {
			switch state := d.Calls[n]; {
			case state.State == history.CallDone && state.Result != nil:
				result = *state.Result
			case state.State == history.CallStarted:
				result.Outcome = message.Unknown
				result.Content = []message.Content{message.Text{Text: wire.Interrupted}}
				unknown++
			}
		}
		results = append(results, result)
		return true
	})
	answer, closing := d.Message, message.Results(results...)
	request := history.AppendRequest{Entries: []history.Entry{{Message: &answer}, {Message: &closing}}, Run: d.Run}
	if _, err := r.save(ctx, request); err != nil {
		return err
	}
	text := "A turn that broke off is closed and saved: what it had done is in its results."
	if unknown > 0 {
		text = fmt.Sprintf("A turn that broke off is closed and saved. Of %d of its calls nobody knows whether they were done: the model is told to look first.", unknown)
	}
	r.tell(Notice{text})
	return nil
}
