package reclaim

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/tokens"
)

// A Refusal is a provider's no to a request that was too large, or a bill that
// shows that it cut the prompt.
type Refusal struct {
	Of Measure // Default: OfTokens
	// Used and Limit are in the unit of Of, 0 where the provider does not say.
	Used, Limit int
	// Blind says that the model reads no images at all.
	Blind bool
	Text  string // the provider's words
}

// A Measure is what a limit counts.
type Measure string

const (
	OfTokens Measure = "tokens" // of the prompt, or of prompt and answer
	OfBytes  Measure = "bytes"  // of the body
	// OfImages is how many they are, the longest side of one in pixels, or the
	// bytes of one in base64: the size of the number tells which.
	OfImages Measure = "images"
)

// MostRecoveries is how many requests follow a refusal. (P11)
const MostRecoveries = 3

// unsaidShare is what a request is shrunk to, behind its frame, after a refusal
// that says nothing of sizes. Three halvings end at an eighth: enough for an
// estimate that is 60 % too low in a window that is four times smaller than it
// was taken for.
const unsaidShare = 0.5

// A RefusedError says that no smaller request is left to try.
type RefusedError struct {
	Refusal  Refusal
	Requests int    // that were sent after the first refusal
	Why      string // there is no smaller one
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the request stays too large (%s): %s; use a model with a larger window, or go back with rewind or branch: nothing is lost", e.Refusal.measure(), e.Why)
}

// AfterRefusal plans the request that follows a refused one, which showed the
// path of p as it stands: strictly smaller, by what the refusal teaches, by the
// free rungs alone. Its compaction records the refusal, so that whoever plans
// for the path after it knows the window and the factor of the estimate (see
// [ProblemFor]). Refusals in a row, counted on the path, shrink it further.
//
// The error is a [*FitError] where no view can be made small enough, or a
// [*RefusedError] after [MostRecoveries] or where nothing is left to take out.
func AfterRefusal(p Problem, r Refusal) (Plan, error) {
	row := refusalsInARow(p.Path, p.Reason.Model)
	if row >= MostRecoveries {
		return Plan{}, &RefusedError{r, row, fmt.Sprintf("%d smaller requests were refused too", row)}
	}
	p = taught(p, r)
	size := p.Meter.Tokens(CostOf(p))
	limit := p.Budget.Limit()
	first := limit // what is tried first
	switch r.measure() {
	case OfTokens:
		limit = limitAfter(p, r, size)
		first = limit
		if r.saysSizes() { // and if not for the first time, the estimate is wrong about what is left
			first = limit * (MostRecoveries + 1 - row) / (MostRecoveries + 1)
		}
	case OfImages:
		p.Reader = fewerImages(p, r, row)
	case OfBytes:
		p.Reader, limit = fewerBytes(p, r, size)
		first = limit
	}
	var fit *FitError
	plan, err := makeWithin(p, first)
	if errors.As(err, &fit) {
		plan, err = makeWithin(p, limit)
	}
	if errors.As(err, &fit) && !r.saysSizes() && fit.smallest < size {
		plan, err = makeWithin(p, fit.smallest)
	}
	if err == nil && plan.Compaction == nil {
		err = &RefusedError{r, row, plan.Why}
	}
	return plan, err
}

func makeWithin(p Problem, limit int) (Plan, error) {
	p.Budget = p.Budget.within(limit)
	return Make(p)
}

// saysSizes reports whether the refusal says by how much the request is too
// large.
func (r *Refusal) saysSizes() bool { return r.Limit > 0 && r.Used > r.Limit }

func (r *Refusal) measure() Measure {
	if r.Of == "" {
		return OfTokens
	}
	return r.Of
}

// refusalsInARow counts the compactions that refusals of one model caused at
// the end of a path: no message has come since the first.
func refusalsInARow(path []history.Entry, model string) int {
	n := 0
	for _, e := range slices.Backward(path) {
		if e.Compaction == nil || e.Compaction.Reason.Trigger != history.ByRefusal || e.Compaction.Reason.Model != model {
			break
		}
		n++
	}
	return n
}

