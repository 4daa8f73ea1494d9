package history_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/memory"
	"github.com/stemma-history/stemma/message"
)

// book is a conversation that a test writes.
type book struct {
	t *testing.T
	history.Store
	id history.ID
}

func newBook(t *testing.T) book {
	b := book{t, memory.New(memory.Options{}), history.NewID()}
	if err := b.Create(t.Context(), history.Conversation{ID: b.id}); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b book) conversation() history.Conversation {
	c, err := b.Conversation(b.t.Context(), b.id)
	if err != nil {
		b.t.Fatal(err)
	}
	return c
}

// prompts appends prompts at the tip and returns the last of them.
func (b book) prompts(texts ...string) history.Entry {
	b.t.Helper()
	var last history.Entry
	for _, text := range texts {
		m := message.Prompt(text)
		tip := b.conversation().Tip
		stored, err := b.Append(b.t.Context(), history.AppendRequest{Conversation: b.id, Parent: tip, ExpectedTip: tip, Entries: []history.Entry{{Message: &m}}})
		if err != nil {
			b.t.Fatal(err)
		}
		last = stored[0]
	}
	return last
}

func (b book) boundary(entry history.ID) history.Boundary {
	b.t.Helper()
	at, err := history.BoundaryAt(b.t.Context(), b, b.id, entry)
	if err != nil {
		b.t.Fatal(err)
	}
	return at
}

func (b book) moveTip(entry history.ID) {
	b.t.Helper()
	if err := b.MoveTip(b.t.Context(), b.boundary(entry), b.conversation().Tip); err != nil {
		b.t.Fatal(err)
	}
}

func (b book) mark(name string, entry history.ID) history.Checkpoint {
	b.t.Helper()
	m, err := b.Mark(b.t.Context(), b.boundary(entry), history.Checkpoint{Name: name, SetBy: message.ByPerson})
	if err != nil {
		b.t.Fatal(err)
	}
	return m
}

func TestHandlesNameEntriesOfTheirPath(t *testing.T) {
	b := newBook(t)
	two := b.prompts("1", "2")
	four := b.prompts("3", "4")
	b.moveTip(two.ID)
	other := b.prompts("another 3")
	for _, test := range []struct {
		tip   history.ID
		depth int
		want  string // empty: there is none
	}{
		{four.ID, 1, "1"}, {four.ID, 3, "3"}, {four.ID, 4, "4"}, {other.ID, 3, "another 3"}, {other.ID, 4, ""}, {four.ID, 0, ""},
	} {
		e, err := history.EntryAt(t.Context(), b, b.id, test.tip, history.Handle{Depth: test.depth})
		if test.want == "" {
			if !errors.Is(err, history.ErrNotFound) {
				t.Errorf("%d: %v", test.depth, err)
			}
			continue
		}
		if err != nil || e.Message.PlainText() != test.want {
			t.Errorf("%d is %v, %v; want %q", test.depth, e.Message, err, test.want)
		}
	}
}

func TestDiffSaysWherePathsPart(t *testing.T) {
	b := newBook(t)
	two := b.prompts("1", "2")
	a := b.prompts("3", "4")
	b.moveTip(two.ID)
	other := b.prompts("another 3")
	none := func(message.ToolCall) string { return "" }

	d, err := history.Diff(t.Context(), b, b.id, a.ID, other.ID, none)
	if err != nil {
		t.Fatal(err)
	}
	if want := (history.Parting{Last: two.ID, Depth: 2, ADepth: 4, BDepth: 3}); d.Parting != want {
		t.Errorf("parting %+v, want %+v", d.Parting, want)
	}
	if len(d.A.Prompts) != 2 || len(d.B.Prompts) != 1 || d.B.Prompts[0].Text != "another 3" || d.B.Tip != other.ID {
		t.Errorf("A %+v, B %+v", d.A, d.B)
	}
	if d, err = history.Diff(t.Context(), b, b.id, two.ID, a.ID, none); err != nil || d.Last != two.ID || d.A.Entries != 0 || d.B.Entries != 2 {
		t.Errorf("an entry and one below: %+v, %v", d, err)
	}
	if _, err = history.Diff(t.Context(), b, b.id, a.ID, history.NewID(), none); !errors.Is(err, history.ErrNotFound) {
		t.Errorf("an entry that is not there: %v", err)
	}
}

