package reclaim

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/tokens"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/wiretest"
)

// drawPath makes a path of turns with parts of any size, some of them pinned.
func drawPath(t *rapid.T) ([]history.Entry, []history.ID) {
	var path []history.Entry
	var pins []history.ID
	for _, m := range wiretest.Work(12, 1, 3, 20, 200, 3000, 60_000).Draw(t, "path") {
		e := history.Entry{ID: history.NewID(), Depth: len(path) + 1, Message: &m}
		path = append(path, e)
		if rapid.IntRange(0, 15).Draw(t, "pin") == 0 {
			pins = append(pins, e.ID)
		}
	}
	return path, pins
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

// TestWhatAModelDoesNotTakeStaysAwayFromWhatIsKept: the newest prompt stays in
// the view though the middle around it goes, but without the picture that a
// blind model cannot be sent.
func TestWhatAModelDoesNotTakeStaysAwayFromWhatIsKept(t *testing.T) {
	var s session
	s.add(message.Prompt("the task"))
	prompt := message.Prompt("what is on this picture?")
	prompt.Parts = append(prompt.Parts, message.NewImage("image/png", wiretest.PNG(10, 10)))
	s.add(prompt)
	for range 3 {
		s.add(message.Message{Role: message.Assistant, Author: message.ByModel, Parts: []message.Part{message.Text{Text: strings.Repeat("I cannot see it. ", 5000)}}})
	}
	free := tokens.Meter{Image: func(int, int) int { return 0 }} // as an image is that nobody looks at
	plan, err := Make(Problem{Path: s.path, Budget: DefaultBudget(4000), Meter: free})
	if err != nil || !plan.Fits {
		t.Fatal(err, plan)
	}
	s.path = append(s.path, history.Entry{ID: history.NewID(), Depth: len(s.path) + 1, Compaction: plan.Compaction})
	for _, m := range view(t, s.path).Messages {
		if m.At.Depth == 2 && len(m.Parts) == 2 && strings.Contains(m.PlainText(), "recall 2.2") {
			return
		}
	}
	t.Errorf("%+v", view(t, s.path).Messages)
}
