package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// Edit says a prompt in another way, as a sibling of the one at an entry of the
// conversation, and lets the model work. The prompt that is there, and all that
// followed it, stays as a branch.
func (r *Run) Edit(ctx context.Context, prompt history.ID, parts ...message.Part) Events {
	return r.work(ctx, func(ctx context.Context) error {
		if len(parts) == 0 {
			return errors.New("the prompt is empty")
		}
		if err := r.catchUp(ctx); err != nil {
			return err
		}
		e, err := r.Store.Entry(ctx, r.Conversation, prompt)
		if err != nil {
			return err
		}
		if e.Message == nil || e.Message.Role != message.User {
			return fmt.Errorf("entry %v is no prompt", e.Handle())
		}
		var path []history.Entry
		if e.Parent != (history.ID{}) {
			if path, err = history.Collect(r.Store.Path(ctx, history.PathQuery{Conversation: r.Conversation, Tip: e.Parent})); err != nil {
				return &LoadError{err}
			}
		}
		before := r.path
		r.goTo(path)
		if err := r.savePrompt(ctx, message.Message{Role: message.User, Author: message.ByPerson, Parts: parts}); err != nil {
			r.goTo(before)
			return err
		}
		marks, err := r.Store.Checkpoints(ctx, r.Conversation)
		if err != nil {
			return err
		}
		r.keepMarks(marks)
		return r.exchange(ctx)
	})
}
