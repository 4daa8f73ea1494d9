package reclaim

import (
	"fmt"
	"slices"

	"github.com/stemma-history/stemma/history"
)

// minPart is the smallest share of the view that a compaction must free to be
// worth the provider's cold cache; a plan that must fit needs no margin.
const minPart = 20 // one twentieth

// Make plans how to bring a path within its budget. It is pure: the same
// problem gives the same plan. The error is a [*FitError] where no view fits.
func Make(p Problem) (Plan, error) {
	if len(p.Path) == 0 {
		return Plan{Why: "the conversation is empty", Fits: true}, nil
	}
	if p.Rungs == nil {
		p.Rungs = FreeRungs
	}
	d := newDraft(&p)
	plan := Plan{Path: wholeCost(d), Before: d.tokens()}
	d, err := climb(d, &plan)
	if err != nil {
		return plan, err
	}
	plan.After = d.tokens()
	plan.Fits = plan.After <= p.Budget.Limit()
	if plan.Why = refuse(&plan, d); plan.Why != "" {
		plan.After, plan.Fits = plan.Before, plan.Before <= p.Budget.Limit()
		return plan, nil
	}
	reason := p.Reason
	reason.Before, reason.After = int64(plan.Before), int64(plan.After)
	plan.Compaction = &history.Compaction{Treatments: d.treatments(), Reason: reason}
	return plan, nil
}

// wholeCost is what the path costs with everything on it whole.
func wholeCost(d *draft) int {
	total := frameCost(d.problem.Frame, d.problem.Meter)
	for i := range d.entries {
		for j, cost := range d.entries[i].whole {
			if j == 0 {
				total.Text += 3
			}
			total = total.Add(cost)
		}
	}
	return d.problem.Meter.Tokens(total)
}

// climb takes the rungs in order until the view is within the target, and
// further measures where it is not even within the limit.
func climb(d *draft, plan *Plan) (*draft, error) {
	if step, changed := unreadable(d); changed {
		plan.Steps = append(plan.Steps, step)
	}
	z := zonesOf(d, d.tail())
	allowed := func(r Rung) bool { return slices.Contains(d.problem.Rungs, r) }
	if allowed(Elision) {
		plan.Steps = append(plan.Steps, elide(d, z))
	}
	if allowed(Images) {
		plan.Steps = append(plan.Steps, dropImages(d, z))
	}
	if allowed(Pages) {
		paged := d.clone()
		step := putPages(paged, z)
		refused(paged) // pages are images too: of more than so many, others may be too large
		plan.Steps = append(plan.Steps, step)
		if step.Applied && paged.tokens() <= d.problem.Budget.Limit() {
			return paged, nil
		}
	}
	if !allowed(Outline) {
		return d, nil
	}
	outlined := d.clone()
	plan.Steps = append(plan.Steps, outline(outlined, z))
	if outlined.tokens() <= d.problem.Budget.Limit() {
		return outlined, nil
	}
	fitted, step, err := fit(d)
	plan.Steps = append(plan.Steps, step)
	return fitted, err
}

// tail is how large the tail may be: never more than a tenth of the view, or
// there would be little else to take.
func (d *draft) tail() int { return min(d.problem.Budget.Tail, d.tokens()/10) }

// outline puts the middle behind an outline, where that still is needed.
func outline(d *draft, z zones) Step {
	step := Step{Rung: Outline, Before: d.tokens(), Why: "not needed"}
	step.After = step.Before
	if step.Before <= d.problem.Budget.Target {
		return step
	}
	middle := d.costOf(z.head, z.tail)
	budget := max(d.problem.Budget.Target-(step.Before-middle), middle/10)
	if step.Items = putOutline(d, z, budget); step.Items == 0 {
		step.Why = "nothing stands between head and tail"
		return step
	}
	step.After, step.Applied, step.Why = d.tokens(), true, "one line an exchange in place of the middle"
	return step
}

