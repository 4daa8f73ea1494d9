package agent_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stemma-history/stemma/agent"
	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider/providertest"
)

// A journey is a long conversation on one model.
type journey struct {
	*bench
	random *rand.Rand
	result int          // how long the result of a call is at most, in words
	fresh  map[int]bool // the requests, counted from 0, that come first after a compaction
	marks  int          // compactions
	walls  int          // signs that the wall was met: requests that were repeated, compactions by refusals
}

// setOut begins a journey. The factor of the server is how many tokens it bills
// for one that is estimated at first.
func setOut(t testing.TB, model string, server providertest.Config, change ...func(*agent.Config)) *journey {
	t.Helper()
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	j := &journey{random: rand.New(rand.NewPCG(1, uint64(server.Window))), result: server.Window / 40, fresh: map[int]bool{0: true}}
	server.Now = clock
	server.Script = func(a providertest.Ask) providertest.Answer {
		if strings.Contains(a.Prompt(), "Condense the ") {
			return providertest.Say(goodSummary() + providertest.Words(summaryWords))
		}
		if len(a.Results()) > 0 && j.random.IntN(3) > 0 {
			return providertest.Say(providertest.Words(20 + j.random.IntN(60)))
		}
		answer := providertest.Answer{}.Think(providertest.Words(10 + j.random.IntN(30)))
		for range 1 + j.random.IntN(3) {
			answer = answer.Call([]string{"read", "write"}[j.random.IntN(2)], fmt.Sprintf(`{"n":%d}`, j.random.IntN(1000)))
		}
		return answer
	}
	says := func(_ context.Context, c tool.Call) tool.Result {
		r := tool.Text(string(c.Arguments) + " " + providertest.Words(5+j.random.IntN(j.result)))
		r.Uneventful = true
		return r
	}
	read := &probe{name: "read", readOnly: true, do: says}
	write := &probe{name: "write", do: func(_ context.Context, c tool.Call) tool.Result { return tool.Text("Wrote " + string(c.Arguments)) }}
	change = append([]func(*agent.Config){with(read, write), func(c *agent.Config) {
		c.Now, c.Parallel = clock, 1
		c.Model.Known.Factor = 1
	}}, change...)
	j.bench = newBench(t, model, server, change...)
	return j
}

func (j *journey) exchanges(n int) {
	j.Helper()
	for i := range n {
		j.say(fmt.Sprintf("Task %d: %s", i, providertest.Words(10+j.random.IntN(40))))
	}
}

func (j *journey) say(text string) {
	j.Helper()
	for e, err := range j.run.Prompt(j.Context(), message.Text{Text: text}) {
		if err != nil {
			j.Fatalf("%.20s: %v", text, err)
		}
		switch e := e.(type) {
		case agent.Compacted:
			j.marks++
			j.fresh[len(j.fake.Journal())] = true
			if e.Entry.Compaction.Reason.Trigger == history.ByRefusal {
				j.walls++
			}
		case agent.Repeated:
			j.walls++
		}
	}
}

// cacheShare is how much of what was sent, except directly after a compaction,
// came out of the provider's cache.
func (j *journey) cacheShare() float64 {
	var read, all int64
	for i, record := range j.fake.Journal() {
		if !j.fresh[i] {
			read, all = read+record.Usage.CacheRead, all+record.Usage.Prompt()
		}
	}
	return float64(read) / float64(max(all, 1))
}

func (j *journey) String() string {
	journal := j.fake.Journal()
	most := 0
	for _, n := range journal.Recoveries() {
		most = max(most, n)
	}
	return fmt.Sprintf("%d requests, %d compactions, %d refusals (at most %d requests after one), cache read %.0f %% between compactions and %.0f %% in all, $%.3f",
		len(journal), j.marks, len(journal.Refused()), most, 100*j.cacheShare(), 100*journal.CacheReadShare(), journal.CostUSD())
}

// checkRecoveries holds what was sent to P11.
func (j *journey) checkRecoveries() {
	j.Helper()
	journal := j.fake.Journal()
	for _, n := range journal.Recoveries() {
		if n > 3 {
			j.Errorf("%d requests after a refusal", n)
		}
	}
	for _, r := range journal.Refused() {
		if !r.Overflow {
			j.Errorf("request %d was refused: %s", r.Number, r.Refused)
		}
	}
	if pairs := journal.Alike(); len(pairs) > 0 {
		j.Errorf("requests were sent twice: %v", pairs)
	}
}

// soak is set for tests that may take longer.
var soak = os.Getenv("STEMMA_SOAK") != ""

