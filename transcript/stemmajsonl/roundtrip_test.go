package stemmajsonl

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
)

// everything is all that a store tells of a conversation.
type everything struct {
	Conversation history.Conversation
	Nodes        []history.Node
	Entries      []history.Entry
	Checkpoints  []history.Checkpoint
	Pins         []history.ID
	Queue        []history.QueuedPrompt
	Blobs        map[message.Hash]message.Blob
}

func read(ctx context.Context, t interface{ Fatal(...any) }, s history.Store, id history.ID) everything {
	var all everything
	var errs [5]error
	all.Conversation, errs[0] = s.Conversation(ctx, id)
	all.Nodes, errs[1] = history.Collect(s.Nodes(ctx, id))
	all.Checkpoints, errs[2] = s.Checkpoints(ctx, id)
	all.Pins, errs[3] = s.Pins(ctx, id)
	all.Queue, errs[4] = s.Queue(ctx, id)
	all.Blobs = map[message.Hash]message.Blob{}
	keep := func(h message.Hash) {
		if b, err := s.Blob(ctx, h); err == nil {
			all.Blobs[h] = b
		}
	}
	for _, n := range all.Nodes {
		e, err := s.Entry(ctx, id, n.ID)
		errs[0] = errors.Join(errs[0], err)
		all.Entries = append(all.Entries, e)
		keep(e.Frame)
		if e.Message != nil {
			eachMedia(e.Message.Parts, keep)
		}
	}
	for _, q := range all.Queue {
		eachMedia(q.Message.Parts, keep)
	}
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	return all
}

func eachMedia(parts []message.Part, f func(message.Hash)) {
	for _, p := range parts {
		switch p := p.(type) {
		case message.Image:
			f(p.Blob)
		case message.Document:
			f(p.Blob)
		case message.ToolResult:
			for _, c := range p.Content {
				eachMedia([]message.Part{c}, f)
			}
		}
	}
}

// sameTree compares all but what belongs to the store: when it was written to
// last, and where an import put the tip.
func sameTree(t interface{ Fatalf(string, ...any) }, got, want everything) {
	got.Conversation.Updated, want.Conversation.Updated = got.Conversation.Created, got.Conversation.Created
	got.Conversation.ImportedTip, want.Conversation.ImportedTip = history.ID{}, history.ID{}
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	for i := range g.NumField() {
		if !reflect.DeepEqual(g.Field(i).Interface(), w.Field(i).Interface()) {
			t.Fatalf("%s came back as\n%+v\nwas\n%+v", g.Type().Field(i).Name, g.Field(i), w.Field(i))
		}
	}
}

func exported(ctx context.Context, t interface{ Fatal(...any) }, s history.Store, id history.ID) []byte {
	var file bytes.Buffer
	if err := Write(ctx, s, id, &file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func imported(ctx context.Context, t interface{ Fatal(...any) }, s history.Store, file []byte, owner string) transcript.Report {
	report, err := Read(ctx, bytes.NewReader(file), s, transcript.Options{Owner: owner})
	if err != nil {
		t.Fatal(err)
	}
	if report.ProblemCount > 0 {
		t.Fatal("problems:", report.Problems)
	}
	return report
}

func withoutHeader(file []byte) []byte {
	_, rest, _ := bytes.Cut(file, []byte("\n"))
	return rest
}

func TestP1ExportThenImportGivesAnEqualTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := grow(t)
		file := exported(t.Context(), t, g.store, g.conversation)
		other := newStore()
		report := imported(t.Context(), t, other, file, "ann")
		want := read(t.Context(), t, g.store, g.conversation)
		if in := report.Conversations[0]; in.Conversation != g.conversation || in.Added != len(want.Nodes) || !in.Created {
			t.Fatalf("report: %+v", in)
		}
		sameTree(t, read(t.Context(), t, other, g.conversation), want)
		if again := exported(t.Context(), t, other, g.conversation); !bytes.Equal(withoutHeader(again), withoutHeader(file)) {
			t.Fatalf("a second export differs:\n%s\nwas\n%s", again, file)
		}
	})
}

func TestImportingAgainAddsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := grow(t)
		file := exported(t.Context(), t, g.store, g.conversation)
		for _, owner := range []string{"ann", "ben"} { // into the origin, and as a copy
			imported(t.Context(), t, g.store, file, owner)
			report := imported(t.Context(), t, g.store, file, owner)
			if in := report.Conversations[0]; in.Added != 0 || in.Created {
				t.Fatalf("%s: again: %+v", owner, in)
			}
		}
		if again := exported(t.Context(), t, g.store, g.conversation); !bytes.Equal(withoutHeader(again), withoutHeader(file)) {
			t.Fatalf("the origin has changed:\n%s\nwas\n%s", again, file)
		}
	})
}

