package tokens

import (
	"slices"

	"github.com/stemma-history/stemma/history"
)

// Calibration looks at this many of the newest measurements, and believes no
// factor outside these bounds: a cut or repeated request must not throw the
// estimate off for good.
const (
	measurements = 5
	minFactor    = 0.5
	maxFactor    = 3
)

// Calibrate returns the factor between what a model was estimated to cost and
// what it was billed, from the newest answers of that model on a path, and from
// the numbers in its refusals. It is the median of the newest measurements, back
// to the newest refusal, which showed that older ones had misled; start where
// there are none. Estimates recorded on a path are those of a Meter without a
// factor.
func Calibrate(path []history.Entry, model string, start float64) float64 {
	var factors []float64
	for i := range slices.Backward(path) {
		e := &path[i]
		estimated, billed := measured(e, model)
		if estimated <= 0 || billed <= 0 {
			continue
		}
		factors = append(factors, float64(billed)/float64(estimated))
		if e.Compaction != nil || len(factors) == measurements {
			break
		}
	}
	if len(factors) == 0 {
		return start
	}
	slices.Sort(factors)
	return min(max(factors[len(factors)/2], minFactor), maxFactor)
}

// measured returns what the request behind an entry was estimated to cost and
// what the provider counted, 0 where that is not known.
func measured(e *history.Entry, model string) (estimated, billed int64) {
	switch {
	case e.Message != nil && e.Usage != nil && e.Message.Model == model:
		return e.Usage.Estimate, e.Usage.Prompt()
	case e.Compaction != nil && e.Compaction.Reason.Model == model && e.Compaction.Reason.Trigger == history.ByRefusal:
		return e.Compaction.Reason.Estimate, e.Compaction.Reason.Used
	}
	return 0, 0
}
