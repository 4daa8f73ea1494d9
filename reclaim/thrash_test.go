package reclaim

import (
	"strings"
	"testing"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

// compacted records a compaction that was made for the model "m".
func (s *session) compacted(trigger history.Trigger, before, after int64) {
	s.path = append(s.path, history.Entry{ID: history.NewID(), Depth: len(s.path) + 1, Compaction: &history.Compaction{
		Reason: history.Reason{Trigger: trigger, Model: "m", Before: before, After: after},
	}})
}

func TestThrashingIsFoundOnThePath(t *testing.T) {
	threshold, refusal := history.ByThreshold, history.ByRefusal
	turn := func(s *session) { s.call("bash", `{}`, long) }
	for _, c := range []struct {
		name string
		path func(*session)
		want ThrashKind
	}{
		{"compactions that pay, far apart", func(s *session) {
			for range 5 {
				s.work(2)
				s.compacted(threshold, 1000, 400)
			}
		}, ""},
		{"one that had to fit, whatever it freed", func(s *session) {
			turn(s)
			s.compacted(threshold, 1000, 990)
		}, ""},
		{"two that freed nothing", func(s *session) {
			s.work(2)
			s.compacted(threshold, 1000, 990)
			s.work(2)
			s.compacted(threshold, 1010, 1000)
		}, Stalled},
		{"one that paid ends a stall", func(s *session) {
			s.compacted(threshold, 1000, 990)
			turn(s)
			s.compacted(threshold, 1010, 1000)
			s.work(2)
			s.compacted(threshold, 1010, 500)
		}, ""},
		{"three recoveries from one refusal are one", func(s *session) {
			turn(s)
			s.compacted(refusal, 1000, 990)
			s.compacted(refusal, 990, 980)
			s.compacted(refusal, 980, 600)
		}, ""},
		{"the window is full again every turn", func(s *session) {
			for range 4 {
				turn(s)
				s.compacted(threshold, 1000, 300)
			}
		}, Refilled},
		{"twice is no refill yet", func(s *session) {
			for range 3 {
				turn(s)
				s.compacted(threshold, 1000, 300)
			}
		}, ""},
		{"results cut on the way do not count", func(s *session) {
			for range 6 {
				turn(s)
				s.compacted(history.ByLength, 1000, 990)
			}
		}, ""},
		{"somebody compacted in between", func(s *session) {
			for range 3 {
				turn(s)
				s.compacted(threshold, 1000, 300)
			}
			s.compacted(history.ByCommand, 300, 200)
			turn(s)
			s.compacted(threshold, 1000, 300)
		}, ""},
		{"imported from another tool", func(s *session) {
			for range 6 {
				turn(s)
				s.compacted(history.ByImport, 0, 0)
			}
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s session
			s.add(message.Prompt("the task"))
			c.path(&s)
			thrash := Thrashing(s.problem(200_000), nil)
			switch {
			case thrash == nil && c.want != "":
				t.Errorf("nothing found, want %q", c.want)
			case thrash != nil && thrash.Kind != c.want:
				t.Errorf("found %+v, want %q", thrash, c.want)
			case thrash != nil && (!strings.Contains(thrash.String(), "results of bash: ask that tool for less at a time") || !strings.Contains(thrash.String(), "larger window")):
				t.Errorf("it says %q", thrash)
			}
			if other := Thrashing(ProblemFor(catalog.Model{ID: "n", Window: 200_000}, wire.Frame{Model: "n"}, s.path, nil, 0), nil); other != nil {
				t.Errorf("found for another model: %+v", other)
			}
		})
	}
}

// TestAFrameThatFillsTheWindowStallsOnce: system prompt and tools are most of
// the window. What can go goes once; then nothing is due until there is enough
// to pay for it, and the plan that is refused says what to do.
func TestAFrameThatFillsTheWindowStallsOnce(t *testing.T) {
	var s session
	s.add(message.Prompt("the task"))
	s.work(2)
	frame := wire.Frame{Model: "m", System: []string{strings.Repeat("rule after rule ", 2600)}}
	problem := func() Problem {
		return ProblemFor(catalog.Model{ID: "m", Window: 16_000}, frame, s.path, nil, 0)
	}
	compactions := 0
	for range 40 {
		path, plan, err := Ready(problem())
		if err != nil {
			t.Fatal(err)
		}
		if len(path) > len(s.path) {
			path[len(path)-1].ID = history.NewID()
			compactions++
			if freed := plan.Before - plan.After; compactions > 1 && freed*minPart < plan.Before && plan.Before <= problem().Budget.Limit() {
				t.Errorf("compaction %d frees %d of %d tokens", compactions, freed, plan.Before)
			}
			s.path = path
		}
		s.call("edit", `{"path":"a.go"}`, "ok")
	}
	if compactions == 0 || compactions > 6 {
		t.Errorf("%d compactions in 40 turns", compactions)
	}
	p := problem()
	p.Budget.Threshold = 1
	if plan := (Plan{Before: 9000, Why: "no gain"}); Thrashing(p, &plan) == nil || !strings.Contains(Thrashing(p, &plan).String(), "shorten the system prompt") {
		t.Errorf("a refused plan over the threshold is %v", Thrashing(p, &plan))
	}
}
