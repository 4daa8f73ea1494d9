package history

import "slices"

// A Fold is what the compactions of a path come to: for each place at most one
// treatment, the latest. Places that no segment covers are whole.
type Fold struct {
	Segments []Segment // in path order, none overlapping
}

// A Segment is a piece of a treatment's range that no later treatment took.
// Several segments can share a treatment; its text stands once, at the first.
type Segment struct {
	From Handle // the first place covered
	End  Handle // the first place behind
	*Treatment
}

// Covers reports whether h, with all its parts where it is a whole entry, lies
// in the segment.
func (s *Segment) Covers(h Handle) bool {
	return s.From.Compare(h) <= 0 && h.next().Compare(s.End) <= 0
}

// FoldTreatments applies compactions in the order they stand on a path.
func FoldTreatments(compactions []*Compaction) Fold {
	var f Fold
	for _, c := range compactions {
		for rest := c.Treatments; len(rest) > 0; {
			n := disjointPrefix(rest)
			f.Segments = overlay(f.Segments, rest[:n])
			rest = rest[n:]
		}
	}
	f.Segments = slices.DeleteFunc(f.Segments, func(s Segment) bool { return s.As == AsWhole })
	return f
}

// At returns the segment that covers h, or nil where h is shown whole. Where
// only parts of an entry are treated, At of the entry is nil and At of the
// part is not.
func (f *Fold) At(h Handle) *Segment {
	i, found := slices.BinarySearchFunc(f.Segments, h, func(s Segment, h Handle) int { return s.From.Compare(h) })
	if !found {
		i--
	}
	if i >= 0 && f.Segments[i].Covers(h) {
		return &f.Segments[i]
	}
	return nil
}

// disjointPrefix returns how many treatments, from the first on, stand in path
// order without overlap.
func disjointPrefix(ts []Treatment) int {
	n := 1
	for n < len(ts) && ts[n-1].To.next().Compare(ts[n].From) <= 0 {
		n++
	}
	return n
}

// overlay lays treatments, in order and without overlap, over segments: one
// pass over both.
func overlay(base []Segment, top []Treatment) []Segment {
	out := make([]Segment, 0, len(base)+2*len(top))
	base = slices.Clone(base) // its first segment is shortened below
	for i := range top {
		over := Segment{From: top[i].From, End: top[i].To.next(), Treatment: &top[i]}
		for len(base) > 0 && base[0].From.Compare(over.End) < 0 {
			under := base[0]
			if under.End.Compare(over.From) <= 0 { // wholly before
				out = append(out, under)
				base = base[1:]
				continue
			}
			if under.From.Compare(over.From) < 0 { // its beginning shows
				head := under
				head.End = over.From
				out = append(out, head)
			}
			if under.End.Compare(over.End) <= 0 { // nothing of it is left
				base = base[1:]
				continue
			}
			base[0].From = over.End // its end may show
			break
		}
		out = append(out, over)
	}
	return append(out, base...)
}
