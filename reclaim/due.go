package reclaim

import (
	"slices"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/tokens"
)

// Due says why a path needs a compaction before it is sent, or "" where the
// view as it stands will do: it is within the threshold, or what has come since
// the last compaction that was not asked for is too little for another to pay,
// and fits.
func Due(p Problem) history.Trigger { return new(Standing).Due(p) }

// tooSoon reports whether hardly anything has come since the path was last
// compacted without anybody asking: the next compaction would find nothing.
func tooSoon(d *draft) bool {
	added := tokens.Cost{}
	for i, e := range slices.Backward(d.problem.Path) {
		if e.Compaction == nil {
			added = added.Add(d.entries[i].cost)
			continue
		}
		switch e.Compaction.Reason.Trigger {
		case history.ByThreshold, history.ByRefusal, history.BySwitch, history.ByColdCache:
			return d.problem.Meter.Tokens(added)*minPart < d.problem.Budget.Limit()
		}
	}
	return false
}

// unreadable shows as text again what the path records as pages that the model
// cannot read: it is blind, its provider would make them smaller, or takes
// fewer images.
func unreadable(d *draft) (Step, bool) {
	step := Step{Rung: Pages, Before: d.tokens(), Why: "the model cannot read the pages of this path: they are text again"}
	reader := d.problem.Reader
	count, bytes := pagesIn(d)
	tooMany := reader.MaxImages > 0 && count > reader.MaxImages || reader.MaxImageBytes > 0 && bytes > reader.MaxImageBytes
	for i := range d.entries {
		cover := d.entries[i].cover
		if cover == nil || cover.As != history.AsPages || !tooMany && readable(cover.Pages, reader) {
			continue
		}
		d.treat(history.Treatment{From: cover.From, To: cover.To, As: history.AsWhole})
		step.Items += len(cover.Pages.Pages)
	}
	step.After, step.Applied = d.tokens(), step.Items > 0
	return step, step.Applied
}

func readable(p *history.Pages, r Reader) bool {
	if !r.Sees || r.Shape.Font == "" {
		return false
	}
	for _, page := range p.Pages {
		if page.Width > r.Shape.PageWidth || page.Height > r.Shape.PageHeight {
			return false
		}
	}
	return true
}

// Ready returns a path whose view can be sent: p.Path, or p.Path with the
// compaction that is due. The plan is nil where none was. The error is a
// [*FitError] where no view fits.
func Ready(p Problem) ([]history.Entry, *Plan, error) { return new(Standing).Ready(p) }
