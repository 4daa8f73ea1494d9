package stemmajsonl

import (
	"context"
	"errors"
	"time"

	"github.com/stemma-history/stemma/history"
)

// target is the conversation that a file is read into.
type target struct {
	history.Conversation
	// copied says that the file's ids are another owner's here; every id is
	// made anew from them.
	copied bool
	// fresh says that no import of the conversation was finished before.
	fresh bool
}

// findTarget decides which conversation a file stands for. The package comment
// gives the rule.
func findTarget(ctx context.Context, store history.Store, h conversationLine, owner string) (target, error) {
	t := target{Conversation: history.Conversation{
		ID: h.ID, Title: string(h.Title),
		ForkedFrom: history.Link(h.ForkedFrom), SpawnedBy: history.Link(h.SpawnedBy),
		Source: history.Source{Tool: string(h.Source.Tool), ID: string(h.Source.ID)},
		Model:  string(h.Model), Directory: string(h.Directory), Owner: owner, Created: h.Created,
	}}
	stored, err := store.Conversation(ctx, t.ID)
	if err == nil && !(stored.Owner == owner && stored.Created.Equal(h.Created)) {
		t.copied, t.Source = true, history.Source{}
		t.ID = t.newID(h.Created, h.ID)
		stored, err = store.Conversation(ctx, t.ID)
	}
	if errors.Is(err, history.ErrNotFound) {
		t.fresh, err = true, nil
	} else if err == nil {
		t.fresh = stored.Tip == history.ID{} && h.Tip != history.ID{} // an import sets it last
	}
	return t, err
}

// newID returns what an id of the file is here.
func (t *target) newID(created time.Time, id history.ID) history.ID {
	if !t.copied || id == (history.ID{}) {
		return id
	}
	return history.SourceID(created, t.Owner, Format, id.String())
}
