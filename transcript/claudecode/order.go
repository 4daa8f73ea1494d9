package claudecode

import (
	"fmt"
	"slices"

	"github.com/stemma-history/stemma/transcript"
)

// connect finds for each line the one it continues from.
func (s *session) connect() {
	linear := !s.linked()
	for i := range s.lines {
		l := &s.lines[i]
		up, found := s.byID[l.parent]
		switch {
		case found && l.parent != "":
			l.up = up
		case linear:
			l.up = i - 1
		default:
			l.dangles = l.parent != "" || !s.named(i)
		}
		if linear && !found && l.parent != "" && i > 0 {
			s.problem(i, fmt.Sprintf("it continues from %q, which is not in the file; it is attached to the line before it", l.parent))
		}
	}
	s.redirect()
}

// linked reports whether the lines say what they continue from. Where none of
// them does, the order of the file is all there is.
func (s *session) linked() bool {
	for i := range s.lines {
		if up, found := s.byID[s.lines[i].parent]; found && s.lines[i].parent != "" && up != i {
			return true
		}
	}
	return false
}

// named reports whether the line has a uuid of its own.
func (s *session) named(i int) bool {
	at, found := s.byID[s.lines[i].id]
	return found && at == i
}

// redirect leads what continues from a compaction's boundary, or from the last
// of what it left whole, to the text of the compaction: the tool writes all of
// these as the parent of what comes next.
func (s *session) redirect() {
	to := map[int]int{}
	for i := range s.lines {
		l := &s.lines[i]
		if text, ok := to[l.up]; ok {
			l.up = text
			continue
		}
		if l.kind != summary {
			continue
		}
		if b := s.boundaryOf(i); b >= 0 {
			to[b] = i
			if tail, found := s.byID[s.lines[b].shrink.tail]; found && tail < i {
				to[tail] = i
			}
		}
	}
}

// boundaryOf returns the boundary that a summary belongs to, or -1. Lines of no
// message may stand between them.
func (s *session) boundaryOf(i int) int {
	for steps := 0; i >= 0 && steps < 100; steps++ {
		i = s.lines[i].up
		if i < 0 || s.lines[i].kind == boundary {
			return i
		}
		if k := s.lines[i].kind; k != silent && k != through {
			return -1
		}
	}
	return -1
}

// order returns the lines in file order, except that each stands after the one
// it continues from. Where lines continue from each other in a circle, the
// first of them is cut off.
func (s *session) order() []int {
	const (
		unseen = iota
		above  // of the line that is looked at
		done
	)
	state := make([]byte, len(s.lines))
	ordered := make([]int, 0, len(s.lines))
	var chain []int
	for i := 0; i < len(s.lines); i++ {
		x := i
		for chain = chain[:0]; x >= 0 && state[x] == unseen; x = s.lines[x].up {
			state[x] = above
			chain = append(chain, x)
		}
		if x >= 0 && state[x] == above {
			circle := chain[slices.Index(chain, x):]
			s.cut(slices.Min(circle))
			for _, c := range chain {
				state[c] = unseen
			}
			i-- // once more, without the circle
			continue
		}
		for _, c := range slices.Backward(chain) {
			state[c] = done
			ordered = append(ordered, c)
		}
	}
	return ordered
}

// cut ends a circle at a line.
func (s *session) cut(i int) {
	s.lines[i].up, s.lines[i].dangles, s.lines[i].parent = -1, true, ""
	s.problem(i, "it continues from itself; it is attached to the line before it")
}

func (s *session) problem(i int, what string) {
	s.report(transcript.Problem{Line: s.lines[i].number, Record: s.lines[i].id, What: what})
}
