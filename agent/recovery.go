package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/tokens"
)

// mostRecoveries is how many requests are sent after a refusal (P11).
const mostRecoveries = 3

// An OverflowError says that a request stayed too large for the provider.
type OverflowError struct {
	Refusal *provider.Error // the last one
	Reason  string          // why no smaller request is sent
}

func (e *OverflowError) Error() string {
	return fmt.Sprintf("%v; %s. Use a model with a larger window, or go back with rewind or branch; nothing is lost", e.Refusal, e.Reason)
}

func (e *OverflowError) Unwrap() error { return e.Refusal }

// A recovery makes the requests that follow a refusal: at most three, no two
// alike, each smaller by what the refusals teach, and no model is asked (P11).
type recovery struct {
	run   *Run
	tries int
	sent  map[message.Hash]bool
}

// shrink makes room after a refusal of a request.
func (c *recovery) shrink(ctx context.Context, s *sent, refusal *provider.Error) error {
	r := c.run
	if c.sent == nil {
		c.sent = map[message.Hash]bool{}
	}
	c.sent[bodyHash(s)] = true
	if c.tries++; c.tries > mostRecoveries {
		return &OverflowError{refusal, fmt.Sprintf("%d smaller requests were refused too", mostRecoveries)}
	}
	if c.shortenAnswer(s, refusal) {
		return nil
	}
	p := taught(r.problem(history.ByRefusal), refusal, s.estimate)
	// Each refusal after the first says that what it taught was not enough.
	p.Budget.Target = p.Budget.Target * (mostRecoveries + 1 - c.tries) / mostRecoveries
	limitMedia(&p, s, refusal)
	plan, err := reclaim.Make(p)
	if err != nil {
		return err
	}
	if plan.Compaction == nil {
		return &OverflowError{refusal, plan.Why}
	}
	if err := r.compact(ctx, plan); err != nil {
		return err
	}
	next, err := r.request(ctx)
	if err != nil {
		return err
	}
	if c.sent[bodyHash(next)] {
		return &OverflowError{refusal, "the next request would be the same"}
	}
	return nil
}

func bodyHash(s *sent) message.Hash { return message.HashOf(s.body.JSON) }

// shortenAnswer asks for a shorter answer, where that is what was too long.
func (c *recovery) shortenAnswer(s *sent, refusal *provider.Error) bool {
	r, over := c.run, refusal.Overflow
	asked := s.request.MaxOutput
	shorter := 0
	switch {
	case over.Of == provider.OfOutput && over.Limit > 0:
		shorter = over.Limit
	case over.Of == provider.OfOutput:
		shorter = asked / 2
	case over.Used > over.Limit && over.Limit > 0 && strings.Contains(refusal.Message, "max_tokens"):
		// Prompt and answer count together, and the prompt alone would fit.
		shorter = asked - (over.Used - over.Limit)
	}
	if shorter < leastAnswer || shorter >= asked {
		return false
	}
	r.state.maxOutput = shorter
	return true
}

// leastAnswer is the shortest answer in tokens that is worth asking for.
const leastAnswer = 1024

// taught returns a problem with what a refusal says in it: the window, and how
// much the estimate is wrong. Without numbers, the request is taken to have
// been larger than the window by a third.
func taught(p reclaim.Problem, refusal *provider.Error, estimate int) reclaim.Problem {
	over := refusal.Overflow
	p.Reason.Trigger, p.Reason.Note = history.ByRefusal, refusal.Message
	p.Rungs = reclaim.FreeRungs
	window := p.Budget.Window
	if over.Of == provider.OfTokens {
		p.Reason.Used, p.Reason.Limit, p.Reason.Estimate = int64(over.Used), int64(over.Limit), int64(estimate)
		if over.Used > 0 && estimate > 0 {
			p.Meter.Factor = tokens.Calibrate([]history.Entry{{Compaction: &history.Compaction{Reason: p.Reason}}}, p.Reason.Model, p.Meter.Factor)
		}
		if over.Limit > 0 {
			window = min(window, over.Limit)
		}
	}
	if over.Limit == 0 || over.Of != provider.OfTokens {
		window = min(window, p.Meter.Tokens(reclaim.CostOf(p))*3/4)
	}
	budget := reclaim.DefaultBudget(window)
	budget.Target = min(budget.Target, p.Budget.Target)
	p.Budget = budget
	return p
}

// limitMedia holds a problem to fewer images and bytes of them than were
// refused.
func limitMedia(p *reclaim.Problem, s *sent, refusal *provider.Error) {
	count, size := mediaOf(s)
	switch over := refusal.Overflow; over.Of {
	case provider.OfImages:
		p.Reader.MaxImages = count / 2
		if over.Limit > 0 && over.Limit < count {
			p.Reader.MaxImages = over.Limit
		}
		if strings.Contains(refusal.Message, "support image") {
			p.Reader = reclaim.Reader{}
		}
	case provider.OfBytes:
		p.Reader.MaxImageBytes = size / 2
		if over.Limit > 0 {
			p.Reader.MaxImageBytes = min(p.Reader.MaxImageBytes, int64(over.Limit)/2*3/4)
		}
	}
}

// mediaOf counts the images and documents of a request, and their bytes.
func mediaOf(s *sent) (count int, size int64) {
	one := func(m message.Media) {
		count++
		size += max(m.Size, int64(len(m.Data)))
	}
	for i := range s.request.View.Messages {
		for _, p := range s.request.View.Messages[i].Parts {
			switch p := p.(type) {
			case message.Image:
				one(p.Media)
			case message.Document:
				one(p.Media)
			case message.ToolResult:
				for _, c := range p.Content {
					switch c := c.(type) {
					case message.Image:
						one(c.Media)
					case message.Document:
						one(c.Media)
					}
				}
			}
		}
	}
	return count, size
}

// estimate is what the view is taken to cost, without calibration.
func (r *Run) estimate() int {
	return tokens.Meter{Image: r.meter().Image}.Tokens(r.measured())
}
