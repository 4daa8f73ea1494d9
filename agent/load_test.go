package agent_test

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/agent"
	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider/providertest"
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/wire"
)

// A counting store counts the entries that are read.
type counting struct {
	history.Store
	read int
}

func (c *counting) Entry(ctx context.Context, conversation, id history.ID) (history.Entry, error) {
	c.read++
	return c.Store.Entry(ctx, conversation, id)
}

func (c *counting) Path(ctx context.Context, q history.PathQuery) iter.Seq2[history.Entry, error] {
	return c.count(c.Store.Path(ctx, q))
}

func (c *counting) Compactions(ctx context.Context, conversation, entry history.ID) iter.Seq2[history.Entry, error] {
	return c.count(c.Store.Compactions(ctx, conversation, entry))
}

func (c *counting) count(entries iter.Seq2[history.Entry, error]) iter.Seq2[history.Entry, error] {
	return func(yield func(history.Entry, error) bool) {
		for e, err := range entries {
			c.read++
			if !yield(e, err) {
				return
			}
		}
	}
}

// TestALimitedResumeReadsWhatItShows: what it costs does not grow with the path.
func TestALimitedResumeReadsWhatItShows(t *testing.T) {
	for _, branched := range []bool{false, true} { // in the head, where the root is not the only one
		for _, exchanges := range []int{300, 3000} {
			b := newBench(t, models[0], providertest.Config{Script: providertest.In(providertest.Say("Yes."))})
			if branched {
				other := message.Prompt("said otherwise first")
				if _, err := b.store.Append(t.Context(), history.AppendRequest{Conversation: b.id, Entries: []history.Entry{{Message: &other}}}); err != nil {
					t.Fatal(err)
				}
			}
			b.fill(exchanges)
			counted := &counting{Store: b.store}
			b.config.Store, b.config.Limit = counted, history.Limit{Entries: 40}
			b.open()
			if b.found.Entries != 2*exchanges+1 || b.found.Trimmed < 2*exchanges-60 {
				t.Fatalf("%+v", b.found)
			}
			if counted.read > 200 {
				t.Errorf("%d entries were read of %d", counted.read, 2*exchanges)
			}
			b.prompt("Are you there?")
		}
	}
}

// fill stores exchanges of two entries, from a root of their own.
func (b *bench) fill(exchanges int) {
	b.Helper()
	var entries []history.Entry
	for i := range exchanges {
		prompt := message.Prompt(fmt.Sprint("Are you there? ", i))
		answer := message.Message{Role: message.Assistant, Author: message.ByModel, Parts: []message.Part{message.Text{Text: "Yes."}}}
		entries = append(entries, history.Entry{Message: &prompt}, history.Entry{Message: &answer})
	}
	c, err := b.store.Conversation(b.Context(), b.id)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := b.store.Append(b.Context(), history.AppendRequest{Conversation: b.id, ExpectedTip: c.Tip, Entries: entries}); err != nil {
		b.Fatal(err)
	}
}

// TestP9APartlyReadPathShowsWhatTheWholeDoes: the view is the same, byte for byte,
// also after further compactions and for those who read everything.
func TestP9APartlyReadPathShowsWhatTheWholeDoes(t *testing.T) {
	limits := []int{6, 20, 40}
	if raceEnabled { // which takes ten times as long
		limits = []int{20}
	}
	for _, model := range []string{"claude-opus-5-5", "devstral"} { // one that reads pages, and a blind one
		for _, limit := range limits {
			t.Run(fmt.Sprint(model, "/", limit), func(t *testing.T) {
				look := &probe{name: "read", readOnly: true}
				script := func(a providertest.Ask) providertest.Answer {
					if len(a.Results()) > 0 {
						return providertest.Say(providertest.Words(300))
					}
					return providertest.Answer{}.Think("Hm.").Call("read", fmt.Sprintf(`{"path":"f%d"}`, a.Number))
				}
				b := newBench(t, model, providertest.Config{Window: 24_000, Script: script}, with(look), func(c *agent.Config) {
					c.Compaction.Budget = aimingAt(15_600) // so that pages show the middle from its beginning, and grow
				})
				compactions := 0
				talk := func(n int) {
					for i := range n {
						compactions += len(of[agent.Compacted](b.prompt(fmt.Sprintf("%d %s", i, providertest.Words(700)))))
						b.sameView()
					}
				}
				talk(5)
				pinned := b.run.Path()[4]
				if err := b.store.Pin(t.Context(), b.id, pinned.ID); err != nil {
					t.Fatal(err)
				}
				if _, err := b.run.Checkpoint(t.Context(), "early"); err != nil {
					t.Fatal(err)
				}
				talk(20)
				if compactions == 0 {
					t.Fatal("no room was made: the test shows nothing")
				}
				b.config.Limit = history.Limit{Entries: limit}
				b.open()
				if len(b.found.Dropped) != 1 || b.found.Trimmed == 0 || len(b.run.Path()) >= b.found.Entries {
					t.Fatalf("%d of %d entries are read, %d trimmed, dropped %+v", len(b.run.Path()), b.found.Entries, b.found.Trimmed, b.found.Dropped)
				}
				b.sameView()
				if view := b.viewOf(b.run.Path()); !strings.Contains(said(view), "this run is held to its newest messages") || !strings.Contains(said(view), pinned.Message.PlainText()) {
					t.Errorf("the line, or the pinned entry, is missing: %.300s", said(view))
				}
				compactions = 0
				talk(25)
				if compactions == 0 {
					t.Error("no room was made after the trim: the test shows less than it should")
				}
				b.open()
				b.sameView()
				for _, r := range b.fake.Journal().Refused() {
					t.Errorf("request %d: %s", r.Number, r.Refused)
				}
			})
		}
	}
}

