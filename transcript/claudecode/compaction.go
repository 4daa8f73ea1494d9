package claudecode

import (
	"slices"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/transcript"
)

// shrinkOf returns what the boundary of a summary says.
func (s *session) shrinkOf(n int) *shrink {
	if b := s.boundaryOf(s.records[n].lines[0]); b >= 0 {
		return s.lines[b].shrink
	}
	return &shrink{}
}

// whole returns treatments for what a compaction left as it is, as far as it
// stands on the compaction's path.
func (e *emitter) whole(n int, s *shrink) []transcript.Treatment {
	if len(s.whole) == 0 && s.head == "" {
		return nil
	}
	var path []int
	for p := e.parent(n); p >= 0; p = e.parent(p) {
		path = append(path, p)
	}
	slices.Reverse(path)
	kept := e.kept(s, path)
	var ranges []transcript.Treatment
	open := false
	for _, p := range path {
		switch {
		case !kept[p]:
			open = false
			continue
		case !open:
			ranges = append(ranges, transcript.Treatment{From: e.recordID(p), As: history.AsWhole})
		}
		ranges[len(ranges)-1].To, open = e.told[p], true
	}
	return ranges
}

// kept returns the records that stay: those listed, or else those from the
// head to the tail of what is named by its ends.
func (s *session) kept(c *shrink, path []int) map[int]bool {
	kept := map[int]bool{}
	for _, id := range c.whole {
		if i, found := s.byID[id]; found {
			kept[s.at[i]] = true
		}
	}
	if len(kept) > 0 {
		return kept
	}
	head, found := s.byID[c.head]
	if !found {
		return nil
	}
	tail, found := s.byID[c.tail]
	from := slices.Index(path, s.at[head])
	to := len(path) - 1
	if found {
		to = slices.Index(path, s.end(s.at[tail]))
	}
	for k := from; k >= 0 && k <= to; k++ {
		kept[path[k]] = true
	}
	return kept
}
