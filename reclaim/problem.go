package reclaim

import (
	"fmt"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/tokens"
	"github.com/stemma-history/stemma/wire"
)

// A Rung is one way to reclaim context, cheapest first.
type Rung string

const (
	Elision Rung = "elision" // old tool results that decided nothing, old thinking
	Images  Rung = "images"  // old images and documents
	Pages   Rung = "snapshot"
	Outline Rung = "outline" // one line an exchange, where pages cannot serve
	Summary Rung = "summary" // a model's narrative
)

// FreeRungs are those that need no model.
var FreeRungs = []Rung{Elision, Images, Pages, Outline}

// A Budget is how much of a model's window a view may fill, in tokens.
type Budget struct {
	Window    int // what the model accepts, its answer included
	Reserve   int // kept free for the answer
	Threshold int // a view larger than this is due for a compaction
	Target    int // what a compaction aims at; 0 is as small as it gets
	Tail      int // the newest turns, at most this large, stay as they are
}

// DefaultBudget returns the budget for a window. The reserve is what other
// tools keep for an answer (pi: 16,384, November 2026), at most a fifth. The
// threshold leaves a tenth of the rest for what the estimate misses; the target
// leaves half of it free, so that compactions are rare. The tail is what pi and
// Codex keep (20,000), at most a third of the target.
func DefaultBudget(window int) Budget {
	reserve := min(16_384, window/5)
	limit := window - reserve
	return Budget{Window: window, Reserve: reserve, Threshold: limit * 9 / 10, Target: limit / 2, Tail: min(20_000, limit/6)}
}

// Limit is the largest view that fits.
func (b Budget) Limit() int { return b.Window - b.Reserve }

// A Problem is a path that has outgrown its budget, or may.
type Problem struct {
	Path   []history.Entry // from the root to the tip
	Pins   []history.ID
	Frame  wire.Frame
	Meter  tokens.Meter
	Budget Budget
	// Reader is what the model can take besides text.
	Reader Reader
	// Rungs may be used. Default: FreeRungs.
	Rungs []Rung
	// Reason is why the plan is made; Before and After are filled in.
	Reason history.Reason
}

// A Plan is what to do about a problem.
type Plan struct {
	// Compaction is to be appended at the tip; nil where there is nothing to do
	// or it would not pay.
	Compaction *history.Compaction
	Steps      []Step
	// Path is the cost with everything whole, Before that of the view as it
	// stands, After with the compaction. All include the frame.
	Path, Before, After int
	Fits                bool   // After is within the budget's limit
	Why                 string // for people, where there is no compaction
}

// A Step is what one rung did.
type Step struct {
	Rung          Rung
	Applied       bool
	Why           string // what it did, or why it did nothing
	Items         int    // results, images, pages or lines; of a summary, calls of the model
	Before, After int    // tokens of the view
	Savings       []Saving
}

// A FitError says that nothing fits: one part alone is larger than the limit.
type FitError struct {
	Part  string // what is too large
	Size  int    // in tokens
	Limit int

	smallest int // the smallest view that was tried
}

func (e *FitError) Error() string {
	return fmt.Sprintf("nothing fits: %s alone is about %d tokens, the limit is %d; use a model with a larger window, or make it smaller", e.Part, e.Size, e.Limit)
}

// frameCost is what stands around the messages.
func frameCost(f wire.Frame, m tokens.Meter) tokens.Cost {
	var c tokens.Cost
	for _, text := range f.System {
		c = c.Add(m.Text(text))
	}
	for _, t := range f.Tools {
		c = c.Add(m.Text(t.Name)).Add(m.Text(t.Description)).Add(m.Text(string(t.Schema)))
	}
	return c
}
