package reclaim

import (
	"cmp"
	"slices"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/snapshot"
	"github.com/stemma-history/stemma/tokens"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/wires"
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

// over returns the reader that is left of r where requests go over a wire: what
// its encoder would refuse of every model, the ladder takes out before. A wire
// that is not known leaves all.
func (r Reader) over(name string) Reader {
	w, err := wires.Named(name)
	if err != nil {
		return r
	}
	l := w.Limits()
	r.MaxImages = least(r.MaxImages, l.Media)
	r.MaxImageBytes = least(r.MaxImageBytes, int64(l.BodyBytes)/2*3/4)
	r.MaxFileBytes = least(r.MaxFileBytes, int64(l.ImageBytes)/4*3)
	r.MaxEdgePx = least(r.MaxEdgePx, l.SidePx)
	r.ManyImages = least(r.ManyImages, l.ManyImages)
	r.ManyEdgePx = least(r.ManyEdgePx, l.ManySidePx)
	if edge := least(r.MaxEdgePx, r.ManyEdgePx); edge > 0 { // pages become many
		r.Shape = r.Shape.WithPage(min(r.Shape.PageWidth, edge), min(r.Shape.PageHeight, edge))
	}
	return r
}

// least returns the smaller of two limits, of which 0 is none.
func least[N int | int64](a, b N) N {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
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
		Reader: ReaderOf(m).over(frame.Wire),
		Reason: history.Reason{Trigger: history.ByCommand, Model: frame.Model},
	}
}
