package reclaim_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/wires"
	"github.com/stemma-history/stemma/wire/wiretest"
)

// A run is a conversation that grows, is sent, is compacted where that is due,
// and switches models.
type run struct {
	*rapid.T
	wire   wires.Wire
	path   []history.Entry
	before []string // the blocks of the request before; nil where the prefix may change
	window int
}

func (r *run) say(messages []message.Message) {
	for i := range messages {
		r.path = append(r.path, history.Entry{ID: history.NewID(), Depth: len(r.path) + 1, Message: &messages[i]})
	}
}

// send does what a run does before each request, and holds it to P2, P3, P9.
func (r *run) send(model catalog.Model) {
	p := reclaim.ProblemFor(model, wire.Frame{Model: wiretest.Model, Wire: r.wire.Name, System: []string{"Be brief."}}, r.path, nil, r.window)
	path, plan, err := reclaim.Ready(p)
	if err != nil {
		r.Fatalf("%s, window %d: %v", model.ID, p.Budget.Window, err)
	}
	if len(path) > len(r.path) {
		path[len(path)-1].ID = history.NewID()
		r.before = nil // one rewrite of the prefix
	}
	r.path = path
	p.Path = path
	account := reclaim.Context(p)
	if account.Total > p.Budget.Limit() {
		r.Fatalf("%s, window %d: %d tokens %+v", model.ID, p.Budget.Window, account.Total, plan)
	}
	view, err := reclaim.View(path, reclaim.DrawPage)
	if err != nil {
		r.Fatal(err)
	}
	body, err := r.wire.Encode(wire.Request{Frame: p.Frame, View: view, MaxOutput: 1000, ChecksThinking: model.ChecksThinking})
	if err != nil {
		r.Fatalf("%s, window %d: %v", model.ID, p.Budget.Window, err)
	}
	blocks, err := wiretest.Blocks(body.JSON)
	if err != nil {
		r.Fatal(err)
	}
	if n := len(r.before); n > 0 && (len(blocks) < n || !slices.Equal(blocks[:n], r.before)) {
		r.Fatalf("%s: the request does not begin with the one before:\n%s\n\n%s", r.wire.Name, strings.Join(r.before, "\n"), strings.Join(blocks, "\n"))
	}
	r.before = blocks
	covered(r.T, path)
}

// covered (P4) checks that each message that a model could get is in the view,
// or behind a text that says how to recall it. What another tool has left out
// stands behind that tool's own words.
func covered(t interface{ Fatalf(string, ...any) }, path []history.Entry) {
	var compactions []*history.Compaction
	imported := map[*history.Treatment]bool{}
	for _, e := range path {
		if e.Compaction == nil {
			continue
		}
		compactions = append(compactions, e.Compaction)
		for i := range e.Compaction.Treatments {
			imported[&e.Compaction.Treatments[i]] = e.Compaction.Reason.Trigger == history.ByImport
		}
	}
	fold := history.FoldTreatments(compactions)
	for _, s := range fold.Segments {
		if !imported[s.Treatment] && !strings.Contains(s.Text, "recall") {
			t.Fatalf("%v to %v stand behind %q", s.From, s.End, s.Text)
		}
	}
}

// TestP2P3P4P9EveryConversationGoesOn sends conversations of any kind over
// every wire to every model, in windows of any size, switching between models:
// nothing is refused, everything fits, and the prefix stays between compactions.
func TestP2P3P4P9EveryConversationGoesOn(t *testing.T) {
	models := catalog.Default().Models()
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.SampledFrom(wires.All()).Draw(t, "wire")
		r := run{T: t, wire: w, window: rapid.SampledFrom([]int{4000, 8000, 32_000, 200_000, 2_000_000}).Draw(t, "window")}
		model := rapid.SampledFrom(models).Draw(t, "model")
		for range rapid.IntRange(1, 4).Draw(t, "requests") {
			// A request is made at a turn boundary: no result comes after it.
			r.say([]message.Message{message.Prompt("Go on.")})
			r.say(wiretest.Path(w.Name).Draw(t, "path"))
			if rapid.IntRange(0, 3).Draw(t, "switch") == 0 {
				if next := rapid.SampledFrom(models).Draw(t, "to"); next.ID != model.ID {
					model, r.before = next, nil
				}
			}
			r.send(model)
		}
	})
}

