package reclaim

import (
	"encoding/json"
	"fmt"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/snapshot"
)

// pinStubs are what stands on a page for entries that stay in the view.
func (d *draft) pinStubs(from, to int) []history.Treatment {
	var stubs []history.Treatment
	for i := from; i < to; i++ {
		if e := &d.entries[i]; len(e.parts) > 0 && e.cover == nil && d.pinned[d.problem.Path[i].ID] {
			at := d.problem.Path[i].Handle()
			stubs = append(stubs, history.Treatment{From: at, To: at, As: history.AsStub, Text: fmt.Sprintf("[pinned: it stands in full among the messages; recall %v]", at)})
		}
	}
	return stubs
}

// pageSource returns the text of a range as pages show it now: that of pages
// which stand for its beginning already, unchanged, and what has come since as
// it stands in the view. grown are those pages, nil where there are none.
func (d *draft) pageSource(from, to int, grown *history.Treatment) []snapshot.Segment {
	var source []snapshot.Segment
	if grown != nil {
		source = sourceOf(d.problem.Path, grown)
		from = d.index(grown.To.Depth) + 1
	}
	stubs := map[history.Handle]string{}
	for _, t := range d.pinStubs(from, to) {
		stubs[t.From] = t.Text
	}
	stub := func(h history.Handle) (string, bool) {
		if text, ok := stubs[h]; ok {
			return text, true
		}
		return d.stubAt(h)
	}
	return append(source, serialise(d.problem.Path[from:to], stub)...)
}

// grown returns the pages of the path, made for this reader, that cover the most
// of a range from its beginning; nil where there are none. They go on growing,
// unless what they showed was trimmed since.
func (d *draft) grown(from, to int) *history.Treatment {
	var most *history.Treatment
	at := d.problem.Path[from].Handle()
	for _, c := range compactions(d.problem.Path) {
		for i := range c.Treatments {
			t := &c.Treatments[i]
			if trims(t, at) {
				most = nil
			}
			if t.As == history.AsPages && t.From == at && d.index(t.To.Depth) < to && d.sameShape(t.Pages) &&
				(most == nil || t.To.Depth > most.To.Depth) {
				most = t
			}
		}
	}
	return most
}

func (d *draft) sameShape(p *history.Pages) bool {
	var shape snapshot.Shape
	return json.Unmarshal(p.Shape, &shape) == nil && shape == d.problem.Reader.Shape && p.Renderer == snapshot.Version
}

// stubAt returns what stands in the draft for an entry or a part.
func (d *draft) stubAt(h history.Handle) (string, bool) {
	e := &d.entries[d.index(h.Depth)]
	if h.Part == 0 {
		if e.cover == nil || e.cover.As == history.AsPages {
			return "", false
		}
		if e.first {
			return e.cover.Text, true
		}
		return "", true
	}
	if t := e.parts[h.Part-1]; t != nil && t.As == history.AsStub {
		return t.Text, true
	}
	return "", false
}

func serialise(path []history.Entry, stub func(history.Handle) (string, bool)) []snapshot.Segment {
	entries := make([]*history.Entry, len(path))
	for i := range path {
		entries[i] = &path[i]
	}
	return snapshot.Serialise(entries, snapshot.SerialiseOptions{Stub: stub})
}

// sourceOf returns the text of pages that a path records. It is made again from
// the entries: for each compaction that let the pages grow, what was new then,
// as it stood in the view then. Where a trim left out what they begin with, other
// pages began there.
func sourceOf(path []history.Entry, pages *history.Treatment) []snapshot.Segment {
	var source []snapshot.Segment
	var before []*history.Compaction
	next := pages.From.Depth // the first entry that is not on a page yet
	for i := range path {
		c := path[i].Compaction
		if c == nil {
			continue
		}
		for j := range c.Treatments {
			t := &c.Treatments[j]
			if trims(t, pages.From) {
				source, next = nil, pages.From.Depth
			}
			if !sameSnapshot(t, pages) || t.To.Depth < next || t.To.Depth > pages.To.Depth {
				continue
			}
			fold := history.FoldTreatments(append(before[:len(before):len(before)], &history.Compaction{Treatments: c.Treatments[:j]}))
			standing := map[*history.Treatment]bool{}
			source = append(source, serialise(path[indexOf(path, next):indexOf(path, t.To.Depth+1)], func(h history.Handle) (string, bool) { return stubIn(&fold, h, standing) })...)
			next = t.To.Depth + 1
		}
		before = append(before, asShown(c))
	}
	return source
}

// trims reports whether a treatment leaves an entry out.
func trims(t *history.Treatment, at history.Handle) bool {
	return t.As == history.AsTrimmed && t.From.Compare(at) <= 0 && at.Compare(t.To) <= 0
}

// sameSnapshot reports whether two treatments are pages of one snapshot, which
// grew from one to the other.
func sameSnapshot(t, u *history.Treatment) bool {
	return t.As == history.AsPages && t.From == u.From && string(t.Pages.Shape) == string(u.Pages.Shape) && t.Pages.Renderer == u.Pages.Renderer
}

// stubIn returns what stands in a fold for an entry or a part.
func stubIn(fold *history.Fold, h history.Handle, standing map[*history.Treatment]bool) (string, bool) {
	s := fold.At(h)
	if s == nil || s.As == history.AsPages || h.Part > 0 && s.As != history.AsStub {
		return "", false
	}
	if h.Part == 0 {
		if standing[s.Treatment] {
			return "", true
		}
		standing[s.Treatment] = true
	}
	return s.Text, true
}
