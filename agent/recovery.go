package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/reclaim"
)

// An OverflowError says that a request stayed too large for the provider.
type OverflowError struct {
	Refusal *provider.Error // the last one
	Reason  string          // why no smaller request is sent
}

func (e *OverflowError) Error() string {
	return fmt.Sprintf("%v; %s. Use a model with a larger window, or go back with rewind or branch; nothing is lost", e.Refusal, e.Reason)
}

func (e *OverflowError) Unwrap() error { return e.Refusal }

// shrink makes room after a refusal of a request, without asking a model. tries
// is how many requests were refused, this one included: at most
// [reclaim.MostRecoveries] more are sent, no two alike (P11).
func (r *Run) shrink(ctx context.Context, s *sent, refusal *provider.Error, tries int) error {
	if tries > reclaim.MostRecoveries {
		return &OverflowError{refusal, fmt.Sprintf("%d smaller requests were refused too", reclaim.MostRecoveries)}
	}
	if r.shortenAnswer(s, refusal) {
		return nil
	}
	asked := 0
	if countsAnswer(s, refusal.Overflow) {
		asked = s.request.MaxOutput
	}
	plan, err := reclaim.AfterRefusal(r.problem(history.ByRefusal), refusalOf(refusal, asked))
	var none *reclaim.RefusedError
	switch {
	case errors.As(err, &none):
		return &OverflowError{refusal, none.Why}
	case err != nil:
		return err
	}
	return r.compact(ctx, plan)
}

// billed returns a refusal with the numbers of the bill, where an answer was cut
// because the window was full: prompt and answer are as large as the window then,
// whatever it was taken for.
func billed(refusal *provider.Error, u history.Usage) *provider.Error {
	if over := refusal.Overflow; over.Of != provider.OfTokens || over.Silent || u.Prompt() == 0 || u.Output == 0 {
		return refusal
	}
	full := *refusal
	full.Overflow.Used, full.Overflow.Limit = int(u.Prompt()), int(u.Prompt()+u.Output)
	return &full
}

// refusalOf tells the ladder what was refused. asked is how much of it was the
// answer that was asked for.
func refusalOf(e *provider.Error, asked int) reclaim.Refusal {
	over := e.Overflow
	return reclaim.Refusal{Of: reclaim.Measure(over.Of), Used: max(over.Used-asked, 0), Limit: over.Limit, Blind: over.Blind, Text: e.Message}
}

// countsAnswer reports whether the tokens that a refusal speaks of are those of
// the prompt and of the answer that was asked for: their sum is what they are
// nearer to.
func countsAnswer(s *sent, over provider.Excess) bool {
	prompt, both := s.calibrated, s.calibrated+s.request.MaxOutput
	return over.Of == provider.OfTokens && over.Used > s.request.MaxOutput && over.Used-prompt > both-over.Used
}

// leastAnswer is the shortest answer in tokens that is worth asking for.
const leastAnswer = 1024

// shortenAnswer asks for a shorter answer, where that is all it takes.
func (r *Run) shortenAnswer(s *sent, refusal *provider.Error) bool {
	over, asked := refusal.Overflow, s.request.MaxOutput
	shorter := 0
	switch {
	case over.Of == provider.OfOutput && over.Limit > 0:
		shorter = over.Limit
	case over.Of == provider.OfOutput:
		shorter = asked / 2
	case countsAnswer(s, over) && 0 < over.Limit && over.Limit < r.window():
		// The window is smaller than it was taken for, and so is its reserve.
		r.state.learned, r.state.posed = over.Limit, nil
		return r.maxOutput() < asked && over.Used-asked+r.maxOutput() <= over.Limit
	}
	if shorter < leastAnswer || shorter >= asked {
		return false
	}
	r.state.maxOutput = shorter
	return true
}
