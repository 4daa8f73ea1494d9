package reclaim

import (
	"slices"
	"sync"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/tokens"
)

// A draft is a view under construction: how each entry of the path would be
// shown, and what that costs.
type draft struct {
	problem *Problem
	entries []shown
	total   tokens.Cost         // of all entries and the frame
	added   []history.Treatment // those that the compaction will hold
	pinned  map[history.ID]bool
	prices  map[*history.Treatment]tokens.Cost // of ranges, once they are known; shared by clones
	calls   func() []call                      // of the path; found when first asked for
}

// shown is how one entry stands in the view.
type shown struct {
	whole []tokens.Cost        // of each part as it is
	parts []*history.Treatment // of each part, nil where it stands as it is
	cover *history.Treatment   // of the entry as a whole
	first bool                 // the text of cover stands here
	cost  tokens.Cost
}

// newDraft begins with the view as the path records it.
func newDraft(p *Problem) *draft {
	d := &draft{entries: make([]shown, 0, len(p.Path)), total: frameCost(p.Frame, p.Meter), pinned: map[history.ID]bool{}, prices: map[*history.Treatment]tokens.Cost{}}
	for _, id := range p.Pins {
		d.pinned[id] = true
	}
	d.extend(p)
	fold := history.FoldTreatments(compactions(p.Path))
	standing := map[*history.Treatment]bool{}
	for i := range fold.Segments {
		d.cover(&fold.Segments[i], standing)
	}
	if len(fold.Segments) > 0 {
		for i := range d.entries {
			d.recost(i)
		}
	}
	return d
}

// extend adds the entries of p's path that are new, as they are: the path begins
// with that of the draft, and p is otherwise the problem that the draft is of.
func (d *draft) extend(p *Problem) {
	from := len(d.entries)
	d.problem = p
	d.calls = sync.OnceValue(func() []call { return callsOf(p.Path) })
	n := partsIn(p.Path[from:])
	whole, parts := make([]tokens.Cost, n), make([]*history.Treatment, n)
	for i := from; i < len(p.Path); i++ {
		var e shown
		if m := p.Path[i].Message; m != nil && !m.Silent() {
			n := len(m.Parts)
			e.whole, whole = whole[:n:n], whole[n:]
			e.parts, parts = parts[:n:n], parts[n:]
			for j, part := range m.Parts {
				e.whole[j] = p.Meter.Part(part)
			}
		}
		d.entries = append(d.entries, e)
		d.recost(i)
	}
}

// partsIn counts the parts of messages on a path: what a draft keeps of each is
// allocated at once.
func partsIn(path []history.Entry) int {
	n := 0
	for i := range path {
		if m := path[i].Message; m != nil {
			n += len(m.Parts)
		}
	}
	return n
}

// clone returns a draft that can be changed without changing d.
func (d *draft) clone() *draft {
	c := *d
	c.entries = slices.Clone(d.entries)
	parts := make([]*history.Treatment, 0, partsIn(d.problem.Path))
	for i := range c.entries {
		e := &c.entries[i]
		from := len(parts)
		parts = append(parts, e.parts...)
		e.parts = parts[from:len(parts):len(parts)]
	}
	c.added = slices.Clone(d.added)
	return &c
}

// cover shows the places of a segment behind its treatment. standing has the
// treatments whose text stands somewhere already.
func (d *draft) cover(s *history.Segment, standing map[*history.Treatment]bool) {
	for i := d.index(s.From.Depth); i < len(d.entries) && d.problem.Path[i].Depth <= s.End.Depth; i++ {
		e := &d.entries[i]
		at := d.problem.Path[i].Handle()
		if s.Covers(at) {
			e.cover, e.first = s.Treatment, !standing[s.Treatment] && len(e.parts) > 0
			standing[s.Treatment] = standing[s.Treatment] || e.first
			continue
		}
		for j := range e.parts {
			if s.Covers(history.Handle{Depth: at.Depth, Part: j + 1}) {
				e.parts[j] = s.Treatment
			}
		}
	}
}

// index returns the index on the path of the first entry at a depth or below.
func (d *draft) index(depth int) int { return indexOf(d.problem.Path, depth) }

func indexOf(path []history.Entry, depth int) int {
	i, _ := slices.BinarySearchFunc(path, depth, func(e history.Entry, depth int) int { return e.Depth - depth })
	return i
}