// TestATrimTakesPagesApartAtItsCut: what they showed of the kept entries stands as
// text again, and a result that was too long for that from the beginning as short
// as it was.
func TestATrimTakesPagesApartAtItsCut(t *testing.T) {
	long := providertest.Words(4000)
	look := &probe{name: "read", readOnly: true, do: func(context.Context, tool.Call) tool.Result { return tool.Text(long) }}
	script := func(a providertest.Ask) providertest.Answer {
		if len(a.Results()) > 0 {
			return providertest.Say(providertest.Words(300))
		}
		return providertest.Call("read", `{"path":"f"}`)
	}
	b := newBench(t, models[0], providertest.Config{Window: 24_000, Script: script}, with(look), func(c *agent.Config) {
		c.Compaction.Budget = aimingAt(15_600)
	})
	var pages history.Treatment
	for i := 0; pages.As == ""; i++ {
		if i == 20 {
			t.Fatal("nothing was put on pages: the test shows nothing")
		}
		for _, c := range of[agent.Compacted](b.prompt(fmt.Sprintf("%d %s", i, providertest.Words(700)))) {
			for _, treatment := range c.Entry.Compaction.Treatments {
				if treatment.As == history.AsPages {
					pages = treatment
				}
			}
		}
	}
	path := b.stored()
	at := slices.IndexFunc(path, func(e history.Entry) bool {
		return e.Message != nil && e.Message.Role == message.Tool && pages.To.Depth-e.Depth < 12
	})
	b.config.Limit = history.Limit{Entries: len(path) - at + 2} // from the prompt before its call on
	b.open()
	b.sameView()
	for _, m := range b.viewOf(b.run.Path()).Messages {
		if m.At.Depth != path[at].Depth {
			continue
		}
		if text := resultsOf(path[at])[0].PlainText(); text != long {
			t.Fatal("the result that is looked at is another one")
		}
		if shown := resultsOf(history.Entry{Message: &m.Message})[0].PlainText(); strings.Contains(shown, long) {
			t.Error("it is shown whole")
		}
		return
	}
	t.Errorf("entry %d is not shown: %.1000s", path[at].Depth, said(b.viewOf(b.run.Path())))
}

// sameView checks that the run shows what its whole stored path does.
func (b *bench) sameView() {
	b.Helper()
	if part, whole := b.viewOf(b.run.Path()), b.viewOf(b.stored()); !reflect.DeepEqual(part, whole) {
		b.Fatalf("the run shows %d messages, its whole path %d:\n%.2000s\n---\n%.2000s", len(part.Messages), len(whole.Messages), said(part), said(whole))
	}
}

func (b *bench) viewOf(path []history.Entry) wire.View {
	b.Helper()
	view, err := reclaim.View(path, reclaim.DrawPage)
	if err != nil {
		b.Fatal(err)
	}
	return view
}

func said(v wire.View) string {
	var text strings.Builder
	for _, m := range v.Messages {
		fmt.Fprintf(&text, "%v %s: %s\n", m.At, m.Role, m.PlainText())
	}
	return text.String()
}

// TestGoingBackBehindATrimReadsAll: what stood behind its line is shown again.
func TestGoingBackBehindATrimReadsAll(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(b *bench) error
		tip  int // entries of the path then
	}{
		{"retry", func(b *bench) error { return failed(b.run.Retry(b.Context(), agent.Retry{Again: true})) }, 600},
		{"rewind", func(b *bench) error { return failed(b.run.Rewind(b.Context(), "late", "what I know")) }, 599},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, models[0], providertest.Config{Script: providertest.In(providertest.Say("Yes."))})
			b.fill(299)
			b.open()
			if _, err := b.run.Checkpoint(t.Context(), "late"); err != nil {
				t.Fatal(err)
			}
			b.prompt("Are you there?")
			b.config.Limit = history.Limit{Entries: 10}
			b.open()
			if len(b.run.Path()) > 100 || len(b.found.Dropped) != 0 {
				t.Fatalf("%d entries are read, %+v", len(b.run.Path()), b.found)
			}
			if err := c.do(b); err != nil {
				t.Fatal(err)
			}
			if n := len(b.stored()); n != c.tip || len(b.run.Path()) != n {
				t.Errorf("%d entries are stored, the run has %d", n, len(b.run.Path()))
			}
			b.sameView()
		})
	}
}

func failed(events agent.Events) error {
	_, err := all(events)
	return err
}

// TestRecallReachesWhatALimitedRunHasNotRead.
func TestRecallReachesWhatALimitedRunHasNotRead(t *testing.T) {
	var results []message.ToolResult
	script := func(a providertest.Ask) providertest.Answer {
		if results = a.Results(); len(results) > 0 {
			return providertest.Say("I see.")
		}
		return providertest.Call("recall", `{"handle":"101"}`)
	}
	b := newBench(t, models[0], providertest.Config{Script: script})
	b.fill(300)
	b.config.Limit = history.Limit{Entries: 10}
	b.open()
	b.prompt("What was 101?")
	if len(results) != 1 || !strings.Contains(results[0].PlainText(), "Are you there? 50") {
		t.Errorf("%+v", results)
	}
}
