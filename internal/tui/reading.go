package tui

import (
	"errors"
	"iter"

	tea "charm.land/bubbletea/v2"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
)

// chunkRead brings entries of the path: those before the first block, those
// behind the last, or a piece instead of all that is held.
type chunkRead struct {
	conversation history.ID
	fresh        bool // instead of all that is held
	upward       bool // the entries end where others stand, or at the tip
	entries      []history.Entry
	before       history.ID // what stands before them
	damaged      int
	err          error
}

// readNewest reads the end of the path, instead of all that is held.
func (t *transcript) readNewest() tea.Cmd {
	return t.read(true, t.conversation.Tip, 0)
}

// read reads a piece of the path: what ends at an entry or, where depth is not 0,
// what begins there on the way to the tip. What the latter costs grows with the
// distance to the tip.
func (t *transcript) read(fresh bool, end history.ID, depth int) tea.Cmd {
	t.reading = true
	c, tip, chunk := t.conversation.ID, t.conversation.Tip, t.chunk
	return func() tea.Msg {
		r := chunkRead{conversation: c, fresh: fresh, upward: depth == 0}
		q := history.PathQuery{Conversation: c, Tip: end, Newest: chunk}
		if depth > 0 {
			last, err := t.store.Entry(t.ctx, c, tip)
			if err != nil {
				r.err = err
				return r
			}
			q.Tip, q.Newest = tip, last.Depth-depth+1
		}
		if q.Tip != (history.ID{}) {
			r.take(t.store.Path(t.ctx, q), chunk)
		}
		return r
	}
}

// take takes at most so many entries.
func (r *chunkRead) take(path iter.Seq2[history.Entry, error], most int) {
	for e, err := range path {
		var damaged *history.DamagedError
		switch {
		case errors.As(err, &damaged):
			r.damaged++
			continue
		case err != nil:
			r.err = err
			return
		}
		if len(r.entries) == 0 {
			r.before = e.Parent
		}
		if r.entries = append(r.entries, e); len(r.entries) == most {
			return
		}
	}
}

// take shows what was read.
func (t *transcript) take(r chunkRead) {
	if r.conversation != t.conversation.ID {
		return
	}
	t.reading = false
	switch {
	case r.err != nil:
		t.fail(r)
		return
	case r.fresh && r.upward:
		t.blocks, t.before, t.next = append(group(nil, r.entries), t.lastNotices()...), r.before, t.behind(r.entries)
		t.bottom()
	case r.fresh:
		t.blocks, t.before, t.next = group(nil, r.entries), r.before, t.behind(r.entries)
		t.last, t.line, t.following = 0, 1, false
	case r.upward:
		blocks := group(nil, r.entries)
		t.blocks, t.before = join(blocks, t.blocks), r.before
		t.last += len(blocks)
	default:
		t.blocks, t.next = group(t.blocks, r.entries), t.behind(r.entries)
		if t.following {
			t.bottom()
		}
	}
	t.letGo()
	if r.damaged > 0 {
		t.notify(words.Count(r.damaged, "entry") + " of the path cannot be read; stemma check says more.")
	}
}

// behind is the depth of what follows some entries of the path; 0 where they end
// at the tip.
func (t *transcript) behind(entries []history.Entry) int {
	if n := len(entries); n > 0 && entries[n-1].ID != t.conversation.Tip {
		return entries[n-1].Depth + 1
	}
	return 0
}

// fail says that a piece could not be read. What is there stays, and stands at
// the end of the path from now on.
func (t *transcript) fail(r chunkRead) {
	switch {
	case r.fresh:
	case r.upward:
		t.before = history.ID{}
	default:
		t.next = 0
	}
	t.notify("The conversation could not be read: " + r.err.Error())
}
