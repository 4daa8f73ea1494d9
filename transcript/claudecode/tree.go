package claudecode

import (
	"fmt"
	"slices"
)

// A record is what becomes of one line, or of all lines of one answer.
type record struct {
	lines []int // of an answer all of them, else one
	kind  kind
	tree  int // the conversation
	up    int // the record it continues from, or -1; see [session.parent]

	// An answer has the records with its results, in file order, and behind
	// them those with what stands beside results on their lines.
	results, besides []int
	// Those have the answer, or -1, and their place among their like.
	of, nth int
	beside  bool
}

// A tree is a conversation of the file: the session, and each sub-agent whose
// chain stands in it.
type tree struct {
	agent string // empty for the session
	hangs int    // the session's record that the chain hangs on, or -1
	last  int    // the latest record, or -1
}

// grow makes the records of the lines, each after the one it continues from.
//
// Results are joined to the answer with their call, whatever line they continue
// from: the tool writes a result as soon as it has it, between the lines of an
// answer that is still coming, and hangs what follows on the last of them.
func (s *session) grow() {
	s.at = make([]int, len(s.lines))
	g := grower{
		session: s,
		treeAt:  make([]int, len(s.lines)),
		agents:  map[string]int{},
	}
	s.trees = []tree{{hangs: -1, last: -1}}
	for _, i := range s.order() {
		g.line(i)
	}
	for i := range s.records {
		slices.Sort(s.records[i].lines)
	}
}

type grower struct {
	*session
	treeAt []int          // by line
	agents map[string]int // trees of sub-agents
}

func (g *grower) line(i int) {
	l := &g.lines[i]
	up, t := -1, g.treeOf(i)
	if l.up >= 0 {
		up = g.at[l.up]
	}
	tree := &g.trees[t]
	switch {
	case l.dangles && tree.last >= 0:
		if l.parent != "" && l.kind != through {
			g.problem(i, fmt.Sprintf("it continues from %q, which is not in the file; it is attached to the line before it", l.parent))
		}
		up = tree.last
	case up >= 0 && g.records[up].tree != t && t == 0:
		up = tree.last // the session does not continue from a sub-agent
	case up >= 0 && g.records[up].tree != t:
		if tree.hangs < 0 {
			tree.hangs = up
		}
		up = -1
	}
	g.treeAt[i] = t
	switch l.kind {
	case through, boundary:
		g.at[i] = up
	case answer:
		g.at[i] = g.answer(i, t, up)
	case results:
		g.at[i] = g.results(i, t, up)
	default:
		g.at[i] = g.add(record{lines: []int{i}, kind: l.kind, tree: t, up: up, of: -1})
	}
}

// treeOf returns the conversation that a line is of.
func (g *grower) treeOf(i int) int {
	l := &g.lines[i]
	if !l.side {
		return 0
	}
	name := l.agent
	if name == "" {
		if l.up >= 0 && g.lines[l.up].side {
			return g.treeAt[l.up]
		}
		name = l.id // versions before 2.0 do not name sub-agents
	}
	t, known := g.agents[name]
	if !known {
		t = len(g.trees)
		g.trees = append(g.trees, tree{agent: name, hangs: -1, last: -1})
		g.agents[name] = t
	}
	return t
}

func (g *grower) add(r record) int {
	g.records = append(g.records, r)
	n := len(g.records) - 1
	g.trees[r.tree].last = n
	return n
}

// answer joins a line to the answer it is part of.
func (g *grower) answer(i, t, up int) int {
	l := &g.lines[i]
	n := g.answerAbove(up)
	if n < 0 || l.message == "" || g.lines[g.records[n].lines[0]].message != l.message {
		n = g.add(record{kind: answer, tree: t, up: up, of: -1})
	}
	g.records[n].lines = append(g.records[n].lines, i)
	for _, c := range l.calls {
		g.calls[c.id] = n
	}
	return n
}

// answerAbove returns the answer that a record is or belongs to, or -1.
func (g *grower) answerAbove(n int) int {
	if n >= 0 && g.records[n].of >= 0 {
		return g.records[n].of
	}
	if n >= 0 && g.records[n].kind == answer {
		return n
	}
	return -1
}

// results joins results to the answer with their call. The nearest one above
// comes first: some models' call ids repeat. It returns the record that what
// hangs on the line continues from: where results came late, after more was said
// below the answer, that is what was said, for it stands behind them now.
func (g *grower) results(i, t, up int) int {
	l := &g.lines[i]
	of := g.answerAbove(up)
	if of < 0 || !g.calledBy(of, l.answered) {
		of = -1
		for _, id := range l.answered {
			if n, found := g.calls[id]; found && g.records[n].tree == t {
				of = n
				break
			}
		}
	}
	made := record{lines: []int{i}, kind: results, tree: t, up: up, of: of}
	if of >= 0 {
		made.nth = len(g.records[of].results)
	}
	n := g.add(made)
	if of >= 0 {
		g.records[of].results = append(g.records[of].results, n)
	}
	late := of >= 0 && g.answerAbove(up) != of && g.below(up, of)
	if l.rest {
		made.kind, made.beside, made.up = user, true, n
		if of >= 0 {
			made.nth = len(g.records[of].besides)
		}
		n = g.add(made)
		if of >= 0 {
			g.records[of].besides = append(g.records[of].besides, n)
		}
	}
	if late {
		return up
	}
	return n
}

// below reports whether a record continues from an answer, however far above.
func (g *grower) below(n, of int) bool {
	for ; n >= 0; n = g.records[n].up {
		if g.answerAbove(n) == of {
			return true
		}
	}
	return false
}

func (g *grower) calledBy(n int, ids []string) bool {
	if latest, found := g.calls[ids[0]]; found && latest == n {
		return true
	}
	for _, i := range g.records[n].lines {
		for _, c := range g.lines[i].calls {
			if slices.Contains(ids, c.id) {
				return true
			}
		}
	}
	return false
}

// end returns the record that continues where n does: what follows an answer,
// or any of its results, comes after all of them.
func (s *session) end(n int) int {
	if n < 0 {
		return n
	}
	of := &s.records[n]
	if of.of >= 0 {
		of = &s.records[of.of]
	}
	switch {
	case len(of.besides) > 0:
		return last(of.besides)
	case len(of.results) > 0:
		return last(of.results)
	}
	return n
}

// parent returns the record that n continues from, or -1.
func (s *session) parent(n int) int {
	r := &s.records[n]
	if r.of < 0 {
		return s.end(r.up)
	}
	of := &s.records[r.of]
	switch {
	case r.beside && r.nth > 0:
		return of.besides[r.nth-1]
	case r.beside:
		return last(of.results)
	case r.nth > 0:
		return of.results[r.nth-1]
	}
	return r.of
}

// recordID returns the name of a record.
//
// An answer is named by its last line, so that one imported while it was still
// coming, and whole later, is two records. What belongs to it and came before
// its last line, or before its last result, has that line in its name too, for
// it follows the one or the other.
func (s *session) recordID(n int) string {
	r := &s.records[n]
	id := s.lines[last(r.lines)].id
	if r.beside {
		id = partID(id, 2)
	}
	if r.of < 0 {
		return id
	}
	of := &s.records[r.of]
	before := last(of.lines)
	if r.beside {
		before = max(before, s.records[last(of.results)].lines[0])
	}
	if before > r.lines[0] {
		id += "@" + s.lines[before].id
	}
	return id
}

func last(s []int) int { return s[len(s)-1] }

// partID names the nth message that a line comes to.
func partID(line string, n int) string {
	if n == 1 {
		return line
	}
	return fmt.Sprintf("%s.%d", line, n)
}
