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

func answering(a SummaryAnswer, err error) Summariser {
	return Summariser{Ask: func(context.Context, SummaryQuestion) (SummaryAnswer, error) { return a, err }}
}

func TestASummaryIsFoldedInWindowsThatFit(t *testing.T) {
	p := summaryProblem(300)
	var questions []SummaryQuestion
	plan, err := WithSummary(context.Background(), p, Summariser{Ask: func(_ context.Context, q SummaryQuestion) (SummaryAnswer, error) {
		questions = append(questions, q)
		return SummaryAnswer{Text: goodSummary(fmt.Sprintf("after part %d", q.Part)), Stop: message.StopEnd}, nil
	}})
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
		if q.Part != i+1 || q.Parts != len(questions) || q.OfView || !strings.HasSuffix(q.Text, instruction(ofRecord, "")) {
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
			plan, err := WithSummary(context.Background(), summaryProblem(10), answering(c.answer, nil))
			var summary *SummaryError
			if !errors.As(err, &summary) || !strings.Contains(err.Error(), c.want) || plan.Compaction != nil {
				t.Errorf("error %v, compaction %v", err, plan.Compaction)
			}
		})
	}
	boom := errors.New("boom")
	if _, err := WithSummary(context.Background(), summaryProblem(10), answering(SummaryAnswer{}, boom)); !errors.Is(err, boom) {
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
		plan, err := WithSummary(context.Background(), Problem{Path: s.path, Budget: Budget{Window: 40_000, Reserve: 2000, Target: 8000, Tail: 1000}}, Summariser{Ask: func(_ context.Context, q SummaryQuestion) (SummaryAnswer, error) {
			if strings.Contains(q.Text, fmt.Sprintf("round %d", round-1)) {
				seen++
			}
			return SummaryAnswer{Text: goodSummary(fmt.Sprintf("round %d", round))}, nil
		}})
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
	plan, err := WithSummary(context.Background(), p, answering(SummaryAnswer{Text: goodSummary("done")}, nil))
	if err != nil {
		t.Fatal(err)
	}
	path := append(p.Path, history.Entry{ID: history.NewID(), Depth: len(p.Path) + 1, Compaction: plan.Compaction})
	if n := imagesIn(t, path); n != 0 { // the model is blind
		t.Errorf("%d images are left", n)
	}
}

// TestASummaryAsksAboutTheCachedViewFirst, and about the windows where that
// cannot be or was answered badly.
func TestASummaryAsksAboutTheCachedViewFirst(t *testing.T) {
	view := SummaryAnswer{Text: goodSummary("of the view")}
	for _, c := range []struct {
		name      string
		exchanges int
		cached    bool
		image     bool // in the view, of a model that is blind
		view      SummaryAnswer
		err       error
		ofView    bool // it is asked about
		windows   bool // they are asked about
	}{
		{"cached", 4, true, false, view, nil, true, false},
		{"cold", 4, false, false, view, nil, false, true},
		{"cached, too large to ask", 60, true, false, view, nil, false, true},
		{"cached, refused", 4, true, true, view, nil, false, true},
		{"answered badly", 4, true, false, SummaryAnswer{Text: "Sure, I go on."}, nil, true, true},
		{"not answered", 4, true, false, view, errors.New("overloaded"), true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := summaryProblem(c.exchanges)
			p.Reason.Note = "the names of the modules"
			if c.image {
				last := message.Prompt("see this")
				last.Parts = append(last.Parts, message.Image{Media: message.Media{Type: "image/png", Size: 1000}, WidthPx: 100, HeightPx: 100})
				p.Path = append(p.Path, history.Entry{ID: history.NewID(), Depth: len(p.Path) + 1, Message: &last})
			}
			calls, ofView, windows := 0, 0, 0
			plan, err := WithSummary(context.Background(), p, Summariser{Cached: c.cached, Ask: func(_ context.Context, q SummaryQuestion) (SummaryAnswer, error) {
				calls++
				if !strings.HasSuffix(q.Text, p.Reason.Note) {
					t.Errorf("the focus is missing: %s", q.Text)
				}
				if q.OfView {
					ofView++
					return c.view, c.err
				}
				windows++
				return SummaryAnswer{Text: goodSummary("of a window")}, nil
			}})
			if err != nil || plan.Compaction == nil {
				t.Fatalf("plan %+v, error %v", plan, err)
			}
			if ofView > 1 || (ofView > 0) != c.ofView || (windows > 0) != c.windows {
				t.Errorf("asked %d times about the view, %d times about windows", ofView, windows)
			}
			if step := plan.Steps[len(plan.Steps)-1]; step.Rung != Summary || step.Items != calls {
				t.Errorf("%d calls are reported as %+v", calls, step)
			}
		})
	}
}

// TestWhatDecidedNothingIsNotSummarised: the windows hold the stub of a result
// that elision would take, and whole what it would not.
func TestWhatDecidedNothingIsNotSummarised(t *testing.T) {
	var s session
	s.add(message.Prompt("the task"))
	s.call("grep", `{"pattern":"x"}`, strings.Repeat("a line that was found\n", 100))
	s.call("edit", `{"path":"a.go"}`, strings.Repeat("a line that was changed\n", 100))
	s.work(10)
	asked := ""
	if _, err := WithSummary(context.Background(), Problem{Path: s.path, Budget: Budget{Window: 40_000, Reserve: 2000, Target: 8000, Tail: 1000}}, Summariser{Ask: func(_ context.Context, q SummaryQuestion) (SummaryAnswer, error) {
		asked += q.Text
		return SummaryAnswer{Text: goodSummary("done")}, nil
	}}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(asked, "a line that was found") || !strings.Contains(asked, "taken out of the view") || !strings.Contains(asked, "a line that was changed") {
		t.Errorf("asked %s", asked)
	}
}

// TestASmallerModelIsAskedInItsOwnWindows: the questions fit it, not the model of
// the conversation.
func TestASmallerModelIsAskedInItsOwnWindows(t *testing.T) {
	p := summaryProblem(40)
	p.Budget = DefaultBudget(1_000_000)
	const small = 10_000
	if _, err := WithSummary(context.Background(), p, Summariser{Limit: small, Ask: func(_ context.Context, q SummaryQuestion) (SummaryAnswer, error) {
		if n := tokens.Text(q.System) + tokens.Text(q.Text) + q.MaxOutput; n > small {
			t.Errorf("a question has %d tokens", n)
		}
		return SummaryAnswer{Text: goodSummary("done")}, nil
	}}); err != nil {
		t.Fatal(err)
	}
}
