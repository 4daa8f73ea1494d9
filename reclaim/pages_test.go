package reclaim

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/snapshot"
	"github.com/stemma-history/stemma/tokens"
)

// dense is a reader of the densest pages, priced in 28-pixel patches.
func dense() (Reader, tokens.Meter) {
	shape, _ := snapshot.ShapeNamed("6x13")
	return Reader{Sees: true, MaxImages: 100, Shape: shape}, tokens.Meter{Image: func(w, h int) int { return (w + 27) / 28 * ((h + 27) / 28) }}
}

// work adds exchanges to a session, n of them, each some thousand tokens long
// and unlike the others.
func (s *session) work(n int) {
	for range n {
		k := len(s.path)
		s.add(message.Prompt(fmt.Sprintf("step %d: look at module %d and fix it", k, k*7919%1000)))
		for c := range 3 {
			var out strings.Builder
			for line := range 60 {
				fmt.Fprintf(&out, "%08x module%d.go:%d: call of f%d(%d)\n", (k+c)*2654435761+line*40503, k, line*13, line, k*line)
			}
			s.call("bash", fmt.Sprintf(`{"command":"go vet ./module%d/part%d"}`, k, c), out.String())
		}
	}
}

// compact plans and appends one compaction.
func (s *session) compact(t *testing.T, p Problem) Plan {
	t.Helper()
	p.Path = s.path
	plan, err := Make(p)
	if err != nil {
		t.Fatal(err)
	}
	if plan.Compaction == nil {
		t.Fatalf("no compaction: %s %+v", plan.Why, plan.Steps)
	}
	s.path = append(s.path, history.Entry{ID: history.NewID(), Depth: len(s.path) + 1, Compaction: plan.Compaction})
	return plan
}

// pageMessage returns the parts of the message that holds the pages.
func pageMessage(t *testing.T, path []history.Entry) []message.Part {
	t.Helper()
	for _, m := range view(t, path).Messages {
		if len(m.Parts) > 1 && m.PlainText() != "" && strings.HasPrefix(m.PlainText(), snapshot.Guide[:40]) {
			return m.Parts
		}
	}
	t.Fatal("the view has no pages")
	return nil
}

// TestP10PagesGrowByAppending compacts twenty times: the guide and every full
// page with its index stay the same bytes.
func TestP10PagesGrowByAppending(t *testing.T) {
	var s session
	s.add(message.Prompt("the task"))
	p := Problem{Rungs: []Rung{Pages}, Budget: Budget{Window: 400_000, Reserve: 10_000, Target: 0, Tail: 2000}}
	p.Reader, p.Meter = dense()
	var before []message.Part
	for range 20 {
		s.work(3)
		s.compact(t, p)
		after := pageMessage(t, s.path)
		if len(before) > 0 {
			for i, part := range before[:len(before)-2] { // the last page was not full
				if !reflect.DeepEqual(part, after[i]) {
					t.Fatalf("part %d of the message with %d pages changed", i, len(before)/2)
				}
			}
		}
		before = after
	}
	if pages := len(before) / 2; pages < 5 {
		t.Errorf("only %d pages", pages)
	}
}

// TestPagesHoldTheWordsOfTheirEntries reads the pages back.
func TestPagesHoldTheWordsOfTheirEntries(t *testing.T) {
	var s session
	s.add(message.Prompt("the task"))
	s.work(6)
	p := Problem{Budget: Budget{Window: 400_000, Reserve: 10_000, Target: 0, Tail: 2000}, Rungs: []Rung{Pages}}
	p.Reader, p.Meter = dense()
	plan := s.compact(t, p)
	var text strings.Builder
	for _, part := range pageMessage(t, s.path) {
		if img, ok := part.(message.Image); ok {
			page, err := snapshot.Read(img.Data)
			if err != nil {
				t.Fatal(err)
			}
			text.WriteString(page.Text)
		}
	}
	for _, e := range s.path[plan.Compaction.Treatments[0].From.Depth-1 : plan.Compaction.Treatments[0].To.Depth] {
		for _, r := range e.Message.Results {
			if !strings.Contains(text.String(), strings.TrimRight(r.PlainText(), "\n")) {
				t.Errorf("the result of entry %d is not on the pages", e.Depth)
			}
		}
		if prompt := e.Message.PlainText(); !strings.Contains(text.String(), prompt) {
			t.Errorf("the prompt of entry %d is not on the pages", e.Depth)
		}
	}
}

func TestABlindModelGetsTextOrAnOutlineInPlaceOfPages(t *testing.T) {
	var s session
	s.add(message.Prompt("the task"))
	s.work(10)
	p := Problem{Budget: Budget{Window: 400_000, Reserve: 10_000, Target: 0, Tail: 2000}, Rungs: []Rung{Pages}}
	p.Reader, p.Meter = dense()
	s.compact(t, p)

	blind := Problem{Path: s.path, Budget: DefaultBudget(400_000), Reason: history.Reason{Trigger: history.BySwitch}}
	if due := Due(blind); due != history.BySwitch {
		t.Errorf("due %q", due)
	}
	roomy := s
	roomy.compact(t, blind)
	if v := view(t, roomy.path); len(v.Messages) != len(roomy.path)-2 {
		t.Errorf("%d messages of %d entries: not all are text again", len(v.Messages), len(roomy.path))
	}
	blind.Budget = DefaultBudget(16_000)
	tight := s
	plan := tight.compact(t, blind)
	if !plan.Fits {
		t.Errorf("%d tokens", plan.After)
	}
	if Due(Problem{Path: tight.path, Budget: blind.Budget}) != "" {
		t.Error("still due")
	}
}

func TestPagesThatDoNotFitGiveWayToAnOutline(t *testing.T) {
	var s session
	s.add(message.Prompt("the task"))
	s.work(40)
	p := Problem{Budget: Budget{Window: 400_000, Reserve: 10_000, Target: 0, Tail: 2000}, Rungs: []Rung{Pages}}
	p.Reader, p.Meter = dense()
	p.Reader.MaxImages = 5
	plan := s.compact(t, p)
	var kinds []string
	for _, t := range plan.Compaction.Treatments {
		kinds = append(kinds, string(t.As))
	}
	if got := strings.Join(kinds, " "); !strings.HasPrefix(got, "outline pages") {
		t.Errorf("treatments %s", got)
	}
	if n := len(pageMessage(t, s.path)) / 2; n < 2 || n > 5 {
		t.Errorf("%d pages", n)
	}
}

func TestScriptsThatModelsMisreadStayText(t *testing.T) {
	var s session
	s.add(message.Prompt("the task"))
	for range 40 {
		s.call("bash", `{"command":"x"}`, strings.Repeat("ข้อความภาษาไทยยาวมาก ", 200))
	}
	p := Problem{Path: s.path, Budget: Budget{Window: 400_000, Reserve: 10_000, Target: 0, Tail: 2000}, Rungs: []Rung{Pages}}
	p.Reader, p.Meter = dense()
	plan, err := Make(p)
	if err != nil || plan.Compaction != nil || !strings.Contains(plan.Steps[0].Why, "Thai") {
		t.Errorf("plan %+v (%v)", plan.Steps, err)
	}
}
