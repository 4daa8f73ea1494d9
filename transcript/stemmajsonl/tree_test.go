package stemmajsonl

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/memory"
	"github.com/stemma-history/stemma/message"
)

// counted gives out ids and times in order, the same in every run.
type counted struct{ n uint64 }

func (c *counted) id() history.ID {
	c.n++
	var id history.ID
	binary.BigEndian.PutUint64(id[8:], c.n)
	id[6], id[8] = 0x70, 0x80
	return id
}

func (c *counted) now() time.Time {
	c.n++
	return time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC).Add(time.Duration(c.n) * 1234567 * time.Nanosecond)
}

func newStore() *memory.Store {
	c := &counted{}
	return memory.New(memory.Options{Now: c.now, NewID: c.id})
}

// grower grows a tree by random steps, all of them things a store lets happen.
type grower struct {
	*rapid.T
	store        *memory.Store
	conversation history.ID
	boundaries   []history.ID
}

func grow(t *rapid.T) *grower {
	g := &grower{T: t, store: newStore(), conversation: history.NewID()}
	g.must(g.store.Create(t.Context(), history.Conversation{
		ID: g.conversation, Title: g.words("title"), Directory: g.words("directory"), Model: "m-1", Owner: "ann",
		ForkedFrom: history.Link{Conversation: history.NewID(), Entry: history.NewID()},
		SpawnedBy:  history.Link{Conversation: history.NewID()},
	}))
	steps := []func(){g.turn, g.turn, g.turn, g.compact, g.moveTip, g.mark, g.rewind, g.pin, g.enqueue, g.importMore}
	for range rapid.IntRange(0, 30).Draw(t, "steps") {
		rapid.SampledFrom(steps).Draw(t, "step")()
	}
	return g
}

func (g *grower) must(err error) {
	if err != nil {
		g.Fatal(err)
	}
}