func TestMarksAreFoundOnThePath(t *testing.T) {
	b := newBook(t)
	one := b.prompts("1")
	first := b.mark("m", one.ID)
	two := b.prompts("2")
	b.moveTip(one.ID)
	other := b.prompts("another 2")
	second := b.mark("m", other.ID)

	for tip, want := range map[history.ID]history.ID{two.ID: first.ID, other.ID: second.ID} {
		m, err := history.MarkOnPath(t.Context(), b, b.id, tip, "m")
		if err != nil || m.ID != want {
			t.Errorf("found %+v, %v", m, err)
		}
	}
	b.mark("elsewhere", other.ID)
	if _, err := history.MarkOnPath(t.Context(), b, b.id, two.ID, "elsewhere"); !errors.Is(err, history.ErrOtherBranch) {
		t.Errorf("a mark on another branch: %v", err)
	}
	if _, err := history.MarkOnPath(t.Context(), b, b.id, two.ID, "never"); !errors.Is(err, history.ErrNotFound) {
		t.Errorf("a name that was never set: %v", err)
	}
}

// TestRewindReturnsToItsMark is P8, and P1 for what was explored.
func TestRewindReturnsToItsMark(t *testing.T) {
	b := newBook(t)
	one := b.prompts("1")
	m := b.mark("m", one.ID)
	for i, want := range []string{"first", "first\n\nsecond", "first\n\nsecond\n\nthird"} {
		left := b.prompts("explore")
		digest, err := history.Rewind(t.Context(), b, b.conversation(), m, []string{"first", "second", "third"}[i])
		if err != nil {
			t.Fatal(err)
		}
		if digest.Parent != one.ID || digest.Left != left.ID || b.conversation().Tip != digest.ID {
			t.Errorf("the digest stands under %v, left %v", digest.Parent, digest.Left)
		}
		if got := digest.Message.PlainText(); got != want {
			t.Errorf("the digest is %q, want %q", got, want)
		}
		if e, err := b.Entry(t.Context(), b.id, left.ID); err != nil || e.Message.PlainText() != "explore" {
			t.Errorf("what was explored is gone: %v", err)
		}
	}
}

// movedBehind moves the tip behind the back of whoever has just read the path.
type movedBehind struct {
	book
	moved history.Entry
}

func (b *movedBehind) Append(ctx context.Context, r history.AppendRequest) ([]history.Entry, error) {
	b.moved = b.prompts("someone else's")
	return b.book.Append(ctx, r)
}

// TestRewindTellsOfAnotherWriter is P6: the digest is kept as a branch.
func TestRewindTellsOfAnotherWriter(t *testing.T) {
	b := &movedBehind{book: newBook(t)}
	one := b.prompts("1")
	m := b.mark("m", one.ID)
	b.prompts("2")
	digest, err := history.Rewind(t.Context(), b, b.conversation(), m, "learned")
	if !errors.Is(err, history.ErrTipMoved) {
		t.Fatalf("rewound all the same: %v", err)
	}
	if b.conversation().Tip != b.moved.ID {
		t.Error("the tip is not where the other writer put it")
	}
	if e, err := b.Entry(t.Context(), b.id, digest.ID); err != nil || e.Parent != one.ID {
		t.Errorf("the digest is not kept: %v", err)
	}
}

// TestRewindRefusesAMarkInsideATurn is P8: an imported mark is not moved to a
// neighbour.
func TestRewindRefusesAMarkInsideATurn(t *testing.T) {
	b := newBook(t)
	call := message.Message{Role: message.Assistant, Author: message.ByModel, Settled: true, Parts: []message.Part{message.ToolCall{ID: "c", Name: "ls", Arguments: []byte(`{}`)}}}
	result := message.Results(message.ToolResult{CallID: "c"})
	ids := []history.ID{history.NewID(), history.NewID()}
	mark := history.Checkpoint{ID: history.NewID(), Name: "m", Entry: ids[0], SetBy: message.ByPerson}
	_, err := b.Import(t.Context(), history.ImportRequest{
		Conversation: b.conversation(),
		Entries: []history.Entry{
			{ID: ids[0], Source: "a", Message: &call},
			{ID: ids[1], Parent: ids[0], Source: "b", Message: &result},
		},
		Checkpoints: []history.Checkpoint{mark},
		Tip:         ids[1],
	})
	if err != nil {
		t.Fatal(err)
	}
	tip := b.prompts("go on")
	var inside *history.MidTurnError
	if _, err := history.Rewind(t.Context(), b, b.conversation(), mark, "x"); !errors.As(err, &inside) {
		t.Errorf("rewound to the middle of a turn: %v", err)
	}
	if b.conversation().Tip != tip.ID {
		t.Error("the tip moved")
	}
}
