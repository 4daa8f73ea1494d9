package history

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/stemma-history/stemma/message"
)

// A Boundary is an entry that was found to be at a turn boundary: the only
// place that a tip may move to, a checkpoint may mark, and a fork may end at.
// Only [BoundaryAt] makes one. Entries never change, so it stays true.
type Boundary struct {
	conversation, entry ID
	depth               int
}

// Conversation returns the conversation that was checked.
func (b Boundary) Conversation() ID { return b.conversation }

// Entry returns the entry at the boundary.
func (b Boundary) Entry() ID { return b.entry }

// Depth returns the depth of the entry.
func (b Boundary) Depth() int { return b.depth }

// A MidTurnError says that an entry is not at a turn boundary.
type MidTurnError struct {
	Entry  Handle
	Before Handle // the entry that the turn continues from; depth 0 where it is the first
	Open   []message.PairedCall
}

func (e *MidTurnError) Error() string {
	s := fmt.Sprintf("entry %v is inside a turn: %d of its calls are answered further down", e.Entry, len(e.Open))
	if e.Before.Depth > 0 {
		s += fmt.Sprintf("; use the end of the turn, or %v before it", e.Before)
	}
	return s
}

// BoundaryAt checks that the path to an entry ends at a turn boundary. It reads
// only the last turn. The error is a [*MidTurnError] where it does not, and
// [ErrNotFound] where the conversation has no such entry.
func BoundaryAt(ctx context.Context, s Entries, conversation, entry ID) (Boundary, error) {
	turn, err := lastTurn(ctx, s, conversation, entry)
	if err != nil {
		return Boundary{}, err
	}
	last := turn[len(turn)-1]
	pairing := message.Pair(messages(turn))
	if open := pairing.Open(); len(open) > 0 {
		waits := len(pairing.Waiting()) > 0
		answered, err := answeredBelow(ctx, s, last, open)
		if err != nil {
			return Boundary{}, err
		}
		if waits || answered {
			return Boundary{}, &MidTurnError{Entry: last.Handle(), Before: Handle{Depth: turn[0].Depth - 1}, Open: open}
		}
	}
	return Boundary{conversation: conversation, entry: entry, depth: last.Depth}, nil
}

// lastTurn returns the entries of the path's last turn, and whatever silent
// entries and compactions stand in it.
func lastTurn(ctx context.Context, s Entries, conversation, entry ID) ([]Entry, error) {
	if entry == (ID{}) {
		return nil, fmt.Errorf("conversation %v: entry: %w", conversation, ErrNotFound)
	}
	for newest := 8; ; newest *= 4 {
		path, err := Collect(s.Path(ctx, PathQuery{Conversation: conversation, Tip: entry, Newest: newest}))
		if err != nil {
			return nil, err
		}
		if len(path) == 0 {
			return nil, fmt.Errorf("entry %v: %w", entry, ErrNotFound)
		}
		if at := lastTurnOf(path); beginsTurn(&path[at]) || len(path) < newest {
			return path[at:], nil
		}
	}
}

// answeredBelow reports whether a child of e answers one of the open calls. A
// message that was imported settled may have its results further down; in the
// middle of them is no boundary.
func answeredBelow(ctx context.Context, s Entries, e Entry, open []message.PairedCall) (bool, error) {
	for child, err := range s.Children(ctx, e.Conversation, e.ID) {
		if err != nil {
			return false, err
		}
		if child.Role != message.Tool {
			continue
		}
		full, err := s.Entry(ctx, e.Conversation, child.ID)
		if err != nil {
			return false, err
		}
		for _, r := range full.Message.Results {
			if slices.ContainsFunc(open, func(c message.PairedCall) bool { return c.ID == r.CallID }) {
				return true, nil
			}
		}
	}
	return false, nil
}

// ValidateTurns checks entries that are to be appended: whole turns, each
// entry one message or one valid compaction, each call answered among them or
// its message settled, no result without its call.
func ValidateTurns(entries []Entry) error {
	if len(entries) == 0 {
		return errors.New("nothing to append")
	}
	for i := range entries {
		e := &entries[i]
		if (e.Message == nil) == (e.Compaction == nil) {
			return fmt.Errorf("entry %d of %d: expected either a message or a compaction", i+1, len(entries))
		}
		if e.Compaction != nil {
			if err := e.Compaction.Validate(); err != nil {
				return fmt.Errorf("entry %d of %d: %w", i+1, len(entries), err)
			}
		}
	}
	pairing := message.Pair(messages(entries))
	for _, c := range pairing.Calls {
		if c.State == message.Answered || settled(entries, c.At.Message) {
			continue
		}
		return fmt.Errorf("entry %d of %d: %w", entryOf(entries, c.At.Message)+1, len(entries), &message.WaitingError{Calls: []message.PairedCall{c}})
	}
	for _, o := range pairing.Orphans {
		return fmt.Errorf("entry %d of %d: part %d is the result of a call that is not in the same turn", entryOf(entries, o.Message)+1, len(entries), o.Part+1)
	}
	return nil
}

func settled(entries []Entry, message int) bool {
	return entries[entryOf(entries, message)].Message.Settled
}

// entryOf returns the index of the entry with the n-th message.
func entryOf(entries []Entry, n int) int {
	for i := range entries {
		if entries[i].Message == nil {
			continue
		}
		if n == 0 {
			return i
		}
		n--
	}
	return -1
}

// messages yields the messages among entries.
func messages(entries []Entry) iter.Seq[*message.Message] {
	return func(yield func(*message.Message) bool) {
		for i := range entries {
			if m := entries[i].Message; m != nil && !yield(m) {
				return
			}
		}
	}
}

// Collect returns all values of a sequence, or its first error.
func Collect[T any](seq iter.Seq2[T, error]) ([]T, error) {
	var all []T
	for v, err := range seq {
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}
