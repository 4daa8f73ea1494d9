package agent

import (
	"context"
	"errors"
	"slices"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/tokens"
)

// ladderState is what a run remembers of making room.
type ladderState struct {
	posed     *reclaim.Problem // of the path as far as it was when it was posed
	meter     *tokens.Meter
	truncated *provider.Error // the last prompt was cut without a word
	maxOutput int             // what a refusal said about the longest answer
	stalled   int             // the size at which no plan paid: none is made before it has grown
	thrashing bool            // it was told that compactions do not help
	failures  int             // of summaries, in a row
	// learned is a window that a refusal told of and no compaction recorded,
	// since a shorter answer was all that it took.
	learned int
}

const (
	// stallMargin is by how much more than at the last stall a view must have
	// grown before a compaction is thought about again: one part of so many.
	stallMargin = 10
	// coldShare is how much of the threshold a view must fill for a compaction
	// while the cache is cold anyway.
	coldPercent = 60
	// mostFailures is after how many failed summaries in a row none is asked for
	// any more.
	mostFailures = 3
)

// meter is the measure for the model, as calibrated by the path.
func (r *Run) meter() tokens.Meter {
	if r.state.meter == nil {
		m := reclaim.MeterOf(r.Model.Known, r.path, r.frame.Model)
		r.state.meter = &m
	}
	return *r.state.meter
}

// window is what the model accepts, its answer included.
func (r *Run) window() int { return r.problem("").Budget.Window }

// problem poses the problem of sending the path.
func (r *Run) problem(trigger history.Trigger) reclaim.Problem {
	if r.state.posed == nil {
		p := r.pose()
		r.state.posed = &p
	}
	p := *r.state.posed
	p.Path, p.Meter = r.path, r.meter()
	p.Reason.Trigger = trigger
	return p
}

// pose looks through the whole path, which a turn has no time for.
func (r *Run) pose() reclaim.Problem {
	p := reclaim.ProblemFor(r.Model.Known, r.frame, r.path, r.pins, r.knownWindow())
	p.Rungs = r.Compaction.Rungs
	p.Budget = r.Compaction.Budget(p.Budget.Window)
	p.Budget.Reserve = max(p.Budget.Reserve, min(r.Model.MaxOutput, p.Budget.Window/2))
	return p
}

// knownWindow is the window by the settings, or smaller where a refusal has
// shown that. One without numbers says that the window is smaller than what was
// refused.
func (r *Run) knownWindow() int {
	window := r.Model.window()
	if r.state.learned > 0 {
		window = min(window, r.state.learned)
	}
	for _, e := range slices.Backward(r.path) {
		if c := e.Compaction; c != nil && c.Reason.Trigger == history.ByRefusal && c.Reason.Model == r.frame.Model {
			if c.Reason.Limit == 0 && c.Reason.Estimate > 0 {
				window = min(window, r.meter().Tokens(tokens.Cost{Text: int(c.Reason.Estimate)}))
			}
			break
		}
	}
	return window
}

// Problem is what a compaction of the run's path as it stands would solve, for
// reports such as [reclaim.Context].
func (r *Run) Problem() reclaim.Problem { return r.problem(history.ByCommand) }

// due says why room is to be made before the next request, or "".
func (r *Run) due() history.Trigger {
	if r.state.truncated != nil {
		return history.ByRefusal
	}
	p := r.problem("")
	why := r.standing.Due(p)
	if why == history.BySwitch {
		return why
	}
	size := p.Meter.Tokens(r.standing.Cost(p))
	threshold := min(p.Budget.Threshold, p.Budget.Limit())
	switch {
	case r.Compaction.Off:
		return ""
	case r.state.stalled > 0 && size < r.state.stalled+r.state.stalled/stallMargin && size <= p.Budget.Limit():
		return ""
	case why != "":
		return why
	case size > threshold*coldPercent/100 && !r.answered.IsZero() && r.Now().Sub(r.answered) > r.Compaction.Cold:
		return history.ByColdCache
	}
	return ""
}

// makeRoom compacts the path where that is due. The error is a
// [*reclaim.FitError] where nothing fits.
func (r *Run) makeRoom(ctx context.Context) error {
	trigger := r.due()
	if trigger == "" {
		return nil
	}
	if refusal := r.state.truncated; refusal != nil {
		r.state.truncated = nil
		plan, err := reclaim.AfterRefusal(r.problem(trigger), refusalOf(refusal, 0))
		if err != nil {
			return err
		}
		return r.compact(ctx, plan)
	}
	p := r.problem(trigger)
	plan, err := r.plan(ctx, p)
	if err != nil {
		return err
	}
	if plan.Compaction == nil {
		r.state.stalled = max(plan.Before, 1)
		r.tellThrash(reclaim.Thrashing(p, &plan))
		return nil
	}
	return r.compact(ctx, plan)
}

