package agent_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/agent"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider/providertest"
	"github.com/stemma-history/stemma/reclaim"
)

// talker answers with text of the length that a prompt asks for.
func talker(a providertest.Ask) providertest.Answer {
	return providertest.Say(providertest.Words(400))
}

// TestP11OverflowIsRecoveredWithoutAModel: the estimate was too low, the
// provider refuses, and the request goes out again, smaller.
func TestP11OverflowIsRecoveredWithoutAModel(t *testing.T) {
	for _, model := range models {
		t.Run(model, func(t *testing.T) {
			// The catalogue says nothing of so small a window: only the refusal does.
			b := newBench(t, model, providertest.Config{Window: 10_000, Factor: 2, Script: talker}, func(c *agent.Config) { c.Model.Window = 0 })
			repeated := 0
			for i := range 25 {
				events := b.prompt(fmt.Sprintf("Tell me number %d. %s", i, providertest.Words(300)))
				repeated += len(of[agent.Repeated](events))
			}
			journal := b.fake.Journal()
			if repeated == 0 {
				t.Error("the wall was never met: the test shows nothing")
			}
			if alike := journal.Alike(); len(alike) > 0 {
				t.Errorf("requests were sent twice: %v", alike)
			}
			for _, n := range journal.Recoveries() {
				if n > 3 {
					t.Errorf("%d requests for one overflow", n)
				}
			}
			if repeated > 3 {
				t.Errorf("%d refusals: the run does not learn", repeated)
			}
		})
	}
}

func TestWhatDoesNotFitSaysWhatToDo(t *testing.T) {
	b := newBench(t, models[0], providertest.Config{Window: 8000, Script: talker}, func(c *agent.Config) {
		c.System = []string{providertest.Words(9000)}
	})
	_, err := all(b.run.Prompt(t.Context(), message.Text{Text: "Hello?"}))
	var fit *reclaim.FitError
	if !errors.As(err, &fit) || !strings.Contains(err.Error(), "larger window") {
		t.Errorf("error %v", err)
	}
	if len(b.fake.Journal()) != 0 {
		t.Error("a request that is known not to fit was sent")
	}
}

func TestAProviderThatRefusesEverythingEndsTheRun(t *testing.T) {
	always := providertest.Script(func(providertest.Ask) providertest.Answer {
		return providertest.Answer{}.But(providertest.Overflow{})
	})
	b := newBench(t, models[0], providertest.Config{Script: talker})
	for range 30 {
		b.prompt(providertest.Words(500))
	}
	b2 := newBench(t, models[0], providertest.Config{Script: always})
	b2.store, b2.id = b.store, b.id
	b2.config.Store, b2.config.Conversation = b.store, b.id
	b2.open()
	_, err := all(b2.run.Prompt(t.Context(), message.Text{Text: "Go on."}))
	var over *agent.OverflowError
	if !errors.As(err, &over) || !strings.Contains(err.Error(), "nothing is lost") {
		t.Errorf("error %v", err)
	}
	journal := b2.fake.Journal()
	if len(journal) > 4 || len(journal.Alike()) > 0 {
		t.Errorf("%d requests, alike %v", len(journal), journal.Alike())
	}
}

// TestConversationsPassTheWall is a search over windows, models and wrong
// estimates: no refusal reaches the person, no summary is asked for, and a
// recovery takes at most three requests.
func TestConversationsPassTheWall(t *testing.T) {
	prompts := 12
	if raceEnabled {
		prompts = 6
	}
	rapid.Check(t, func(rt *rapid.T) {
		model := rapid.SampledFrom(models).Draw(rt, "model")
		window := rapid.SampledFrom([]int{8000, 16_000}).Draw(rt, "window")
		factor := rapid.Float64Range(0.5, 2.5).Draw(rt, "factor")
		size := rapid.SampledFrom([]int{50, 600, 3000}).Draw(rt, "size")
		script := func(a providertest.Ask) providertest.Answer {
			if a.Number%3 == 0 && len(a.Results()) == 0 {
				return providertest.Answer{}.Think("Let me see.").Call("look", `{"path":"a"}`).Call("look", `{"path":"b"}`)
			}
			return providertest.Answer{}.Think("Hm.").Say(providertest.Words(size / 4))
		}
		look := &probe{name: "look", readOnly: true}
		b := newBench(t, model, providertest.Config{Window: window, Factor: factor, Script: script}, with(look))
		told := rapid.Bool().Draw(rt, "the window is known")
		if !told {
			b.config.Model.Window = 0
			b.open()
		}
		for i := range prompts {
			_, err := all(b.run.Prompt(t.Context(), message.Text{Text: fmt.Sprintf("%d %s", i, providertest.Words(min(size, window/8)))}))
			if err != nil {
				rt.Fatalf("%s, window %d (known %v), factor %.2f, prompt %d: %v", model, window, told, factor, i, err)
			}
		}
		for _, n := range b.fake.Journal().Recoveries() {
			if n > 3 {
				rt.Fatalf("%d requests for one overflow", n)
			}
		}
		if alike := b.fake.Journal().Alike(); len(alike) > 0 {
			rt.Fatalf("alike: %v", alike)
		}
		covered(rt, b)
	})
}

