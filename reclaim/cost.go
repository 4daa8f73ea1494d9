package reclaim

import "github.com/stemma-history/stemma/tokens"

// CostOf is what a model is sent of a path as it stands, with the frame: the
// measure that Due, Make and Context go by, before it is turned into tokens.
// While no compaction comes, each entry that follows adds [tokens.Meter.Message].
func CostOf(p Problem) tokens.Cost {
	if len(p.Path) == 0 {
		return frameCost(p.Frame, p.Meter)
	}
	return newDraft(&p).total
}
