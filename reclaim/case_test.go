package reclaim_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/tokens"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/wiretest"
)

// A played case is a story as it goes on in its setting: as a run plays it, with
// a model that answers.
type played struct {
	setting
	*story
	switchTo []catalog.Model // the models that are switched to, in turn
	pages    *reclaim.Sheaf
	chapter  int

	path     []history.Entry
	stored   []stored
	begins   []int // the length of the path where each chapter began
	pins     []history.ID
	whole    []history.Handle // what was in the view when it was pinned
	system   string
	standing reclaim.Standing
	session  wire.Session
	thinker
	last      *sent // nil where the prefix may have changed since
	plans     []planned
	snapshots map[history.Handle]standingSnapshot // in the view that was sent last

	tally
}

// A planned compaction, or why there is none.
type planned struct {
	problem reclaim.Problem
	plan    reclaim.Plan
}

func newCase(where setting, told *story, others []catalog.Model, pages *reclaim.Sheaf) *played {
	return &played{setting: where, story: told, switchTo: others, pages: pages, system: "Be brief.", session: where.wire.NewSession(), tally: tally{cases: 1}}
}

// tell tells the story: what happens, what is said, and the request that follows.
func (c *played) tell() error {
	for i := range c.chapters {
		c.chapter = i
		if err := c.happens(c.chapters[i].event); err != nil {
			return err
		}
		c.begins = append(c.begins, len(c.path))
		for j, m := range c.chapters[i].messages {
			c.say(m, c.chapters[i].stored[j])
		}
		if c.chapters[i].event == caps {
			c.cap()
		}
		s, err := c.send()
		if err != nil {
			return err
		}
		for _, p := range promises {
			if err := p.kept(s); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
		}
		if err := c.answer(s); err != nil {
			return err
		}
	}
	return nil
}

func (c *played) problem() reclaim.Problem {
	frame := wire.Frame{Model: c.model.ID, Wire: c.wire.Name, System: []string{c.system}}
	return reclaim.ProblemFor(c.model, frame, c.path, c.pins, c.window)
}

// happens does to the conversation what happens before it goes on.
func (c *played) happens(what event) error {
	if len(c.path) == 0 {
		return nil
	}
	switch what {
	case switches:
		c.model, c.switchTo = c.switchTo[0], c.switchTo[1:]
		c.last = nil
		c.switched++
	case goesBack:
		if at := c.begins[len(c.begins)/2]; at > 0 {
			c.path = c.path[:at:at]
			c.begins = c.begins[:len(c.begins)/2]
			c.last, c.snapshots = nil, nil
			c.whole = slices.DeleteFunc(c.whole, func(h history.Handle) bool { return h.Depth > at })
			c.wentBack++
		}
	case compacts:
		p := c.problem()
		p.Budget.Target = 0
		plan, err := reclaim.Make(p)
		if err != nil {
			return fmt.Errorf("P3: %w", err)
		}
		c.compact(p, plan)
	case shakes:
		if shaken, _ := reclaim.Shake(c.path, c.pins); shaken != nil {
			c.record(shaken)
		}
	case isRefused:
		return c.shrink()
	case isHidden:
		from, to := c.path[len(c.path)/3].Handle(), c.path[len(c.path)/2].Handle()
		c.whole = slices.DeleteFunc(c.whole, func(h history.Handle) bool { return from.Compare(h) <= 0 && h.Compare(to) <= 0 })
		c.record(&history.Compaction{Reason: history.Reason{Trigger: history.ByImport}, Treatments: []history.Treatment{{From: from, To: to, As: history.AsSummary, Text: narrative}}})
	case pins:
		c.pin(&c.path[len(c.path)/2])
	case reframes:
		c.system += " Be kind."
		c.last = nil
	}
	return nil
}

// pin pins an entry.
func (c *played) pin(e *history.Entry) {
	c.pins = append(c.pins, e.ID)
	if e.Message != nil && len(e.Message.Parts) > 0 && !e.Message.Silent() && foldOf(c.path).At(e.Handle()) == nil {
		c.whole = append(c.whole, e.Handle())
	}
}

// narrative is what another tool has put in the place of what it hides.
const narrative = "What another tool made of it."

// compact appends what was planned.
func (c *played) compact(p reclaim.Problem, plan reclaim.Plan) {
	c.plans = append(c.plans, planned{p, plan})
	if plan.Compaction != nil {
		c.record(plan.Compaction)
	}
}