// covered checks that the stored path is the run's, and nothing is lost.
func covered(t *rapid.T, b *bench) {
	path := b.stored()
	if len(path) != len(b.run.Path()) {
		t.Fatalf("%d entries are stored, the run has %d", len(path), len(b.run.Path()))
	}
	for i := range path {
		if path[i].ID != b.run.Path()[i].ID {
			t.Fatalf("entry %d differs", i+1)
		}
	}
}

func TestASwitchToABlindModelShowsPagesAsText(t *testing.T) {
	b := newBench(t, models[0], providertest.Config{Window: 40_000, Script: talker})
	var compacted bool
	for i := range 40 {
		events := b.prompt(fmt.Sprint(i, providertest.Words(600)))
		compacted = compacted || len(of[agent.Compacted](events)) > 0
	}
	if !compacted {
		t.Fatal("no compaction: the test shows nothing")
	}
	blind := newBench(t, "devstral", providertest.Config{Window: 40_000, Script: talker})
	if err := b.run.Switch(blind.config.Model); err != nil {
		t.Fatal(err)
	}
	b.prompt("Who are you?")
	for _, r := range blind.fake.Journal() {
		if r.Refused != "" || r.Images > 0 {
			t.Errorf("%+v", r)
		}
	}
	if len(blind.fake.Journal()) != 1 {
		t.Errorf("%d requests", len(blind.fake.Journal()))
	}
}

func TestAColdCacheIsATimeToCompact(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	b := newBench(t, models[0], providertest.Config{Window: 40_000, Script: talker, Now: func() time.Time { return now }}, func(c *agent.Config) { c.Now = func() time.Time { return now } })
	size := func() int { p := b.run.Problem(); return p.Meter.Tokens(reclaim.CostOf(p)) }
	for size() < b.run.Problem().Budget.Threshold*75/100 {
		if events := b.prompt(providertest.Words(600)); len(of[agent.Compacted](events)) > 0 {
			t.Fatal("compacted while the cache was warm")
		}
	}
	now = now.Add(time.Hour)
	events := b.prompt("Back again.")
	if c := of[agent.Compacted](events); len(c) != 1 || c[0].Entry.Compaction.Reason.Trigger != history.ByColdCache {
		t.Errorf("%+v", c)
	}
}

func TestTheSummaryRungAsksTheModelOnlyWhereItMay(t *testing.T) {
	summary := "## Goal\ng\n## Constraints\nc\n## Decisions\nd\n## Done\nx\n## Files\nf\n## Errors\ne\n## Open\no\n## Next step\nn\n"
	asked := 0
	script := providertest.Script(func(a providertest.Ask) providertest.Answer {
		if strings.HasPrefix(a.System(), "You condense") {
			asked++
			return providertest.Say(summary)
		}
		return talker(a)
	})
	for _, allowed := range []bool{false, true} {
		asked = 0
		b := newBench(t, models[0], providertest.Config{Window: 40_000, Script: script}, func(c *agent.Config) {
			c.Compaction.Summary = allowed
			c.Compaction.Rungs = []reclaim.Rung{reclaim.Elision}
		})
		var failed error
		for i := range 40 {
			if _, failed = all(b.run.Prompt(t.Context(), message.Text{Text: fmt.Sprint(i, providertest.Words(600))})); failed != nil {
				break
			}
		}
		if (asked > 0) != allowed {
			t.Errorf("allowed %v: asked %d times", allowed, asked)
		}
		if allowed && failed != nil {
			t.Errorf("with a summary it should go on: %v", failed)
		}
	}
}

func TestAFailedSummaryIsToldAndGivenUpAfterThree(t *testing.T) {
	script := providertest.Script(talker).Adversary(providertest.SummaryOverflows)
	b := newBench(t, models[0], providertest.Config{Window: 40_000, Script: script}, func(c *agent.Config) { c.Compaction.Summary = true; c.Compaction.Budget = aimingAt(1) })
	var notices []string
	for i := range 80 {
		for _, n := range of[agent.Notice](b.prompt(fmt.Sprint(i, providertest.Words(600)))) {
			if strings.HasPrefix(n.Text, "The summary failed") {
				notices = append(notices, n.Text)
			}
		}
	}
	if len(notices) != 3 || !strings.Contains(notices[2], "No more are tried") {
		t.Errorf("%q", notices)
	}
}