// putOutline covers the middle with an outline of at most budget tokens, and
// leaves pinned entries and the newest prompt as they are. It returns how many
// entries it covers.
func putOutline(d *draft, z zones, budget int) int {
	if z.tail-z.head < 2 {
		return 0
	}
	text := outlineText(d, d.calls(), z.head, z.tail, budget)
	kept := keptEntries(d, z)
	d.treat(history.Treatment{From: d.problem.Path[z.head].Handle(), To: d.problem.Path[z.tail-1].Handle(), As: history.AsOutline, Text: text})
	for _, t := range kept {
		d.treat(t)
	}
	return z.tail - z.head
}

// keptEntries shows the entries of the middle that stay as they stand now: pins,
// and the newest prompt. What was treated of their parts stays so: it may be what
// the model does not take.
func keptEntries(d *draft, z zones) []history.Treatment {
	var kept []history.Treatment
	for i := z.head; i < z.tail; i++ {
		e, at := &d.entries[i], d.problem.Path[i].Handle()
		if len(e.parts) == 0 || e.cover != nil || !d.pinned[d.problem.Path[i].ID] && i != z.prompt {
			continue
		}
		kept = append(kept, history.Treatment{From: at, To: at, As: history.AsWhole})
		for j, t := range e.parts {
			if t != nil {
				part := history.Handle{Depth: at.Depth, Part: j + 1}
				kept = append(kept, history.Treatment{From: part, To: part, As: t.As, Text: t.Text})
			}
		}
	}
	return kept
}

// fit is for a view that is larger than the window after every rung: a smaller
// tail, then excerpts of what is too large in head and tail, then nothing but
// the prompts. (P3)
func fit(d *draft) (*draft, Step, error) {
	limit := d.problem.Budget.Limit()
	step := Step{Rung: Outline, Before: d.tokens(), Applied: true}
	smallest := step.Before
	for _, attempt := range attempts(limit) {
		next := d.clone()
		z := zonesOf(next, attempt.tail)
		if attempt.everything {
			z.tail = len(d.problem.Path)
		}
		putOutline(next, z, attempt.outline)
		step.Items = capParts(next, attempt.part)
		if next.tokens() <= limit {
			step.After = next.tokens()
			step.Why = fmt.Sprintf("what is larger than %d tokens is cut to an excerpt, also in the head and the tail", attempt.part)
			return next, step, nil
		}
		smallest = min(smallest, next.tokens())
	}
	return nil, step, tooLarge(d, smallest)
}

// An attempt is how small fit makes things.
type attempt struct {
	tail, outline, part int // tokens
	everything          bool
}

func attempts(limit int) []attempt {
	list := []attempt{{tail: limit / 4, outline: limit / 4, part: limit / 4}}
	for part := limit / 8; part >= 64; part /= 2 {
		list = append(list, attempt{tail: 0, outline: limit / 8, part: part})
	}
	return append(list,
		attempt{outline: limit / 8, part: 64, everything: true},
		attempt{outline: 0, part: 32, everything: true})
}

// tooLarge says why nothing fits.
func tooLarge(d *draft, smallest int) error {
	limit := d.problem.Budget.Limit()
	if frame := d.problem.Meter.Tokens(frameCost(d.problem.Frame, d.problem.Meter)); frame > limit/2 {
		return &FitError{Part: "the frame (system prompt and tools)", Size: frame, Limit: limit, smallest: smallest}
	}
	return &FitError{Part: "the smallest view of this path", Size: smallest, Limit: limit, smallest: smallest}
}

// refuse says why a draft is not worth a compaction, or "". Where the view as
// it stands cannot be sent, fitting is enough.
func refuse(plan *Plan, d *draft) string {
	mustChange := plan.Before > d.problem.Budget.Limit() || d.problem.Reason.Trigger == history.BySwitch || d.problem.Reason.Trigger == history.ByRefusal
	switch {
	case len(d.added) == 0 && plan.Before <= d.problem.Budget.Target:
		return "the view is within the target already"
	case len(d.added) == 0:
		return "nothing can be taken out of the view"
	case mustChange && plan.Fits:
		return ""
	case plan.After >= plan.Before:
		return "the view would not get smaller"
	case (plan.Before-plan.After)*minPart < plan.Before:
		return fmt.Sprintf("it would free only %d of %d tokens, less than the cold cache costs", plan.Before-plan.After, plan.Before)
	}
	return ""
}
