package agent

import (
	"context"
	"sync"
	"time"

	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider"
)

// A draft keeps the turn under way in the store, so that it is known after a
// crash how far it had come. It is on no path.
type draft struct {
	run   *Run
	lock  sync.Mutex // guards what follows, and the results of calls
	saved time.Time

	message message.Message
	calls   []*call
}

func (r *Run) newDraft() *draft {
	return &draft{run: r, message: message.Message{Role: message.Assistant, Author: message.ByModel}}
}

// grow takes a piece of the answer, and saves what has come every now and then.
func (d *draft) grow(ctx context.Context, delta provider.Delta) {
	if delta.Kind != provider.TextDelta {
		return // what has come of thinking and calls is of no use by itself
	}
	text, _ := last(d.message.Parts).(message.Text)
	if len(d.message.Parts) == 0 {
		d.message.Parts = []message.Part{text}
	}
	text.Text += delta.Text
	d.message.Parts[len(d.message.Parts)-1] = text
	if now := d.run.Now(); now.Sub(d.saved) >= d.run.Lease/3 {
		if d.saved.IsZero() {
			d.saved = now // short answers leave no draft
			return
		}
		_ = d.save(ctx) // the answer itself matters more than its draft
	}
}

func last(parts []message.Part) message.Part {
	if len(parts) == 0 {
		return nil
	}
	return parts[len(parts)-1]
}

// end takes the result of a call.
func (d *draft) end(c *call, r tool.Result) {
	d.lock.Lock()
	defer d.lock.Unlock()
	c.end(r)
}

// save stores the draft as it stands.
func (d *draft) save(ctx context.Context) error {
	d.lock.Lock()
	defer d.lock.Unlock()
	stored := history.Draft{Conversation: d.run.Conversation, Run: d.run.id, Parent: d.run.Position(), Message: d.message}
	for _, c := range d.calls {
		state := history.DraftCall{State: c.state}
		if c.state == history.CallStarted && !c.effects() {
			state.State = history.CallNotStarted // it may run again
		}
		if c.state == history.CallDone {
			result := c.result
			state.Result = &result
		}
		stored.Calls = append(stored.Calls, state)
	}
	d.saved = d.run.Now()
	return d.run.Store.SaveDraft(context.WithoutCancel(ctx), stored)
}

// keepAlive saves the draft again and again, so that others see that the run is
// at work, until the function it returns is called.
func (d *draft) keepAlive(ctx context.Context) (stop func()) {
	done := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		ticker := time.NewTicker(d.run.Lease / 3)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				_ = d.save(ctx) // an error shows when the turn itself is saved
			}
		}
	})
	return func() {
		close(done)
		group.Wait()
	}
}

// discard drops the draft of an answer that comes again from the beginning.
func (d *draft) discard(ctx context.Context) {
	if !d.saved.IsZero() {
		_ = d.run.Store.DiscardDraft(context.WithoutCancel(ctx), d.run.Conversation, d.run.id)
	}
}
