package reclaim

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/snapshot"
	"github.com/stemma-history/stemma/tokens"
	"github.com/stemma-history/stemma/wire"
)

// words of several kinds, to be repeated to any size.
var kinds = []string{"the quick brown fox ", "func main() { return }\n", `{"id":12345,"ok":true},`, "deadbeef0123", "漢字かな ", "    "}

func drawText(t *rapid.T) string {
	kind := rapid.SampledFrom(kinds).Draw(t, "kind")
	size := rapid.SampledFrom([]int{1, 3, 20, 200, 3000, 60_000}).Draw(t, "size")
	return strings.Repeat(kind, size/len(kind)+1)
}

// drawPath makes a path of turns with parts of any size, some of them pinned.
func drawPath(t *rapid.T) ([]history.Entry, []history.ID) {
	var path []history.Entry
	var pins []history.ID
	add := func(m message.Message) {
		e := history.Entry{ID: history.NewID(), Depth: len(path) + 1, Message: &m}
		path = append(path, e)
		if rapid.IntRange(0, 15).Draw(t, "pin") == 0 {
			pins = append(pins, e.ID)
		}
	}
	for range rapid.IntRange(1, 12).Draw(t, "turns") {
		if rapid.IntRange(0, 2).Draw(t, "who") == 0 {
			m := message.Prompt(drawText(t))
			if rapid.IntRange(0, 3).Draw(t, "image") == 0 {
				m.Parts = append(m.Parts, message.Image{Media: message.Media{Type: "image/png", Data: []byte("x")}, WidthPx: 1000, HeightPx: 1000})
			}
			add(m)
			continue
		}
		answer := message.Message{Role: message.Assistant, Author: message.ByModel, Wire: "anthropic", Model: "m", Parts: []message.Part{
			message.Thinking{Text: drawText(t), Signature: "s"}, message.Text{Text: drawText(t)},
		}}
		var results []message.ToolResult
		for range rapid.IntRange(0, 3).Draw(t, "calls") {
			id := rapid.SampledFrom([]string{"call_0", "a", "b"}).Draw(t, "id")
			answer.Parts = append(answer.Parts, message.ToolCall{ID: id, Name: rapid.SampledFrom([]string{"read", "bash", "edit", "grep", "mystery"}).Draw(t, "tool"),
				Arguments: []byte(fmt.Sprintf(`{"path":%q,"x":%q}`, rapid.SampledFrom([]string{"a.go", "b.go"}).Draw(t, "path"), drawText(t)))})
			if rapid.IntRange(0, 5).Draw(t, "answered") > 0 {
				results = append(results, message.ToolResult{CallID: id, Outcome: rapid.SampledFrom([]message.Outcome{message.OK, message.OK, message.Failed}).Draw(t, "outcome"),
					Content: []message.Content{message.Text{Text: drawText(t)}, message.Image{Media: message.Media{Type: "image/png", Data: []byte("x")}, WidthPx: 800, HeightPx: 600}}})
			}
		}
		add(answer)
		if len(results) > 0 {
			add(message.Results(results...))
		}
	}
	return path, pins
}

