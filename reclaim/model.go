package reclaim

import (
	"cmp"
	"slices"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/snapshot"
	"github.com/stemma-history/stemma/tokens"
	"github.com/stemma-history/stemma/wire"
)

// ReaderOf returns what a model can take besides text.
func ReaderOf(m catalog.Model) Reader {
	r := Reader{
		Sees:      m.Sees(),
		MaxImages: m.Images.MaxCount,
		// Half of the body is left for text; base64 makes 4 bytes of 3.
		MaxImageBytes: int64(m.Images.MaxRequestBytes) / 2 * 3 / 4,
		MaxFileBytes:  int64(m.Images.MaxBytes) / 4 * 3,
		MaxEdgePx:     m.Images.MaxEdge,
		ManyImages:    m.Images.ManyCount,
		ManyEdgePx:    m.Images.ManyEdge,
	}
	if m.ReadsPages() {
		if shape, ok := snapshot.ShapeNamed(cmp.Or(m.Images.Page.Shape, snapshot.DefaultShape)); ok {
			r.Shape = shape.WithPage(m.Images.Page.Width, m.Images.Page.Height)
		}
	}
	return r
}

// MeterOf returns the measure for a model, calibrated by what it billed for
// requests on the path.
func MeterOf(m catalog.Model, path []history.Entry, name string) tokens.Meter {
	return tokens.Meter{Factor: tokens.Calibrate(path, name, cmp.Or(m.Factor, 1)), Image: m.Images.Price.Price}
}

// WindowOf returns what a model accepts: window, or where that is 0 what the
// catalogue says, and no more than its newest refusal on the path stated.
func WindowOf(m catalog.Model, path []history.Entry, name string, window int) int {
	window = cmp.Or(window, m.Window)
	for i := range slices.Backward(path) {
		c := path[i].Compaction
		if c == nil || c.Reason.Trigger != history.ByRefusal || c.Reason.Model != name || c.Reason.Limit <= 0 {
			continue
		}
		if learned := int(c.Reason.Limit); window == 0 || learned < window {
			return learned
		}
		break
	}
	return window
}

// ProblemFor poses the problem of sending a path to a model. window overrides
// the model's where it is not 0. What refusals on the path have taught lowers
// the window and calibrates the meter.
func ProblemFor(m catalog.Model, frame wire.Frame, path []history.Entry, pins []history.ID, window int) Problem {
	return Problem{
		Path:   path,
		Pins:   pins,
		Frame:  frame,
		Meter:  MeterOf(m, path, frame.Model),
		Budget: DefaultBudget(WindowOf(m, path, frame.Model, window)),
		Reader: ReaderOf(m),
		Reason: history.Reason{Trigger: history.ByCommand, Model: frame.Model},
	}
}