// record appends a compaction: the prefix changes.
func (c *played) record(compaction *history.Compaction) {
	c.append(history.Entry{Compaction: compaction}, history.Entry{Compaction: copyOfCompaction(compaction)})
	c.last = nil
	c.count(compaction)
}

// shrink makes room after a refusal. Where there is no smaller request (P11), the
// person goes on with the next prompt.
func (c *played) shrink() error {
	plan, err := reclaim.AfterRefusal(c.problem(), c.refusal())
	var fit *reclaim.FitError
	var refused *reclaim.RefusedError
	switch {
	case errors.As(err, &fit), errors.As(err, &refused):
		return nil
	case err != nil:
		return fmt.Errorf("P11: %w", err)
	}
	c.record(plan.Compaction)
	c.refused++
	return nil
}

// refusal is what the provider says of a request that has been sent: that it was
// too large, by how much where it is large, or that it does not take its images.
func (c *played) refusal() reclaim.Refusal {
	if c.chapter%2 == 0 {
		return reclaim.Refusal{Of: reclaim.OfImages}
	}
	if size := reclaim.Context(c.problem()).Total; size > windows[0] {
		return reclaim.Refusal{Used: size * 4 / 3, Limit: size}
	}
	return reclaim.Refusal{}
}

// cap cuts the results that have just come, before any request has shown them.
func (c *played) cap() {
	if capped := reclaim.Cap(c.path[c.begins[len(c.begins)-1]:], c.problem().Meter, 500); capped != nil {
		c.append(history.Entry{Compaction: capped}, history.Entry{Compaction: copyOfCompaction(capped)})
		c.capped++
	}
}

// say appends a message. What a story tells of this model is of the case's.
func (c *played) say(m, kept message.Message) {
	if m.Model == wiretest.Model {
		m.Model, kept.Model = c.model.ID, c.model.ID
	}
	c.append(history.Entry{Message: &m}, history.Entry{Message: &kept})
}

// append puts an entry on the path, and notes a copy of it.
func (c *played) append(e, kept history.Entry) {
	e.ID, e.Depth = history.NewID(), len(c.path)+1
	kept.ID, kept.Depth, kept.Usage, kept.Seals = e.ID, e.Depth, e.Usage, slices.Clone(e.Seals)
	c.path = append(c.path, e)
	c.stored = append(c.stored, stored{e, kept})
}

// A sent request, and what led to it.
type sent struct {
	*played
	problem reclaim.Problem // with the path that was sent
	view    wire.View
	body    wire.Body
	before  *sent // the request before; nil where the prefix may have changed
	// compacted says that a compaction was due, and made.
	compacted bool
}

// send makes the request that is due, as a run does.
func (c *played) send() (*sent, error) {
	p := c.problem()
	due := c.standing.Due(p)
	_, plan, err := c.standing.Ready(p)
	if err != nil {
		return nil, fmt.Errorf("P3: %w", err)
	}
	if plan != nil {
		p.Reason.Trigger = due
		c.compact(p, *plan)
	}
	s := &sent{played: c, problem: c.problem(), before: c.last, compacted: plan != nil && plan.Compaction != nil}
	if s.view, err = c.standing.View(c.path, c.pages.Draw); err != nil {
		return nil, fmt.Errorf("P10: %w", err)
	}
	if s.body, err = c.session.Encode(s.request()); err != nil {
		return nil, fmt.Errorf("P2: %w", err)
	}
	c.requests++
	c.last = s
	return s, nil
}

func (s *sent) request() wire.Request {
	return wire.Request{Frame: s.problem.Frame, View: s.view, MaxOutput: 1000, ChecksThinking: s.model.ChecksThinking, CacheKey: "conversation"}
}

// answer appends the model's answer, with what it was billed for.
func (c *played) answer(s *sent) error {
	answer := c.think(s)
	seals, err := c.session.Seals(s.request(), answer)
	if err != nil {
		return fmt.Errorf("P2: %w", err)
	}
	estimate := tokens.Meter{}.Tokens(c.standing.Cost(s.problem))
	usage := &history.Usage{Estimate: int64(estimate), Input: int64(float64(estimate) * c.billed)}
	kept := copyOf(answer)
	c.append(history.Entry{Message: &answer, Seals: seals, Usage: usage}, history.Entry{Message: &kept})
	return nil
}