// taught returns a problem that knows what the refusal says: its reason holds
// the numbers, and its meter agrees with them.
func taught(p Problem, r Refusal) Problem {
	p.Rungs = FreeRungs
	p.Reason.Trigger, p.Reason.Note = history.ByRefusal, r.Text
	if r.measure() == OfTokens {
		p.Reason.Used, p.Reason.Limit = int64(r.Used), int64(r.Limit)
		p.Reason.Estimate = int64(tokens.Meter{}.Tokens(CostOf(p)))
		lesson := []history.Entry{{Compaction: &history.Compaction{Reason: p.Reason}}}
		p.Meter.Factor = tokens.Calibrate(lesson, p.Reason.Model, p.Meter.Factor)
	}
	return p
}

// within returns the budget for views of at most limit tokens.
func (b Budget) within(limit int) Budget {
	return Budget{
		Window:    limit + b.Reserve,
		Reserve:   b.Reserve,
		Threshold: min(b.Threshold, limit*9/10),
		Target:    min(b.Target, limit/2),
		Tail:      min(b.Tail, limit/6),
	}
}

// limitAfter returns how large the next view may be, in the tokens of the
// problem's meter, where the refused one had size.
func limitAfter(p Problem, r Refusal, size int) int {
	window := p.Budget.Window
	if r.Limit > 0 {
		window = min(window, r.Limit)
	}
	if r.saysSizes() { // both in the provider's tokens, and the size may not be
		window = min(window, int(int64(size)*int64(r.Limit)/int64(r.Used)))
	}
	limit := window - min(p.Budget.Reserve, window/3)
	if r.Used > 0 && limit < size {
		return limit
	}
	frame := p.Meter.Tokens(frameCost(p.Frame, p.Meter))
	return min(limit, frame+int(float64(size-frame)*unsaidShare))
}

// The smallest numbers that are pixels, and bytes, where a refusal is about
// images: no provider takes so many images, or images so wide. (2026-11)
const (
	leastPixels = 1000
	leastBytes  = 100_000
)

// fewerImages returns a reader that does not take all images of the view: those
// that the refusal is about, or the older half; after two refusals none.
func fewerImages(p Problem, r Refusal, row int) Reader {
	reader := p.Reader
	count, _ := mediaIn(newDraft(&p))
	switch {
	case r.Blind || count <= 1 && r.Limit < leastPixels || row == MostRecoveries-1:
		return Reader{}
	case row == 0 && r.Limit >= leastBytes:
		reader.MaxFileBytes = int64(r.Limit) / 4 * 3
	case row == 0 && r.Limit >= leastPixels:
		reader.MaxEdgePx = r.Limit
	case row == 0 && 0 < r.Limit && r.Limit < count:
		reader.MaxImages = r.Limit
	default:
		reader.MaxImages = max(count/2, 1)
	}
	return reader
}

// fewerBytes returns a reader of fewer bytes of images, and a limit for the view:
// what most of the body is made of gives way.
func fewerBytes(p Problem, r Refusal, size int) (Reader, int) {
	share := unsaidShare
	if r.saysSizes() {
		share = 0.9 * float64(r.Limit) / float64(r.Used)
	}
	reader := p.Reader
	_, bytes := mediaIn(newDraft(&p))
	if bytes > 0 {
		reader.MaxImageBytes = max(int64(float64(bytes)*share), 1)
	}
	const bytesPerToken = 4
	if bytes*4/3 > int64(CostOf(p).Text)*bytesPerToken {
		return reader, p.Budget.Limit()
	}
	return reader, min(int(float64(size)*share), p.Budget.Limit())
}

// mediaIn counts the images, documents and pages in a draft, and about how many
// bytes they have.
func mediaIn(d *draft) (count int, bytes int64) {
	return mediaOf(d, picturesOf(d))
}

// mediaOf is mediaIn where the pictures of the draft are known.
func mediaOf(d *draft, pictures []picture) (count int, bytes int64) {
	count, bytes = pagesIn(d)
	for i := range pictures {
		count, bytes = count+pictures[i].count, bytes+pictures[i].bytes
	}
	return count, bytes
}
