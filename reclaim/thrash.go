package reclaim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stemma-history/stemma/history"
)

// A Thrash says that compactions no longer help a conversation: to go on
// compacting costs a cold cache each time and gets it nowhere. It is to be told
// once, with what to do.
type Thrash struct {
	Kind ThrashKind
	// Rounds is how many compactions in a row it was found in; those between two
	// messages are one. 0 where a plan was refused.
	Rounds int
	// Freed is what they freed, in tokens, all together.
	Freed int
	// Largest is what most of the view is, and Limit the largest view that fits.
	Largest Share
	Limit   int
}

// A ThrashKind is a way in which compactions do not help.
type ThrashKind string

const (
	// Stalled: they free too little to pay.
	Stalled ThrashKind = "stall"
	// Refilled: the window is full again within a few turns.
	Refilled ThrashKind = "refill"
)

const (
	// stallRounds is how many compactions in a row must have freed too little:
	// one may have had to fit, whatever it freed.
	stallRounds = 2
	// refillRounds is how often in a row the window must have been filled again,
	// and refillTurns in how many turns at most. (Claude Code stops at three, of
	// three turns each: version 2.1.89, 2026.)
	refillRounds = 3
	refillTurns  = 3
)

// Thrashing looks for a stall or a refill in the compactions that p's path
// records for its model, and in plan, that for the path as it stands, which may
// be nil. It returns nil where there is neither. What a person asked for in
// between begins the count anew.
func Thrashing(p Problem, plan *Plan) *Thrash {
	rounds := roundsOf(p.Path, p.Frame.Model)
	switch stalls, refills := stallsIn(rounds), refillsIn(rounds); {
	case plan != nil && plan.Compaction == nil && plan.Before > min(p.Budget.Threshold, p.Budget.Limit()):
		return newThrash(p, Stalled, nil)
	case stalls >= stallRounds:
		return newThrash(p, Stalled, rounds[len(rounds)-stalls:])
	case refills >= refillRounds:
		return newThrash(p, Refilled, rounds[len(rounds)-refills:])
	}
	return nil
}

// A round is the compactions between two messages.
type round struct {
	before, after int64 // tokens of the view; 0 where they are not known
	turns         int   // since the round before
}

func (r *round) paid() bool { return (r.before-r.after)*minPart >= r.before }

// roundsOf returns the compactions that were made for a model without anybody
// asking, since somebody last did.
func roundsOf(path []history.Entry, model string) []round {
	var rounds []round
	turns, open := 0, false
	for _, e := range slices.Backward(path) {
		if e.Compaction == nil {
			if beginsTurn(&e) {
				turns++
				open = false
			}
			continue
		}
		reason := e.Compaction.Reason
		switch reason.Trigger {
		case history.ByLength:
			continue
		case history.ByThreshold, history.ByRefusal, history.ByColdCache:
		default:
			return rounds
		}
		if reason.Model != model {
			return rounds
		}
		if open { // going backwards: it stands before those of the same round
			rounds[0].before = reason.Before
			continue
		}
		if len(rounds) > 0 {
			rounds[0].turns = turns
		}
		rounds = slices.Insert(rounds, 0, round{before: reason.Before, after: reason.After, turns: refillTurns + 1})
		turns, open = 0, true
	}
	return rounds
}

func stallsIn(rounds []round) int {
	n := 0
	for i := len(rounds) - 1; i >= 0 && rounds[i].before > 0 && !rounds[i].paid(); i-- {
		n++
	}
	return n
}

func refillsIn(rounds []round) int {
	n := 0
	for i := len(rounds) - 1; i >= 0 && rounds[i].turns <= refillTurns; i-- {
		n++
	}
	return n
}

func newThrash(p Problem, kind ThrashKind, rounds []round) *Thrash {
	t := &Thrash{Kind: kind, Rounds: len(rounds), Limit: p.Budget.Limit()}
	for _, r := range rounds {
		t.Freed += int(r.before - r.after)
	}
	if shares := Context(p).Shares; len(shares) > 0 {
		t.Largest = shares[0]
	}
	return t
}

// String says what is wrong, and what to do.
func (t *Thrash) String() string {
	what := "nothing is left that is worth taking out of the view"
	switch {
	case t.Kind == Refilled:
		what = fmt.Sprintf("the window was full again within %d turns, %d times in a row", refillTurns, t.Rounds)
	case t.Rounds > 0:
		what = fmt.Sprintf("the last %d compactions freed only %d tokens together", t.Rounds, max(t.Freed, 0))
	}
	return fmt.Sprintf("%s; about %d of the %d tokens that fit are %s: %s, use a model with a larger window, or go back with rewind", what, t.Largest.Tokens, t.Limit, t.Largest.Name, t.remedy())
}

// remedy is what makes the largest share smaller.
func (t *Thrash) remedy() string {
	switch name := t.Largest.Name; {
	case name == "system" || name == "tools":
		return "shorten the system prompt, or offer fewer tools"
	case name == "user":
		return "put long material into files, which are read in parts, or take pins off"
	case name == "images":
		return "send fewer or smaller images"
	case strings.HasPrefix(name, resultsOf):
		return "ask that tool for less at a time"
	}
	return "compact with a summary"
}
