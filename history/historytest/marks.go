package historytest

import (
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

func markTests() []test {
	return []test{
		{"P8 a checkpoint stays on the entry it was set on", marked},
		{"a checkpoint is set once, however often it is tried", markedAgain},
		{"pins stay in the order they were set", pinned},
	}
}

func marked(f fixture) {
	id := f.create()
	stored := f.append(id, append([]history.Entry{prompt("a")}, turn("x")...)...)
	created := time.Date(2025, 1, 2, 3, 4, 5, 678912345, time.UTC)
	m, err := f.Mark(f.Context(), f.boundary(id, stored[0].ID), history.Checkpoint{Name: "m", SetBy: message.ByModel, Created: created, Entry: stored[1].ID})
	f.must(err)
	want := history.Checkpoint{ID: m.ID, Conversation: id, Name: "m", Entry: stored[0].ID, SetBy: message.ByModel, Created: created.Truncate(time.Microsecond)}
	if m.ID == none {
		f.Error("the mark has no id")
	}
	equal(f, "the mark", m, want)
	second := f.mark(id, stored[2].ID, "m")
	third := f.mark(id, stored[0].ID, "n")
	f.append(id, compaction(3), prompt("b"))
	f.must(f.MoveTip(f.Context(), f.boundary(id, stored[0].ID), f.conversation(id).Tip))
	marks, err := f.Checkpoints(f.Context(), id)
	f.must(err)
	equal(f, "the marks", marks, []history.Checkpoint{third, second, want})
	_, err = f.Mark(f.Context(), f.boundary(id, stored[0].ID), history.Checkpoint{})
	if err == nil {
		f.Error("a mark without a name was stored")
	}
}

func markedAgain(f fixture) {
	id := f.create()
	stored := f.append(id, prompt("a"), prompt("b"))
	m := f.mark(id, stored[0].ID, "m")
	again, err := f.Mark(f.Context(), f.boundary(id, stored[0].ID), m)
	f.must(err)
	equal(f, "the mark", again, m)
	_, err = f.Mark(f.Context(), f.boundary(id, stored[1].ID), m)
	f.refuses(err, history.ErrExists)
	marks, err := f.Checkpoints(f.Context(), id)
	f.must(err)
	equal(f, "the marks", marks, []history.Checkpoint{m})
}

func pinned(f fixture) {
	id := f.create()
	stored := f.append(id, prompt("a"), prompt("b"), prompt("c"))
	ctx := f.Context()
	for _, i := range []int{2, 0, 1, 2, 0} {
		f.must(f.Pin(ctx, id, stored[i].ID))
	}
	f.must(f.Unpin(ctx, id, stored[0].ID))
	f.must(f.Unpin(ctx, id, stored[0].ID))
	f.must(f.Unpin(ctx, id, history.NewID()))
	pins, err := f.Pins(ctx, id)
	f.must(err)
	equal(f, "the pins", pins, []history.ID{stored[2].ID, stored[1].ID})
	f.must(f.Pin(ctx, id, stored[0].ID))
	pins, err = f.Pins(ctx, id)
	f.must(err)
	equal(f, "the pins", pins, []history.ID{stored[2].ID, stored[1].ID, stored[0].ID})
}
