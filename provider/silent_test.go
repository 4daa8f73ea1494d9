package provider

import (
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

func TestABillShowsThatThePromptWasCut(t *testing.T) {
	for _, c := range []struct {
		name             string
		estimate, window int
		usage            history.Usage
		stop             message.Stop
		dropped          int
		silent           bool
	}{
		{name: "Ollama: the bill is the window", estimate: 9000, window: 4096, usage: history.Usage{Input: 4096, Output: 3}, silent: true},
		{name: "z.ai: more than the window", estimate: 210_000, window: 200_000, usage: history.Usage{Input: 1000, CacheRead: 200_000, Output: 3}, silent: true},
		{name: "MiMo: no answer, and hardly any room", estimate: 198_000, window: 200_000, usage: history.Usage{Input: 199_000}, stop: message.StopLength, silent: true},
		{name: "half of what it should cost", estimate: 100_000, window: 200_000, usage: history.Usage{Input: 20_000, CacheRead: 35_000, Output: 3}, silent: true},
		{name: "half, window unknown", estimate: 100_000, usage: history.Usage{Input: 50_000, Output: 3}, silent: true},
		{name: "an estimate that is 60 % too high", estimate: 16_000, window: 200_000, usage: history.Usage{Input: 10_000, Output: 3}},
		{name: "the cache counts", estimate: 100_000, window: 200_000, usage: history.Usage{Input: 10, CacheRead: 80_000, CacheWrite: 9_000}},
		{name: "no bill", estimate: 100_000, window: 200_000},
		{name: "too small to tell", estimate: 900, window: 200_000, usage: history.Usage{Input: 100}},
		{name: "the provider says what it left out", estimate: 100_000, window: 200_000, usage: history.Usage{Input: 50_000}, dropped: 3},
		{name: "a short answer at its limit", estimate: 100_000, window: 200_000, usage: history.Usage{Input: 199_000, Output: 1}, stop: message.StopLength},
	} {
		e := Truncated("it", Request{Estimate: c.estimate, Window: c.window}, Answer{Message: message.Message{Stop: c.stop}, Usage: c.usage, Dropped: c.dropped})
		if (e != nil) != c.silent {
			t.Errorf("%s: %v", c.name, e)
			continue
		}
		if e != nil && (e.Kind != Overflow || !e.Overflow.Silent || e.Overflow.Of != OfTokens || e.Overflow.Used == 0 || e.Overflow.Limit == 0) {
			t.Errorf("%s: %+v", c.name, e)
		}
	}
}