// TestAViewThatFitsAlwaysExists (P2, P3, P4) plans for any history and window,
// and sends what comes out.
func TestAViewThatFitsAlwaysExists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path, pins := drawPath(t)
		window := rapid.SampledFrom([]int{4000, 8000, 32_000, 200_000, 2_000_000}).Draw(t, "window")
		p := Problem{
			Path: path, Pins: pins, Budget: DefaultBudget(window),
			Meter:  tokens.Meter{Factor: rapid.Float64Range(0.8, 1.6).Draw(t, "factor")},
			Reader: Reader{Sees: rapid.Bool().Draw(t, "sees"), MaxImages: 20, MaxImageBytes: 1 << 20},
			Reason: history.Reason{Trigger: history.ByThreshold},
		}
		if p.Reader.Sees && rapid.Bool().Draw(t, "reads pages") {
			p.Reader.Shape, _ = snapshot.ShapeNamed(rapid.SampledFrom([]string{"6x13", "8x16"}).Draw(t, "shape"))
			p.Meter.Image = func(w, h int) int { return w * h / 784 }
		}
		if rapid.Bool().Draw(t, "as small as it gets") {
			p.Budget.Target = 0
		}
		for range 3 { // a view that has been compacted can be compacted again
			plan, err := Make(p)
			if err != nil {
				t.Fatal(err)
			}
			if !plan.Fits {
				t.Fatalf("%d tokens in a window of %d: %s", plan.After, window, plan.Why)
			}
			if plan.Compaction == nil {
				break
			}
			if err := plan.Compaction.Validate(); err != nil {
				t.Fatal(err)
			}
			p.Path = append(p.Path, history.Entry{ID: history.NewID(), Depth: len(p.Path) + 1, Compaction: plan.Compaction})
			if again := newDraft(&p).tokens(); again != plan.After {
				t.Fatalf("planned %d tokens, the view has %d: %+v", plan.After, again, plan.Compaction.Treatments)
			}
			covered(t, p)
			next := message.Prompt("go on")
			p.Path = append(p.Path, history.Entry{ID: history.NewID(), Depth: len(p.Path) + 1, Message: &next})
		}
	})
}

// covered checks that every message is in the view as it is, or behind
// something that names a handle to recall it by.
func covered(t *rapid.T, p Problem) {
	fold := history.FoldTreatments(compactions(p.Path))
	shown := map[int]bool{}
	for _, m := range view(t, p.Path).Messages {
		shown[m.At.Depth] = true
	}
	for _, e := range p.Path {
		if e.Message == nil || shown[e.Depth] {
			continue
		}
		s := fold.At(e.Handle())
		if s == nil || !strings.Contains(s.Text, "recall") {
			t.Fatalf("entry %d is not in the view, and nothing stands for it", e.Depth)
		}
		if !shown[firstCovered(p.Path, fold, s.Treatment)] {
			t.Fatalf("entry %d stands behind %q, which is not in the view", e.Depth, s.Text)
		}
	}
}

// firstCovered returns the depth of the first entry behind a treatment.
func firstCovered(path []history.Entry, fold history.Fold, t *history.Treatment) int {
	for _, e := range path {
		if s := fold.At(e.Handle()); s != nil && s.Treatment == t && e.Message != nil {
			return e.Depth
		}
	}
	return 0
}

func TestAFrameThatIsTooLargeIsNamed(t *testing.T) {
	prompt := message.Prompt("x")
	_, err := Make(Problem{Path: []history.Entry{{Depth: 1, Message: &prompt}}, Budget: DefaultBudget(4000), Frame: wire.Frame{System: []string{strings.Repeat("rules and more rules ", 2000)}}})
	var fit *FitError
	if !errors.As(err, &fit) || !strings.Contains(err.Error(), "the frame (system prompt and tools) alone is about") || fit.Limit != 3200 {
		t.Errorf("error %v", err)
	}
}

// TestP13AnOutlineKeepsPromptsWordForWord, as far as its budget goes.
func TestP13AnOutlineKeepsPromptsWordForWord(t *testing.T) {
	var s session
	s.add(message.Prompt("the task"))
	s.work(20)
	p := Problem{Path: s.path, Budget: DefaultBudget(32_000), Rungs: []Rung{Outline}}
	plan, err := Make(p)
	if err != nil || plan.Compaction == nil {
		t.Fatal(err, plan.Why)
	}
	outline := plan.Compaction.Treatments[0]
	if outline.As != history.AsOutline {
		t.Fatalf("treatment %+v", outline)
	}
	for _, e := range s.path[outline.From.Depth-1 : outline.To.Depth] {
		if e.Message.IsPrompt() && !strings.Contains(outline.Text, e.Message.PlainText()) {
			t.Errorf("%q is not in the outline", e.Message.PlainText())
		}
	}
}
