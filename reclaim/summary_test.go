package reclaim

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/tokens"
)

func goodSummary(note string) string {
	var b strings.Builder
	for _, s := range Sections {
		fmt.Fprintf(&b, "## %s\n%s\n", s, note)
	}
	return b.String()
}

func summaryProblem(exchanges int) Problem {
	var s session
	s.add(message.Prompt("the task"))
	s.work(exchanges)
	return Problem{Path: s.path, Budget: Budget{Window: 20_000, Reserve: 2000, Target: 8000, Tail: 1000}}
}

func TestASummaryIsFoldedInWindowsThatFit(t *testing.T) {
	p := summaryProblem(30)
	var questions []SummaryQuestion
	plan, err := WithSummary(context.Background(), p, func(_ context.Context, q SummaryQuestion) (SummaryAnswer, error) {
		questions = append(questions, q)
		return SummaryAnswer{Text: goodSummary(fmt.Sprintf("after part %d", q.Part)), Stop: message.StopEnd}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(questions) < 2 || !plan.Fits || plan.Compaction == nil {
		t.Fatalf("%d questions, plan %+v", len(questions), plan)
	}
	for i, q := range questions {
		if n := tokens.Text(q.System) + tokens.Text(q.Text) + q.MaxOutput; n > p.Budget.Window {
			t.Errorf("question %d has %d tokens", i, n)
		}
		if q.Part != i+1 || q.Parts != len(questions) || !strings.HasSuffix(q.Text, summaryInstruction) {
			t.Errorf("question %d: part %d of %d", i, q.Part, q.Parts)
		}
		if i > 0 && !strings.Contains(q.Text, fmt.Sprintf("after part %d", i)) {
			t.Errorf("question %d does not hold the summary before it", i)
		}
	}
	text := plan.Compaction.Treatments[0].Text
	if !strings.Contains(text, fmt.Sprintf("after part %d", len(questions))) || !strings.Contains(text, "## Prompts, word for word") || !strings.Contains(text, "look at module") {
		t.Errorf("summary %s", text)
	}
}

func TestABadSummaryChangesNothing(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer SummaryAnswer
		want   string
	}{
		{"empty", SummaryAnswer{Text: " \n"}, "empty"},
		{"cut", SummaryAnswer{Text: goodSummary("x"), Stop: message.StopLength}, "cut"},
		{"refused", SummaryAnswer{Text: goodSummary("x"), Stop: message.StopRefusal}, "refusal"},
		{"a section is missing", SummaryAnswer{Text: strings.Replace(goodSummary("x"), "## Open", "## Closed", 1)}, `"Open" is missing`},
		{"too long", SummaryAnswer{Text: goodSummary(strings.Repeat("and then something else happened ", 500))}, "at most"},
		{"an answer to the conversation", SummaryAnswer{Text: "Sure! I have fixed the module."}, "missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan, err := WithSummary(context.Background(), summaryProblem(10), func(context.Context, SummaryQuestion) (SummaryAnswer, error) { return c.answer, nil })
			var summary *SummaryError
			if !errors.As(err, &summary) || !strings.Contains(err.Error(), c.want) || plan.Compaction != nil {
				t.Errorf("error %v, compaction %v", err, plan.Compaction)
			}
		})
	}
	boom := errors.New("boom")
	if _, err := WithSummary(context.Background(), summaryProblem(10), func(context.Context, SummaryQuestion) (SummaryAnswer, error) { return SummaryAnswer{}, boom }); !errors.Is(err, boom) {
		t.Errorf("error %v", err)
	}
}

// TestSummariesDoNotGrowFromFoldToFold: each takes the one before in.
func TestSummariesDoNotGrowFromFoldToFold(t *testing.T) {
	var s session
	s.add(message.Prompt("the task"))
	longest := 0
	for round := range 10 {
		s.work(12)
		seen := 0
		plan, err := WithSummary(context.Background(), Problem{Path: s.path, Budget: Budget{Window: 40_000, Reserve: 2000, Target: 8000, Tail: 1000}}, func(_ context.Context, q SummaryQuestion) (SummaryAnswer, error) {
			if strings.Contains(q.Text, fmt.Sprintf("round %d", round-1)) {
				seen++
			}
			return SummaryAnswer{Text: goodSummary(fmt.Sprintf("round %d", round))}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if round > 0 && seen == 0 {
			t.Fatalf("round %d was not shown the summary before it", round)
		}
		size := len(plan.Compaction.Treatments[0].Text)
		if round == 1 {
			longest = size + size/2
		}
		if round > 1 && size > longest {
			t.Errorf("round %d: %d bytes", round, size)
		}
		s.path = append(s.path, history.Entry{ID: history.NewID(), Depth: len(s.path) + 1, Compaction: plan.Compaction})
	}
}

// TestASummaryLeavesNothingThatIsRefused: what stands outside the middle is as
// sendable as after any other plan.
func TestASummaryLeavesNothingThatIsRefused(t *testing.T) {
	p := summaryProblem(30)
	last := message.Prompt("see this")
	last.Parts = append(last.Parts, message.Image{Media: message.Media{Type: "image/png", Size: 1000}, WidthPx: 100, HeightPx: 100})
	p.Path = append(p.Path, history.Entry{ID: history.NewID(), Depth: len(p.Path) + 1, Message: &last})
	plan, err := WithSummary(context.Background(), p, func(_ context.Context, q SummaryQuestion) (SummaryAnswer, error) {
		return SummaryAnswer{Text: goodSummary("done")}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	path := append(p.Path, history.Entry{ID: history.NewID(), Depth: len(p.Path) + 1, Compaction: plan.Compaction})
	if n := imagesIn(t, path); n != 0 { // the model is blind
		t.Errorf("%d images are left", n)
	}
}
