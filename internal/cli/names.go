package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
)

// latest is how the command line names the conversation updated last that has an
// entry, and the tip of a conversation.
const latest = "@"

// findConversation returns the conversation that a word of the command line names.
func findConversation(ctx context.Context, s history.Store, name string) (history.Conversation, error) {
	if name == latest {
		return latestConversation(ctx, s)
	}
	found, err := history.Collect(s.List(ctx, history.ListQuery{IDPrefix: strings.ToLower(name), Limit: 2}))
	switch {
	case err != nil:
		return history.Conversation{}, err
	case len(found) == 0:
		return history.Conversation{}, fmt.Errorf("conversation %s: %w; stemma list shows what there is", name, history.ErrNotFound)
	case len(found) > 1 && found[0].ID.String() != name:
		return history.Conversation{}, usagef("conversation %s: more than one id begins so, such as %v and %v", name, found[0].ID, found[1].ID)
	}
	return found[0], nil
}

// latestConversation returns the one updated last that has an entry: whoever
// opens the terminal app and leaves it again means the one before.
func latestConversation(ctx context.Context, s history.Store) (history.Conversation, error) {
	var found history.Conversation
	for c, err := range s.List(ctx, history.ListQuery{}) {
		switch {
		case err != nil:
			return history.Conversation{}, err
		case c.Entries > 0:
			return c, nil
		case found.ID == (history.ID{}):
			found = c
		}
	}
	if found.ID == (history.ID{}) {
		return found, fmt.Errorf("conversation %s: %w: the store is empty; stemma import fills it", latest, history.ErrNotFound)
	}
	return found, nil
}

// findEntry returns the entry of a conversation that a word of the command line
// names: @ is the tip, a number is a handle on the current path, and anything
// else the beginning of an id or the name of a checkpoint. Ids of UUIDv7 begin
// with 0 and handles never do, so a number is not mistaken for an id.
func findEntry(ctx context.Context, s history.Store, c history.Conversation, name string) (history.ID, error) {
	switch {
	case c.Tip == (history.ID{}):
		return c.Tip, fmt.Errorf("entry %s: %w: the conversation is empty", name, history.ErrNotFound)
	case name == latest:
		return c.Tip, nil
	}
	if h, err := history.ParseHandle(name); err == nil && name[0] != '0' {
		if h.Part != 0 {
			return history.ID{}, usagef("entry %s: expected a whole entry, such as %d", name, h.Depth)
		}
		e, err := history.EntryAt(ctx, s, c.ID, c.Tip, h)
		return e.ID, err
	}
	found, err := s.FindEntries(ctx, c.ID, strings.ToLower(name), 2)
	if err != nil {
		return history.ID{}, err
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return history.ID{}, usagef("entry %s: more than one id begins so, such as %v and %v", name, found[0], found[1])
	}
	return findMarked(ctx, s, c, name)
}

// findBoundary returns the entry that a word of the command line names, which
// has to be at the end of a turn.
func findBoundary(ctx context.Context, s history.Store, c history.Conversation, name string) (history.Boundary, error) {
	id, err := findEntry(ctx, s, c, name)
	if err != nil {
		return history.Boundary{}, err
	}
	return history.BoundaryAt(ctx, s, c.ID, id)
}

// findMarked returns the entry of a checkpoint: of the latest with its name on
// the current path, or of the only one on other branches.
func findMarked(ctx context.Context, s history.Store, c history.Conversation, name string) (history.ID, error) {
	mark, err := history.MarkOnPath(ctx, s, c.ID, c.Tip, name)
	switch {
	case errors.Is(err, history.ErrNotFound):
		return history.ID{}, fmt.Errorf("entry %s: %w: no handle, id or checkpoint of this conversation; stemma tree %v shows them", name, history.ErrNotFound, c.ID)
	case !errors.Is(err, history.ErrOtherBranch):
		return mark.Entry, err
	}
	marks, err := s.Checkpoints(ctx, c.ID)
	if err != nil {
		return history.ID{}, err
	}
	marks = slices.DeleteFunc(marks, func(m history.Checkpoint) bool { return m.Name != name })
	if first := marks[0]; slices.ContainsFunc(marks, func(m history.Checkpoint) bool { return m.Entry != first.Entry }) {
		return history.ID{}, usagef("checkpoint %s is set on %d entries off the current path; name one by its id, see stemma checkpoint %v", name, len(marks), c.ID)
	}
	return marks[0].Entry, nil
}

// shortEntryIDs returns how the entries of a conversation are shown.
func shortEntryIDs(ctx context.Context, s history.Store, conversation history.ID) (map[history.ID]string, error) {
	var ids []history.ID
	for n, err := range s.Nodes(ctx, conversation) {
		var damaged *history.DamagedError
		switch {
		case err == nil:
			ids = append(ids, n.ID)
		case !errors.As(err, &damaged):
			return nil, err
		}
	}
	return words.ShortIDs(ids), nil
}

// looksLikeEntry reports whether a word reads as a handle, as the beginning of
// an id, or as the tip.
func looksLikeEntry(name string) bool {
	_, err := history.ParseHandle(name)
	isID := len(name) <= len(history.ID{}.String()) && strings.HasPrefix(name, "0") && strings.Trim(strings.ToLower(name), "0123456789abcdef-") == ""
	return err == nil || isID || name == latest
}