// P11 and P3: a conversation goes on for as long as people want, whatever the
// window is and however wrong the estimate begins: no refusal is seen by anyone,
// and no model is asked for a summary.
func TestP11LongConversationsNeverSeeTheWall(t *testing.T) {
	windows, errors, exchanges := []int{8_000, 32_000}, []float64{-0.6, 0.6}, 25
	switch {
	case raceEnabled:
		windows, exchanges = windows[:1], 15
	case soak:
		windows, errors, exchanges = []int{8_000, 32_000, 200_000}, []float64{-0.6, -0.3, 0, 0.3, 0.6}, 500
	}
	for _, model := range models {
		for _, window := range windows {
			for _, wrong := range errors {
				t.Run(fmt.Sprintf("%s/%d/%+.0f%%", model, window, 100*wrong), func(t *testing.T) {
					j := setOut(t, model, providertest.Config{Window: window, Factor: 1 / (1 + wrong)})
					j.exchanges(exchanges)
					t.Log(j)
					j.checkRecoveries()
					if share := j.cacheShare(); share < 0.8 {
						t.Errorf("only %.0f %% came out of the cache", 100*share)
					}
				})
			}
		}
	}
}

// summaryWords is how long a summary is: about what models write when they are
// asked for sections.
const summaryWords = 600

// BenchmarkPrice is what 100 exchanges cost by the prices of the catalogue and
// the cache of the fake: with the ladder in a window of 32,000 tokens, with
// summaries alone in the same window, and with nothing reclaimed, in a window
// that takes it all.
func BenchmarkPrice(b *testing.B) {
	const window, exchanges = 32_000, 100
	for _, model := range models {
		for _, way := range []struct {
			name   string
			window int
			change func(*agent.Config)
		}{
			{"ladder", window, func(*agent.Config) {}},
			{"summary", window, summaries},
			{"nothing", 4_000_000, func(c *agent.Config) { c.Compaction.Off = true }},
		} {
			b.Run(model+"/"+way.name, func(b *testing.B) {
				for b.Loop() {
					j := setOut(b, model, providertest.Config{Window: way.window}, way.change)
					j.random, j.result = rand.New(rand.NewPCG(1, window)), window/40
					j.exchanges(exchanges)
					b.Log(strings.TrimSpace(j.String()))
					b.ReportMetric(j.fake.Journal().CostUSD(), "$/100")
					b.ReportMetric(100*j.fake.Journal().CacheReadShare(), "%cached")
					b.ReportMetric(float64(j.marks), "compactions")
				}
			})
		}
	}
}

// P11: where the window is far smaller than anybody said, the refusals teach it.
func TestP11AWrongWindowIsLearned(t *testing.T) {
	for _, model := range models {
		t.Run(model, func(t *testing.T) {
			j := setOut(t, model, providertest.Config{Window: 8_000, Factor: 2}, func(c *agent.Config) { c.Model.Window = 1_000_000 })
			j.exchanges(25)
			t.Log(j)
			j.checkRecoveries()
			walls := j.walls
			if walls == 0 {
				t.Error("the wall was never met: the test shows nothing")
			}
			j.open() // what was learned is on the path
			j.exchanges(10)
			if n := j.walls - walls; n > 2 {
				t.Errorf("after a restart, the wall was met again: %d signs", n)
			}
		})
	}
}

// P11: whatever words a server has for it, and also where it has none. Of those
// that say nothing, the window is known, and the estimate is far too low.
func TestP11EveryServersWordsAreUnderstood(t *testing.T) {
	byWire := map[string]string{"anthropic": models[0], "openai-responses": models[1], "openai-chat": models[2], "gemini": models[3]}
	for i, d := range providertest.Dialects() {
		model, ok := byWire[d.Wire]
		if !ok {
			continue // Ollama's own API; its provider has tests of its own
		}
		if raceEnabled && d.Silent == providertest.Speaks && i%4 > 0 {
			continue // it differs by words alone
		}
		t.Run(d.Name, func(t *testing.T) {
			told := d.Silent != providertest.Speaks || d.Body == ""
			j := setOut(t, model, providertest.Config{Window: 8_000, Factor: 1.5, Dialect: d}, func(c *agent.Config) {
				c.Model.Window = 200_000
				if told {
					c.Model.Window, c.Model.Known.Factor = 8_000, 0.5
				}
				if d.Body == "" && d.Silent == providertest.Speaks { // only a request that may well be too large is taken to be refused for it
					c.Model.Known.Factor, c.Compaction.Off = 1, true
				}
			})
			if told {
				j.say("Read this: " + providertest.Words(5000))
			}
			j.exchanges(20)
			t.Log(j)
			j.checkRecoveries()
			if j.walls == 0 {
				t.Error("the wall was never met: the test shows nothing")
			}
		})
	}
}
