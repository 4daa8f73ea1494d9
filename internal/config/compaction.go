package config

import (
	"cmp"

	"github.com/stemma-history/stemma/reclaim"
)

// Compaction says when room is made in a window, and how.
type Compaction struct {
	// Threshold is the size of a view from which room is made, Target what is
	// aimed at, and Reserve what is kept free for the answer. Default: those of
	// [reclaim.DefaultBudget].
	Threshold, Target, Reserve Amount
	// Rungs may be used. Default: those that need no model.
	Rungs []reclaim.Rung
	// Summary allows calls of a model for the last rung.
	Summary bool
	// SummaryModel is asked for summaries. Default: that of the conversation.
	SummaryModel string
}

// Budget returns the budget for a window of so many tokens. A setting that
// leaves no room is held to what does: a reserve to half of the window, the
// threshold to what the reserve leaves, the target to the threshold.
func (c *Compaction) Budget(window int) reclaim.Budget {
	b := reclaim.DefaultBudget(window)
	if reserve := min(c.Reserve.Of(window), window/2); reserve > 0 {
		before := b.Limit()
		b.Reserve = reserve
		scale := func(n int) int { return int(int64(n) * int64(b.Limit()) / int64(max(before, 1))) }
		b.Threshold, b.Target, b.Tail = scale(b.Threshold), scale(b.Target), min(scale(b.Tail), b.Tail)
	}
	b.Threshold = min(cmp.Or(c.Threshold.Of(window), b.Threshold), b.Limit())
	b.Target = min(cmp.Or(c.Target.Of(window), b.Target), b.Threshold)
	b.Tail = min(b.Tail, b.Target/3)
	return b
}
