package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// save appends whole turns behind the run's position, in one transaction. Where
// another has moved the tip, they stand as a branch, which the run goes on with;
// it never moves the tip back.
//
// What was begun is saved even where ctx was cancelled.
func (r *Run) save(ctx context.Context, request history.AppendRequest) ([]history.Entry, error) {
	ctx = context.WithoutCancel(ctx)
	request.Conversation = r.Conversation
	request.Parent = r.Position()
	request.ExpectedTip = r.tip
	for i := range request.Entries {
		e := &request.Entries[i]
		e.ID, e.Created = history.NewID(), r.Now()
	}
	saved, err := r.Store.Append(ctx, request)
	var moved *history.TipMovedError
	switch {
	case errors.As(err, &moved):
		r.tip = moved.Stored // where the run's own branch ends: the tip only moves if it comes here
		if !r.branched {
			r.branched = true
			r.tell(Notice{fmt.Sprintf("The conversation was moved to %v by another. This run goes on along a branch of its own.", short(moved.Actual))})
		}
	case err != nil:
		return nil, err
	default:
		r.tip = saved[len(saved)-1].ID
	}
	r.extend(saved)
	r.tell(Saved{saved})
	return saved, nil
}

// extend puts saved entries onto the run's path.
func (r *Run) extend(saved []history.Entry) {
	r.path = append(r.path, saved...)
	for i := range saved {
		if saved[i].Usage != nil {
			r.state.meter = nil // it is calibrated by what was billed
		}
		if saved[i].Compaction != nil {
			r.state.meter, r.state.posed = nil, nil // it may hold what a refusal said
		}
	}
}

func (r *Run) tell(e Event) {
	if r.listener != nil {
		r.listener.tell(e)
	}
}

// savePrompt saves what a person said.
func (r *Run) savePrompt(ctx context.Context, m message.Message, dequeue ...history.ID) error {
	_, err := r.save(ctx, history.AppendRequest{Entries: []history.Entry{{Message: &m}}, Dequeue: dequeue})
	return err
}

// takeQueue puts the prompts that were typed meanwhile onto the path.
func (r *Run) takeQueue(ctx context.Context) (taken int, err error) {
	queue, err := r.Store.Queue(ctx, r.Conversation)
	if err != nil {
		return 0, err
	}
	for i := range queue {
		if err := r.savePrompt(ctx, queue[i].Message, queue[i].ID); err != nil {
			return i, err
		}
	}
	return len(queue), nil
}

// Queue keeps a prompt for the next turn boundary of whoever runs the
// conversation then. It may be called while the run is busy.
func (r *Run) Queue(ctx context.Context, parts ...message.Part) (history.QueuedPrompt, error) {
	q := history.QueuedPrompt{
		ID: history.NewID(), Conversation: r.Conversation, Created: r.Now(),
		Message: message.Message{Role: message.User, Author: message.ByPerson, Parts: parts},
	}
	return q, r.Store.Enqueue(ctx, q)
}

// short is an id as people read it.
func short(id history.ID) string { return id.String()[:13] }