// plan plans a compaction: by the free rungs, and by a summary where that is
// allowed and they do not reach the target.
func (r *Run) plan(ctx context.Context, p reclaim.Problem) (reclaim.Plan, error) {
	plan, err := reclaim.Make(p)
	var fit *reclaim.FitError
	if err != nil && !errors.As(err, &fit) {
		return plan, err
	}
	enough := err == nil && plan.After <= p.Budget.Target
	if enough || !r.Compaction.Summary || r.state.failures >= mostFailures {
		return plan, err
	}
	summary, failed := reclaim.WithSummary(ctx, p, r.summariser())
	switch {
	case ctx.Err() != nil:
		return plan, ctx.Err()
	case failed != nil:
		r.state.failures++
		text := "The summary failed: " + failed.Error() + "."
		if r.state.failures == mostFailures {
			text += " No more are tried in this run."
		}
		r.tell(Notice{text})
		return plan, err
	case summary.Compaction == nil || !summary.Fits:
		return plan, err
	}
	r.state.failures = 0
	return summary, nil
}

// compact saves a planned compaction.
func (r *Run) compact(ctx context.Context, plan reclaim.Plan) error {
	hidden := r.hiddenMarks()
	saved, err := r.save(ctx, history.AppendRequest{Entries: []history.Entry{{Compaction: plan.Compaction}}})
	if err != nil {
		return err
	}
	r.state.stalled = 0
	dropped := slices.DeleteFunc(r.hiddenMarks(), func(m history.Checkpoint) bool {
		return slices.ContainsFunc(hidden, func(h history.Checkpoint) bool { return h.ID == m.ID })
	})
	r.tell(Compacted{Entry: saved[0], Plan: plan, Dropped: dropped})
	r.tellThrash(reclaim.Thrashing(r.problem(""), nil))
	return nil
}

// tellThrash tells that compactions no longer help, and what to do: once for as
// long as it goes on.
func (r *Run) tellThrash(t *reclaim.Thrash) {
	if t != nil && !r.state.thrashing {
		r.tell(Notice{"Compactions no longer help: " + t.String() + "."})
	}
	r.state.thrashing = t != nil
}

// A CompactRequest is what a person asks for. The zero request takes all rungs
// of the run to its target.
type CompactRequest struct {
	Rungs []reclaim.Rung // Default: those of the run. [reclaim.Summary] asks the model.
	// Target is the size in tokens that is aimed at; 0 is that of the run, and
	// below 0 as small as it gets.
	Target int
	Focus  string // what a summary should keep above all
}

// Compact makes room because a person asks for it. Where nothing can be done,
// a Notice says why.
func (r *Run) Compact(ctx context.Context, c CompactRequest) Events {
	return r.work(ctx, func(ctx context.Context) error {
		if err := r.catchUp(ctx); err != nil {
			return err
		}
		p := r.problem(history.ByCommand)
		p.Reason.Note = c.Focus
		if c.Rungs != nil {
			p.Rungs = c.Rungs
		}
		switch {
		case c.Target > 0:
			p.Budget.Target = c.Target
		case c.Target < 0:
			p.Budget.Target = 0
		}
		plan, err := r.planFor(ctx, p)
		if err != nil {
			return err
		}
		if plan.Compaction == nil {
			r.tell(Notice{nothingDone(&plan, p.Budget.Target)})
			return nil
		}
		return r.compact(ctx, plan)
	})
}

// nothingDone says why a compaction that was asked for changes nothing, rung by
// rung.
func nothingDone(plan *reclaim.Plan, target int) string {
	why := plan.Why
	if len(plan.Steps) > 0 && plan.Before <= target { // a summary is written whatever is aimed at
		why = "the view is about " + words.Thousands(plan.Before) + " tokens, and " + words.Thousands(target) + " are aimed at"
	}
	text := "Nothing was compacted: " + why + "."
	for _, s := range plan.Steps {
		if s.Why != why {
			text += "\nnot " + string(s.Rung) + ": " + s.Why
		}
	}
	return text
}

func (r *Run) planFor(ctx context.Context, p reclaim.Problem) (reclaim.Plan, error) {
	if slices.Contains(p.Rungs, reclaim.Summary) {
		return reclaim.WithSummary(ctx, p, r.summariser())
	}
	return reclaim.Make(p)
}

// capResults shows long results of a turn by their beginning and end, before
// any request has shown them whole.
func (r *Run) capResults(entries []history.Entry) *history.Compaction {
	limit := r.Compaction.Result
	if limit == 0 {
		limit = min(r.window()/8, 25_000)
	}
	turn := slices.Clone(entries)
	for i := range turn {
		turn[i].Depth = r.depth() + 1 + i
	}
	return reclaim.Cap(turn, r.meter(), limit)
}