// treat adds a treatment to the draft.
func (d *draft) treat(t history.Treatment) {
	d.added = append(d.added, t)
	kept := &t
	first := true
	for i := d.index(t.From.Depth); i < len(d.entries) && d.problem.Path[i].Depth <= t.To.Depth; i++ {
		e := &d.entries[i]
		switch {
		case t.From.Part > 0:
			for j := t.From.Part - 1; j < t.To.Part && j < len(e.parts); j++ {
				e.parts[j] = kept
			}
		case t.As == history.AsWhole:
			d.uncover(i)
		default:
			d.uncover(i)
			e.cover, e.first = kept, first && len(e.parts) > 0
			first = first && !e.first
		}
		d.recost(i)
	}
}

// uncover shows an entry as it is. A text that stood there stands at the next
// entry of its range.
func (d *draft) uncover(i int) {
	e := &d.entries[i]
	cover, first := e.cover, e.first
	e.cover, e.first = nil, false
	clear(e.parts)
	for n := i + 1; first && n < len(d.entries); n++ {
		if next := &d.entries[n]; next.cover == cover && len(next.parts) > 0 {
			next.first = true
			d.recost(n)
			return
		}
	}
}

// recost brings the cost of an entry, and the total, up to date.
func (d *draft) recost(i int) {
	e := &d.entries[i]
	before := e.cost
	e.cost = tokens.Cost{}
	switch {
	case e.cover != nil:
		if e.first {
			e.cost = d.treatmentCost(e.cover).Add(tokens.Cost{Text: tokens.PerMessage})
		}
	case len(e.parts) > 0:
		e.cost.Text = tokens.PerMessage
		for j, t := range e.parts {
			e.cost = e.cost.Add(d.partCost(i, j, t))
		}
	}
	d.total = d.total.Add(e.cost).Sub(before)
}

func (d *draft) partCost(i, j int, t *history.Treatment) tokens.Cost {
	if t == nil || t.As == history.AsWhole {
		return d.entries[i].whole[j]
	}
	part := treated(d.problem.Path[i].Message.Parts[j], t)
	if part == nil {
		return tokens.Cost{}
	}
	return d.problem.Meter.Part(part)
}

// treatmentCost is what stands in the view for a range.
func (d *draft) treatmentCost(t *history.Treatment) tokens.Cost {
	cost, known := d.prices[t]
	if !known {
		cost = pagesCost(d.problem.Meter, t)
		d.prices[t] = cost
	}
	return cost
}

// tokens returns what the view costs in the model's tokens.
func (d *draft) tokens() int { return d.problem.Meter.Tokens(d.total) }

// costOf returns what the entries from index from up to, not including, to cost.
func (d *draft) costOf(from, to int) int {
	sum := tokens.Cost{}
	for i := from; i < to; i++ {
		sum = sum.Add(d.entries[i].cost)
	}
	return d.problem.Meter.Tokens(sum)
}

// free reports whether the ladder may touch an entry as a whole: it has a
// message that stands as it is, and nobody pinned it.
func (d *draft) free(i int) bool {
	return len(d.entries[i].parts) > 0 && d.entries[i].cover == nil && !d.pinned[d.problem.Path[i].ID]
}

// freePart reports whether the ladder may touch a part.
func (d *draft) freePart(i, j int) bool { return d.free(i) && d.entries[i].parts[j] == nil }

func (d *draft) message(i int) *message.Message { return d.problem.Path[i].Message }

// treatments returns what the compaction is to hold: what was added, without
// what a later range took over whole.
func (d *draft) treatments() []history.Treatment {
	kept := make([]history.Treatment, 0, len(d.added))
	var ranges []history.Treatment // of whole entries, each later than what it is compared with
	for _, t := range slices.Backward(d.added) {
		if slices.ContainsFunc(ranges, func(r history.Treatment) bool {
			return r.From.Depth <= t.From.Depth && t.To.Depth <= r.To.Depth
		}) {
			continue
		}
		switch {
		case t.As == history.AsPages:
			ranges = nil // pages show what stood there before them
		case t.From.Part == 0:
			ranges = append(ranges, t)
		}
		kept = append(kept, t)
	}
	slices.Reverse(kept)
	return kept
}
