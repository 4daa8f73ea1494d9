package reclaim

import (
	"fmt"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/tokens"
)

// longSession is about a million tokens in 20,000 entries.
func longSession() []history.Entry {
	var s session
	for len(s.path) < 20_000 {
		k := len(s.path)
		s.add(message.Prompt(fmt.Sprintf("step %d: look at module %d and fix it", k, k*7919%1000)))
		for c := range 9 {
			s.call([]string{"bash", "read", "grep"}[c%3], fmt.Sprintf(`{"path":"module%d/part%d.go"}`, k%50, c), fmt.Sprintf("%08x %s", k+c, long[:300]))
		}
	}
	return s.path
}

func BenchmarkViewOfAMillionTokens(b *testing.B) {
	path := longSession()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := View(path, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPlanOfAMillionTokens(b *testing.B) {
	p := Problem{Path: longSession(), Budget: DefaultBudget(200_000)}
	p.Reader, p.Meter = dense()
	b.ReportAllocs()
	for b.Loop() {
		plan, err := Make(p)
		if err != nil || plan.Compaction == nil {
			b.Fatal(err, plan.Why)
		}
		b.ReportMetric(float64(plan.Before), "tokens")
	}
}

func BenchmarkAccountOfAMillionTokens(b *testing.B) {
	p := Problem{Path: longSession(), Budget: DefaultBudget(200_000), Meter: tokens.Meter{}}
	b.ReportAllocs()
	for b.Loop() {
		Context(p)
	}
}

// BenchmarkPlanOfPagesThatGrow plans for a path most of which is on pages
// already, and which has grown by some thousand tokens since.
func BenchmarkPlanOfPagesThatGrow(b *testing.B) {
	var s session
	s.path = longSession()
	p := Problem{Budget: DefaultBudget(1_000_000), Rungs: []Rung{Pages}, Reason: history.Reason{Trigger: history.ByThreshold}}
	p.Budget.Target = 0
	p.Reader, p.Meter = dense()
	p.Path = s.path
	plan, err := Make(p)
	if err != nil || plan.Compaction == nil {
		b.Fatal(err, plan.Why)
	}
	s.path = append(s.path, history.Entry{ID: history.NewID(), Depth: len(s.path) + 1, Compaction: plan.Compaction})
	s.work(20)
	p.Path = s.path
	b.ReportAllocs()
	for b.Loop() {
		plan, err := Make(p)
		if err != nil || plan.Compaction == nil {
			b.Fatal(err, plan.Why, plan.Steps)
		}
		b.ReportMetric(float64(plan.Steps[0].Items), "pages")
	}
}