func TestACopyForAnotherOwnerSharesNoID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := grow(t)
		g.turn()
		file := exported(t.Context(), t, g.store, g.conversation)
		copied := imported(t.Context(), t, g.store, file, "ben").Conversations[0].Conversation
		origin, fork := read(t.Context(), t, g.store, g.conversation), read(t.Context(), t, g.store, copied)
		if fork.Conversation.Owner != "ben" || fork.Conversation.Source != (history.Source{}) || len(fork.Nodes) != len(origin.Nodes) {
			t.Fatalf("%+v with %d entries, %d were exported", fork.Conversation, len(fork.Nodes), len(origin.Nodes))
		}
		ids := map[history.ID]history.ID{{}: {}} // of the origin, by those of the copy
		for i, n := range fork.Nodes {
			if n.ID == origin.Nodes[i].ID {
				t.Fatalf("entry %v stands in both", n.ID)
			}
			ids[n.ID] = origin.Nodes[i].ID
			e, want := fork.Entries[i], origin.Entries[i]
			if e.Source != "" || ids[e.Parent] != want.Parent || ids[e.Left] != want.Left {
				t.Fatalf("entry %d of the copy hangs on %v and left %v", i, e.Parent, e.Left)
			}
			if !reflect.DeepEqual(e.Message, want.Message) || !reflect.DeepEqual(e.Seals, want.Seals) || e.Frame != want.Frame {
				t.Fatalf("entry %d of the copy says something else", i)
			}
		}
		if ids[fork.Conversation.Tip] != origin.Conversation.Tip || len(fork.Queue) != len(origin.Queue) {
			t.Fatalf("tip %v, %d queued", fork.Conversation.Tip, len(fork.Queue))
		}
		for i, pin := range fork.Pins {
			if ids[pin] != origin.Pins[i] {
				t.Fatalf("pin on %v", pin)
			}
		}
		for i, c := range fork.Checkpoints {
			if want := origin.Checkpoints[i]; c.ID == want.ID || c.Name != want.Name || ids[c.Entry] != want.Entry {
				t.Fatalf("checkpoint %+v, was %+v", c, want)
			}
		}
	})
}

func TestALaterFileAddsWhatIsNew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := grow(t)
		g.turn()
		other := newStore()
		imported(t.Context(), t, other, exported(t.Context(), t, g.store, g.conversation), "ann")
		before := g.tip()
		g.turn()
		g.turn()
		added := imported(t.Context(), t, other, exported(t.Context(), t, g.store, g.conversation), "ann").Conversations[0]
		got, want := read(t.Context(), t, other, g.conversation), read(t.Context(), t, g.store, g.conversation)
		if !reflect.DeepEqual(got.Entries, want.Entries) || added.Created {
			t.Fatalf("%d entries, want %d", len(got.Entries), len(want.Entries))
		}
		if got.Conversation.Tip != want.Conversation.Tip || !added.TipMoved {
			t.Fatalf("the tip is %v, the file moves it from %v to %v", got.Conversation.Tip, before, want.Conversation.Tip)
		}
	})
}

func TestDroppedPinsAndPromptsStayDropped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := grow(t)
		g.turn()
		g.must(g.store.Pin(t.Context(), g.conversation, g.boundaries[0]))
		g.enqueue()
		file := exported(t.Context(), t, g.store, g.conversation)
		other := newStore()
		imported(t.Context(), t, other, file, "ann")
		all := read(t.Context(), t, other, g.conversation)
		if len(all.Pins) == 0 || len(all.Queue) == 0 {
			t.Fatal("pins and prompts were not restored")
		}
		for _, pin := range all.Pins {
			g.must(other.Unpin(t.Context(), g.conversation, pin))
		}
		for _, p := range all.Queue {
			g.must(other.Dequeue(t.Context(), g.conversation, p.ID))
		}
		imported(t.Context(), t, other, file, "ann")
		if all := read(t.Context(), t, other, g.conversation); len(all.Pins)+len(all.Queue) > 0 {
			t.Fatalf("came back: pins %v, queue %v", all.Pins, all.Queue)
		}
	})
}
