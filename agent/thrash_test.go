package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/agent"
	"github.com/stemma-history/stemma/provider/providertest"
	"github.com/stemma-history/stemma/reclaim"
)

// thrashNotices returns what was told of compactions that do not help.
func thrashNotices(events []agent.Event) (told []string) {
	for _, n := range of[agent.Notice](events) {
		if strings.HasPrefix(n.Text, "Compactions no longer help: ") {
			told = append(told, n.Text)
		}
	}
	return told
}

// TestP12AWindowThatIsFullAgainAtOnceIsToldOnce: each prompt alone fills what a
// compaction has freed.
func TestP12AWindowThatIsFullAgainAtOnceIsToldOnce(t *testing.T) {
	b := newBench(t, models[0], providertest.Config{Window: 40_000, Script: talker})
	var told []string
	for i := range 10 {
		told = append(told, thrashNotices(b.prompt(fmt.Sprintf("%d %s", i, providertest.Words(9_000))))...)
		if i == 2 && len(told) > 0 {
			t.Errorf("told before there were three in a row: %q", told)
		}
	}
	if len(told) != 1 || !strings.Contains(told[0], "full again within") || !strings.Contains(told[0], "put long material into files") {
		t.Errorf("%q", told)
	}
}

// TestP12NothingLeftToTakeIsToldOnce: the frame and the first prompt, which stay,
// are over the threshold alone.
func TestP12NothingLeftToTakeIsToldOnce(t *testing.T) {
	b := newBench(t, models[0], providertest.Config{Window: 40_000, Script: providertest.In(providertest.Say("Yes."))}, func(c *agent.Config) {
		c.System = []string{providertest.Words(12_000)}
		c.Compaction.Budget = func(window int) reclaim.Budget {
			b := reclaim.DefaultBudget(window)
			b.Threshold = 20_000
			return b
		}
	})
	var told []string
	for i := range 6 {
		told = append(told, thrashNotices(b.prompt(fmt.Sprint("Are you there? ", i)))...)
	}
	if len(told) != 1 || !strings.Contains(told[0], "nothing is left that is worth taking") || !strings.Contains(told[0], "shorten the system prompt") {
		t.Errorf("%q", told)
	}
}
