package reclaim

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// minGain is the smallest result, in tokens, that is worth a stub.
const minGain = 100

// A Saving is one part that a compaction takes out of the view, and why.
type Saving struct {
	At     history.Handle
	Tool   string
	Target string
	Why    string
	Bytes  int // how large it was
	Tokens int // how much smaller the view gets
}

// rank orders what may be elided, the first to go first. (Order as in other
// tools that do this only when they must: stale reads before everything else,
// then what can be had again by asking; FORMATS of gajae-code and stella, 2026.)
type rank int

const (
	keep rank = iota // eventful: it changed or decided something
	superseded
	listing // lists and searches
	thinking
	output // what commands printed and files and pages said
	unknown
)

// uneventful ranks the result of a call. A result that failed, that changed
// something, that a person gave or that says how to go on is never elided.
func uneventful(c *call, supersededBy string) rank {
	if !c.ok {
		return keep
	}
	switch c.kind {
	case readTool:
		if supersededBy != "" {
			return superseded
		}
		return output
	case listTool, searchTool:
		return listing
	case runTool, fetchTool:
		return output
	case otherTool:
		if c.idle {
			return output
		}
		return unknown
	}
	return keep
}

// elidable is a part that the rung may take.
type elidable struct {
	rank  rank
	entry int
	part  int
	stub  string
	Saving
}

// elide takes old results and old thinking out of the view, in the order of
// their ranks and the oldest first, until the view is within the target.
func elide(d *draft, z zones) Step {
	step := Step{Rung: Elision, Before: d.tokens()}
	for _, e := range elidables(d, z.tail) {
		if d.tokens() <= d.problem.Budget.Target {
			break
		}
		step.Savings = append(step.Savings, e.take(d))
	}
	step.Items, step.After = len(step.Savings), d.tokens()
	step.Applied = step.Items > 0
	step.Why = "old results that decided nothing"
	if !step.Applied {
		step.Why = "no old result is left that decided nothing"
		if step.Before <= d.problem.Budget.Target {
			step.Why = "not needed"
		}
	}
	return step
}

// take puts the stub in the part's place.
func (e *elidable) take(d *draft) Saving {
	before := d.total
	d.treat(history.Treatment{From: e.At, To: e.At, As: history.AsStub, Text: e.stub})
	e.Tokens = d.problem.Meter.Tokens(before.Sub(d.total))
	return e.Saving
}

// elidables lists what may go from the entries before tail.
func elidables(d *draft, tail int) []elidable {
	calls := d.calls()
	reasons := supersededBy(calls)
	var list []elidable
	for i := range calls {
		c := &calls[i]
		if c.result.Depth == 0 || c.entry >= tail || !d.freePart(c.entry, c.result.Part-1) {
			continue
		}
		e := elidable{rank: uneventful(c, reasons[i]), entry: c.entry, part: c.result.Part - 1}
		if e.rank == keep {
			continue
		}
		why := cmp.Or(reasons[i], "to make room")
		e.Saving = Saving{At: c.result, Tool: c.Name, Target: c.target, Why: why, Bytes: sizeOf(c.content)}
		e.stub = fmt.Sprintf("[%s: %d bytes taken out of the view, %s. To get them back: recall %v]", title(c), e.Bytes, why, c.result)
		list = append(list, e)
	}
	for i := range tail {
		list = append(list, oldThinking(d, i)...)
	}
	list = slices.DeleteFunc(list, func(e elidable) bool {
		stub := message.ToolResult{Content: []message.Content{message.Text{Text: e.stub}}}
		gain := d.entries[e.entry].whole[e.part].Sub(d.problem.Meter.Part(stub))
		return e.rank != thinking && d.problem.Meter.Tokens(gain) < minGain
	})
	slices.SortStableFunc(list, func(a, b elidable) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.entry, b.entry), cmp.Compare(a.part, b.part))
	})
	return list
}

// oldThinking lists the thinking of an entry. It leaves no stub in the view;
// the text of the treatment is for people.
func oldThinking(d *draft, i int) []elidable {
	var list []elidable
	if len(d.entries[i].parts) == 0 {
		return nil
	}
	for j, p := range d.message(i).Parts {
		if isThinking(p) && d.freePart(i, j) {
			at := history.Handle{Depth: d.problem.Path[i].Depth, Part: j + 1}
			list = append(list, elidable{rank: thinking, entry: i, part: j, stub: fmt.Sprintf("[old thinking, left out; recall %v]", at), Saving: Saving{At: at, Tool: "thinking", Why: "old thinking"}})
		}
	}
	return list
}

// title names a call for people and models: its tool and what it was about.
func title(c *call) string {
	if c.target != "" {
		return c.Name + " " + c.target
	}
	return c.Name
}