// TestP1P10P13TheViewIsAProjection: planning, showing and sending a path
// changes nothing of it; the view is the same bytes again; and what people wrote
// stands in it as they wrote it, or behind a text that says so.
func TestP1P10P13TheViewIsAProjection(t *testing.T) {
	models := catalog.Default().Models()
	rapid.Check(t, func(t *rapid.T) {
		r := run{T: t, wire: rapid.SampledFrom(wires.All()).Draw(t, "wire"), window: rapid.SampledFrom([]int{4000, 8000, 32_000, 200_000, 2_000_000}).Draw(t, "window")}
		model := rapid.SampledFrom(models).Draw(t, "model")
		for range rapid.IntRange(1, 4).Draw(t, "paths") {
			r.say([]message.Message{message.Prompt(rapid.StringN(1, 60, 200).Draw(t, "prompt") + ".")})
			r.say(wiretest.Path(r.wire.Name).Draw(t, "path"))
		}
		before := stored(r.path)
		entries := r.path
		r.send(model)
		if after := stored(entries); !slices.Equal(before, after) {
			t.Fatal("the path has changed")
		}
		view, err := reclaim.View(r.path, reclaim.DrawPage)
		if err != nil {
			t.Fatal(err)
		}
		again, err := reclaim.View(r.path, reclaim.DrawPage)
		if err != nil || !reflect.DeepEqual(view, again) {
			t.Fatalf("the view of the same path is another (%v)", err)
		}
		wordForWord(t, r.path, view)
	})
}

// stored is what the entries of a path hold.
func stored(path []history.Entry) []string {
	lines := make([]string, len(path))
	for i, e := range path {
		if e.Message != nil {
			lines[i] = fmt.Sprintf("%+v", *e.Message)
		}
	}
	return lines
}

// wordForWord (P13) checks the texts of people in a view.
func wordForWord(t *rapid.T, path []history.Entry, view wire.View) {
	shown := map[int]wire.Message{}
	for _, m := range view.Messages {
		shown[m.At.Depth] = m
	}
	newest := 0
	for _, e := range path {
		if e.Message == nil || e.Message.Author != message.ByPerson {
			continue
		}
		if e.Message.IsPrompt() {
			newest = e.Depth
		}
		m, ok := shown[e.Depth]
		if !ok || m.Author != message.ByPerson {
			continue // behind a treatment; P4 is tested elsewhere
		}
		for i, p := range e.Message.Parts {
			text, ok := p.(message.Text)
			if !ok || i >= len(m.Parts) {
				continue
			}
			if got, ok := m.Parts[i].(message.Text); !ok || got.Text != text.Text && !strings.Contains(got.Text, fmt.Sprintf("recall %d.%d", e.Depth, i+1)) {
				t.Fatalf("entry %d part %d: %q became %+v", e.Depth, i+1, text.Text, m.Parts[i])
			}
		}
	}
	if m, ok := shown[newest]; newest > 0 && (!ok || m.Author != message.ByPerson) {
		t.Fatalf("the newest prompt, entry %d, is not in the view", newest)
	}
}

// TestP12ACompactionPays: it frees a twentieth, or the view could not be sent.
func TestP12ACompactionPays(t *testing.T) {
	model, _, _ := catalog.Default().Find("claude-opus-5")
	rapid.Check(t, func(t *rapid.T) {
		r := run{T: t, wire: wires.All()[0]}
		for range rapid.IntRange(1, 4).Draw(t, "paths") {
			r.say(wiretest.Path(r.wire.Name).Draw(t, "path"))
		}
		p := reclaim.ProblemFor(model, wire.Frame{Model: wiretest.Model}, r.path, nil, rapid.SampledFrom([]int{8000, 200_000}).Draw(t, "window"))
		plan, err := reclaim.Make(p)
		var fit *reclaim.FitError
		if errors.As(err, &fit) {
			t.Fatal(err)
		}
		if plan.Compaction == nil {
			if plan.Before > p.Budget.Limit() || plan.Why == "" {
				t.Fatalf("%d tokens, nothing done: %q", plan.Before, plan.Why)
			}
			return
		}
		if (plan.Before-plan.After)*20 < plan.Before && plan.Before <= p.Budget.Limit() {
			t.Fatalf("%d -> %d tokens", plan.Before, plan.After)
		}
		after := p
		after.Path = append(p.Path[:len(p.Path):len(p.Path)], history.Entry{ID: history.NewID(), Depth: len(p.Path) + 1, Compaction: plan.Compaction})
		if again, err := reclaim.Make(after); err != nil || again.Before != plan.After {
			t.Fatalf("planned %d tokens, it has %d (%v)", plan.After, again.Before, err)
		}
	})
}
