package tui

import (
	"slices"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// A forest is a whole conversation laid out as lines, one an entry. It never
// changes: a tree that has grown is laid out anew.
type forest struct {
	lines   []history.TreeLine
	lower   string // the previews in lower case, one behind the other, for searching
	ends    []int  // where each of them ends
	calls   []bool // the line is an answer that calls tools, or what came of it
	at      map[history.ID]int
	tip     history.ID
	leaves  int
	deepest int
}

func newForest(nodes []history.Node, tip history.ID) *forest {
	f := &forest{tip: tip, at: make(map[history.ID]int, len(nodes))}
	if len(nodes) == 0 {
		return f
	}
	f.lines = history.ArrangeTree(nodes, tip, nil)
	var lower strings.Builder
	f.ends = make([]int, len(f.lines))
	f.calls = make([]bool, len(f.lines))
	for i := range f.lines {
		l := &f.lines[i]
		lower.WriteString(strings.ToLower(l.Preview))
		f.ends[i] = lower.Len()
		f.at[l.ID] = i
		f.deepest = max(f.deepest, l.Depth)
		if l.Branches == 0 {
			f.leaves++
		}
	}
	f.lower = lower.String()
	for i := range f.lines {
		if l := &f.lines[i]; l.Role == message.Tool {
			f.calls[i] = true
			if caller, ok := f.at[l.Parent]; ok {
				f.calls[caller] = true
			}
		}
	}
	return f
}

// branchEnd returns the line behind the branch that begins at line i.
func (f *forest) branchEnd(i int) int {
	level := f.lines[i].Level
	end := i + 1
	for end < len(f.lines) && (f.lines[end].Level > level || f.lines[end].Level == level && !f.lines[end].Begins) {
		end++
	}
	return end
}

// branchOf returns the line that the branch of line i begins at; -1 on the
// line of the tip.
func (f *forest) branchOf(i int) int {
	if i >= len(f.lines) || f.lines[i].Level == 0 {
		return -1
	}
	level := f.lines[i].Level
	for ; i >= 0; i-- {
		if f.lines[i].Level == level && f.lines[i].Begins {
			return i
		}
	}
	return -1
}

// find returns the next line from i on, in a direction, that is wanted; -1 where
// there is none.
func (f *forest) find(i, step int, want func(*history.TreeLine) bool) int {
	for i += step; i >= 0 && i < len(f.lines); i += step {
		if want(&f.lines[i]) {
			return i
		}
	}
	return -1
}

func isPrompt(l *history.TreeLine) bool {
	return l.Role == message.User && l.Author == message.ByPerson
}

// A filter says which entries a tree shows.
type filter int

const (
	showAll filter = iota
	showPrompts
	showAnswers
	showCalls
	showCheckpoints
	showPins
	showCompactions
	showBranches
	filters // how many there are
)

var filterNames = [filters]string{"all", "prompts", "answers", "calls", "checkpoints", "pins", "compactions", "branch points"}

// labels are what people and runs have said about entries.
type labels struct {
	checkpoints map[history.ID][]string
	pinned      map[history.ID]bool
}

// A selection says which lines of a forest are shown.
type selection struct {
	filter filter
	query  string // in lower case; all of its words must stand in a preview
	// hits are entries that were found by words behind their preview.
	hits   map[history.ID]bool
	folded map[history.ID]bool // branches, by their first entry
}

// rows returns the indexes of the lines that are shown, in order.
func (f *forest) rows(s *selection, l *labels) []int {
	rows := make([]int, 0, len(f.lines))
	var said []bool // lines that have the words; nil: all have
	if s.query != "" {
		said = f.say(strings.Fields(s.query))
		for id := range s.hits {
			if i, ok := f.at[id]; ok {
				said[i] = true
			}
		}
	}
	folds := len(s.folded) > 0
	for i := 0; i < len(f.lines); i++ {
		if (said == nil || said[i]) && s.shows(f, i, l) {
			rows = append(rows, i)
		}
		if folds && f.lines[i].Begins && s.folded[f.lines[i].ID] {
			if len(rows) == 0 || rows[len(rows)-1] != i {
				rows = append(rows, i) // what is folded away stands behind it
			}
			i = f.branchEnd(i) - 1
		}
	}
	return rows
}

// say returns which previews have all of some words. It looks for the longest,
// the one that the fewest have, through all of them at once.
func (f *forest) say(query []string) []bool {
	said := make([]bool, len(f.lines))
	longest := slices.MaxFunc(query, func(a, b string) int { return len(a) - len(b) })
	line, begin := 0, 0
	for at := 0; at < len(f.lower); {
		next := strings.Index(f.lower[at:], longest)
		if next < 0 {
			break
		}
		at += next
		for f.ends[line] <= at {
			line, begin = line+1, f.ends[line]
		}
		if at+len(longest) > f.ends[line] { // half of it is the next preview's
			at++
			continue
		}
		preview := f.lower[begin:f.ends[line]]
		said[line] = !slices.ContainsFunc(query, func(word string) bool { return !strings.Contains(preview, word) })
		at = f.ends[line]
	}
	return said
}

func (s *selection) shows(f *forest, i int, said *labels) bool {
	l := &f.lines[i]
	switch s.filter {
	case showPrompts:
		return isPrompt(l)
	case showAnswers:
		return l.Role == message.Assistant
	case showCalls:
		return f.calls[i]
	case showCheckpoints:
		return len(said.checkpoints[l.ID]) > 0
	case showPins:
		return said.pinned[l.ID]
	case showCompactions:
		return l.Kind == history.KindCompaction
	case showBranches:
		return l.Branches > 1 || l.Begins
	}
	return true
}
