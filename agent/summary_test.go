package agent_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stemma-history/stemma/agent"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/provider/providertest"
	"github.com/stemma-history/stemma/reclaim"
)

// aimingAt is the usual budget with another target.
func aimingAt(target int) func(int) reclaim.Budget {
	return func(window int) reclaim.Budget {
		b := reclaim.DefaultBudget(window)
		b.Target = target
		return b
	}
}

// goodSummary is one that is taken.
func goodSummary() string {
	var b strings.Builder
	for _, section := range reclaim.Sections {
		fmt.Fprintf(&b, "## %s\nas before\n", section)
	}
	return b.String()
}

// A condenser answers requests for a summary, and notes which they were.
type condenser struct {
	ofView, ofText []int // the requests, counted from 1
	asked          []providertest.Ask
}

func (c *condenser) script(a providertest.Ask) providertest.Answer {
	switch {
	case strings.Contains(a.Prompt(), "Condense the whole conversation above"):
		c.ofView = append(c.ofView, a.Number)
	case strings.Contains(a.Prompt(), "Condense the record above"):
		c.ofText = append(c.ofText, a.Number)
	default:
		return providertest.Answer{}.Think("Hm.").Say(providertest.Words(400))
	}
	c.asked = append(c.asked, a)
	return providertest.Say(goodSummary())
}

// summaries are runs that make room by summaries alone.
func summaries(c *agent.Config) {
	c.Compaction.Rungs, c.Compaction.Summary = []reclaim.Rung{}, true
}

// A made is a compaction, and what the exchange that it was made in cost.
type made struct {
	agent.Compacted
	paid history.Usage
}

// untilCompacted talks until room was made.
func (b *bench) untilCompacted() made {
	b.Helper()
	for i := range 60 {
		events := b.prompt(fmt.Sprint(i, " ", providertest.Words(600)))
		if room := of[agent.Compacted](events); len(room) > 0 {
			return made{room[0], of[agent.Done](events)[0].Usage}
		}
	}
	b.Fatal("no room was made: the test shows nothing")
	return made{}
}

// TestASummaryIsAskedOfThePrefixThatIsCached: the request for it begins with the
// bytes of the request before, so that the provider's cache has nearly all of it.
func TestASummaryIsAskedOfThePrefixThatIsCached(t *testing.T) {
	for _, model := range models {
		t.Run(model, func(t *testing.T) {
			var c condenser
			b := newBench(t, model, providertest.Config{Window: 40_000, Script: c.script}, summaries, with(&probe{name: "look"}))
			made := b.untilCompacted()
			if len(c.ofView) != 1 || len(c.ofText) != 0 || made.Plan.Steps[len(made.Plan.Steps)-1].Rung != reclaim.Summary {
				t.Fatalf("asked %v of the view and %v of texts, plan %+v", c.ofView, c.ofText, made.Plan)
			}
			asked := b.fake.Journal()[c.ofView[0]-1].Usage
			if paid := asked.Prompt() + b.fake.Journal()[c.ofView[0]].Usage.Prompt(); made.paid.Prompt() != paid {
				t.Errorf("%d tokens of prompts were told, %d were billed", made.paid.Prompt(), paid)
			}
			if share := float64(asked.CacheRead) / float64(asked.Prompt()); share < 0.8 {
				t.Errorf("only %.0f %% of %d tokens came out of the cache", 100*share, asked.Prompt())
			}
			b.prompt("And now?")
			for _, r := range b.fake.Journal() {
				if r.Refused != "" || r.Dropped != 0 && r.Number <= c.ofView[0] {
					t.Errorf("request %d: %s, %d blocks of thinking dropped", r.Number, r.Refused, r.Dropped)
				}
			}
		})
	}
}

// TestASummaryIsAskedOfTheTextWhereTheCacheIsCold: to read the view again would
// cost the full price of all of it.
func TestASummaryIsAskedOfTheTextWhereTheCacheIsCold(t *testing.T) {
	for _, c := range []struct {
		name string
		then func(b *bench, now *time.Time)
	}{
		{"after a pause", func(_ *bench, now *time.Time) { *now = now.Add(time.Hour) }},
		{"with other tools", func(b *bench, _ *time.Time) {
			with(&probe{name: "more"})(&b.config)
			b.open()
		}},
		{"after a compaction", func(b *bench, _ *time.Time) {
			if _, err := all(b.run.Compact(b.Context(), agent.CompactRequest{Rungs: []reclaim.Rung{reclaim.Elision, reclaim.Outline}, Target: 12_000})); err != nil {
				b.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
			clock := func() time.Time { return now }
			var asked condenser
			b := newBench(t, models[0], providertest.Config{Window: 60_000, Script: asked.script, Now: clock}, func(c *agent.Config) { c.Now = clock })
			for i := range 20 {
				b.prompt(fmt.Sprint(i, " ", providertest.Words(600)))
			}
			c.then(b, &now)
			if _, err := all(b.run.Compact(t.Context(), agent.CompactRequest{Rungs: []reclaim.Rung{reclaim.Summary}, Target: 4000})); err != nil {
				t.Fatal(err)
			}
			if len(asked.ofView) != 0 || len(asked.ofText) == 0 {
				t.Errorf("asked %v of the view and %v of texts", asked.ofView, asked.ofText)
			}
		})
	}
}

// TestAnotherModelMaySummarise: it alone is asked, in windows that fit it.
func TestAnotherModelMaySummarise(t *testing.T) {
	var own, others condenser
	small := newBench(t, models[1], providertest.Config{Window: 12_000, Script: others.script})
	b := newBench(t, models[0], providertest.Config{Window: 60_000, Script: own.script}, summaries, func(c *agent.Config) { c.Compaction.SummaryModel = small.config.Model })
	b.untilCompacted()
	if len(own.asked) != 0 || len(others.ofText) < 2 || len(others.ofView) != 0 {
		t.Errorf("its own model was asked %d times, the other %v", len(own.asked), others.ofText)
	}
	for _, r := range small.fake.Journal().Refused() {
		t.Errorf("request %d: %s", r.Number, r.Refused)
	}
}

// TestTheReserveOfTheBudgetIsTheAnswers: so much is kept free, and asked for, also
// when a refusal has told of another window.
func TestTheReserveOfTheBudgetIsTheAnswers(t *testing.T) {
	const reserve = 5000
	longest := map[int]bool{}
	script := func(a providertest.Ask) providertest.Answer {
		longest[a.MaxOutput] = true
		return talker(a)
	}
	b := newBench(t, models[0], providertest.Config{Window: 16_000, Script: script}, func(c *agent.Config) {
		c.Model.Window = 1_000_000
		c.Compaction.Budget = func(window int) reclaim.Budget {
			b := reclaim.DefaultBudget(window)
			b.Reserve = reserve
			b.Threshold, b.Target = b.Limit()*9/10, b.Limit()/2
			return b
		}
	})
	for i := range 20 {
		b.prompt(fmt.Sprint(i, " ", providertest.Words(600)))
	}
	if len(longest) != 1 || !longest[reserve] {
		t.Errorf("answers of %v tokens were asked for", longest)
	}
	if learned := b.run.Problem().Budget; learned.Window >= 1_000_000 || learned.Reserve != reserve {
		t.Errorf("budget %+v", learned)
	}
}