// words draws strings of all kinds: bytes that are no UTF-8, lone surrogates,
// line breaks, markup.
func (g *grower) words(label string) string {
	return rapid.OneOf(
		rapid.String(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
		rapid.SampledFrom([]string{"", "# heading\r\n> quote", "a\xed\xa0\x80b", "<&>\u2028", `{"type":"end"}`}),
	).Draw(g.T, label)
}

func (g *grower) json(label string) []byte {
	return []byte(rapid.SampledFrom([]string{
		`{"a":1}`, "{\n  \"a\": [ 1,\r\n 2 ]\n}", `{"lone":"\ud800"}`, `{"broken`, "\xff", `{"z":1.50,"a":"<&>"}`,
	}).Draw(g.T, label))
}

func (g *grower) parent() history.ID {
	if len(g.boundaries) == 0 || rapid.IntRange(0, 20).Draw(g.T, "new root") == 0 {
		return history.ID{}
	}
	return rapid.SampledFrom(g.boundaries).Draw(g.T, "parent")
}

func (g *grower) tip() history.ID {
	c, err := g.store.Conversation(g.T.Context(), g.conversation)
	g.must(err)
	return c.Tip
}

// append saves entries; half of the time below the tip, else as a branch that
// may or may not take the tip along.
func (g *grower) append(blobs []message.Blob, entries ...history.Entry) {
	tip := g.tip()
	r := history.AppendRequest{Conversation: g.conversation, Parent: tip, ExpectedTip: tip, Entries: entries, Blobs: blobs}
	if tip != (history.ID{}) && rapid.Bool().Draw(g.T, "branch") {
		r.Parent = g.parent()
		if rapid.Bool().Draw(g.T, "lost race") {
			r.ExpectedTip = history.NewID()
		}
	}
	stored, err := g.store.Append(g.T.Context(), r)
	if len(stored) == 0 {
		g.must(err)
	}
	g.boundaries = append(g.boundaries, stored[len(stored)-1].ID)
}

func (g *grower) turn() {
	switch rapid.IntRange(0, 2).Draw(g.T, "turn") {
	case 0:
		m := message.Prompt(g.words("prompt"))
		m.Parts = append(m.Parts, g.content()...)
		g.append(nil, history.Entry{Message: &m})
	case 1:
		frame := message.NewBlob("application/json", []byte(g.words("frame")))
		g.append([]message.Blob{frame}, history.Entry{
			Message: &message.Message{
				Role: message.Assistant, Author: message.ByModel, Wire: "anthropic", Model: "m-1", Stop: message.StopEnd,
				Parts: []message.Part{
					message.Thinking{Text: g.words("thinking"), Signature: "EqQB+/==", Raw: g.json("raw")},
					message.RedactedThinking{Data: g.words("data")},
					message.Text{Text: g.words("answer"), Signature: g.words("signature")},
				},
			},
			Usage: &history.Usage{Input: 7, CacheRead: 100, Output: 3, CostUSD: 0.25},
			Frame: frame.Hash, Seals: []message.Hash{message.HashOf([]byte("a")), message.HashOf([]byte("b"))},
		})
	default:
		name := g.words("tool")
		answer := message.Message{Role: message.Assistant, Author: message.ByModel, Parts: []message.Part{
			message.ToolCall{ID: "call_0", Name: name, Arguments: g.json("arguments")},
			message.ToolCall{ID: "call_1", Name: name, Arguments: []byte(`{}`)},
		}}
		result := message.Results(message.ToolResult{CallID: "call_0", Name: name, Outcome: message.Failed})
		for _, p := range g.content() {
			result.Parts[0] = withContent(result.Parts[0].(message.ToolResult), p.(message.Content))
		}
		if rapid.Bool().Draw(g.T, "interrupted") {
			answer.Settled = true
			g.append(nil, history.Entry{Message: &answer})
			return
		}
		second := message.Results(message.ToolResult{CallID: "call_1", Content: []message.Content{message.Text{Text: "ok"}}})
		g.append(nil, history.Entry{Message: &answer}, history.Entry{Message: &result}, history.Entry{Message: &second})
	}
}

func withContent(r message.ToolResult, c message.Content) message.ToolResult {
	r.Content = append(r.Content, c)
	return r
}

func (g *grower) content() []message.Part {
	all := []message.Part{
		message.Text{Text: g.words("text")},
		message.Text{Text: g.words("large") + strings.Repeat("x", message.LargeText)},
		message.Image{Media: message.Media{Type: "image/png", Data: []byte(g.words("image")), Name: "a.png"}, WidthPx: 3, HeightPx: 4},
		message.Image{Media: message.Media{Type: "image/png", URL: "https://example.com/a.png"}},
		message.Document{Media: message.Media{Type: "application/pdf", Data: []byte("pdf")}},
		message.Opaque{Format: "gemini", Raw: g.json("opaque")},
	}
	return rapid.SliceOfNDistinct(rapid.SampledFrom(all), 0, 2, func(p message.Part) string { return fmt.Sprintf("%T%v", p, p) }).Draw(g.T, "content")
}

func (g *grower) compact() {
	g.append(nil, history.Entry{Compaction: &history.Compaction{
		Treatments: []history.Treatment{
			{From: history.Handle{Depth: 1}, To: history.Handle{Depth: 2}, As: history.AsSummary, Text: "summary <&> " + strings.ToValidUTF8(g.words("summary"), "?")},
			{From: history.Handle{Depth: 3, Part: 1}, To: history.Handle{Depth: 3, Part: 2}, As: history.AsPages, Pages: &history.Pages{
				Shape: []byte(`{"cell":[6,13]}`), Renderer: 1, Pages: []history.Page{{End: 10, CRC: 7, Index: "index"}},
			}},
		},
		Reason: history.Reason{Trigger: history.ByRefusal, Used: 210_000, Limit: 200_000, Note: "too long"},
	}})
}

func (g *grower) boundary() (history.Boundary, bool) {
	if len(g.boundaries) == 0 {
		return history.Boundary{}, false
	}
	b, err := history.BoundaryAt(g.T.Context(), g.store, g.conversation, rapid.SampledFrom(g.boundaries).Draw(g.T, "boundary"))
	return b, err == nil
}

func (g *grower) moveTip() {
	if b, ok := g.boundary(); ok {
		g.must(g.store.MoveTip(g.T.Context(), b, g.tip()))
	}
}

func (g *grower) mark() {
	if b, ok := g.boundary(); ok {
		_, err := g.store.Mark(g.T.Context(), b, history.Checkpoint{Name: "m" + g.words("name"), SetBy: message.ByPerson})
		g.must(err)
	}
}

func (g *grower) rewind() {
	marks, err := g.store.Checkpoints(g.T.Context(), g.conversation)
	g.must(err)
	c, err := g.store.Conversation(g.T.Context(), g.conversation)
	g.must(err)
	if len(marks) == 0 {
		return
	}
	// A mark on another branch cannot be gone back to; that is no step then.
	if digest, err := history.Rewind(g.T.Context(), g.store, c, marks[0], "learned: "+g.words("digest")); err == nil {
		g.boundaries = append(g.boundaries, digest.ID)
	}
}

func (g *grower) pin() {
	if b, ok := g.boundary(); ok {
		g.must(g.store.Pin(g.T.Context(), g.conversation, b.Entry()))
	}
}

func (g *grower) enqueue() {
	m := message.Prompt(g.words("queued"))
	m.Parts = append(m.Parts, g.content()...)
	g.must(g.store.Enqueue(g.T.Context(), history.QueuedPrompt{Conversation: g.conversation, Message: m}))
}

// importMore adds what only an import may: sources, calls without results,
// results whose call is not on the path.
func (g *grower) importMore() {
	c, err := g.store.Conversation(g.T.Context(), g.conversation)
	g.must(err)
	settled := message.Message{Role: message.Assistant, Author: message.ByModel, Settled: true, Parts: []message.Part{message.ToolCall{ID: "x", Name: "n"}}}
	orphan := message.Results(message.ToolResult{CallID: "gone"})
	parent := g.parent()
	entries := []history.Entry{
		{ID: history.NewID(), Parent: parent, Source: "s" + g.words("source"), Message: &settled},
		{ID: history.NewID(), Parent: parent, Source: "o" + g.words("source"), Message: &orphan, Created: time.Unix(1_700_000_000, 123_000)},
	}
	_, err = g.store.Import(g.T.Context(), history.ImportRequest{Conversation: c, Entries: entries, Tip: entries[0].ID})
	g.must(err)
	g.boundaries = append(g.boundaries, entries[1].ID)
}

// TestGrowerGrowsBranches guards the generator: a property over trees that
// never branch would show nothing.
func TestGrowerGrowsBranches(t *testing.T) {
	branches, compactions, longest := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		g := grow(t)
		nodes, err := history.Collect(g.store.Nodes(t.Context(), g.conversation))
		g.must(err)
		children := map[history.ID]int{}
		for _, n := range nodes {
			if children[n.Parent]++; children[n.Parent] == 2 {
				branches++
			}
			if n.Kind == history.KindCompaction {
				compactions++
			}
		}
		longest = max(longest, len(nodes))
	})
	if branches < 20 || compactions < 20 || longest < 15 {
		t.Errorf("%d branches, %d compactions, the largest tree has %d entries", branches, compactions, longest)
	}
}
