package history

import "github.com/stemma-history/stemma/message"

// A TreeLine is one line of a tree as people read it: an entry, or a run of
// entries that nothing branches off.
type TreeLine struct {
	Node // the entry; the last one of a run
	// Run is what a folded line stands for; its Entries is 0 where the line is
	// one entry.
	Run Run
	// Level is how far to the side the line stands: the lines of the tip's
	// path have 0, a branch one more than what it leaves.
	Level int
	// Begins says that the line is the first of a branch.
	Begins bool
	// OnPath says that the entry is on the path to the tip.
	OnPath bool
	// Branches is how many entries continue from this one.
	Branches int
}

// A Run is the sum of entries in a row.
type Run struct {
	Entries                  int
	Prompts, Answers, Others int
	Bytes                    int64
}

// minRun is the shortest run worth a line that says less than its entries.
const minRun = 4

// ArrangeTree returns the lines of a tree, given its nodes as [Entries.Nodes]
// yields them. A branch stands after the entry it leaves, before the line goes
// on. The line of the tip goes straight down; elsewhere the branch with the
// most entries does, so that no level is deeper than about log₂ of the number
// of nodes.
//
// Where keep is given, runs are folded: entries stay lines of their own where
// they begin or end a branch, where branches leave, and where keep says so.
func ArrangeTree(nodes []Node, tip ID, keep func(*Node) bool) []TreeLine {
	a := arranger{tree: newTree(nodes, tip), keep: keep}
	last := a.next(0)
	for root := a.firstChild[0]; root != 0; root = a.sibling[root] {
		if root != last {
			a.line(root, 0)
		}
	}
	a.line(last, 0)
	return a.lines
}

// tree is the shape of a conversation. Nodes are counted from 1; 0 stands for
// none, and for what the roots hang on.
type tree struct {
	nodes               []Node
	firstChild, sibling []int32
	children            []int32
	size                []int32 // of the node with everything below
	onPath              []bool
}

func newTree(nodes []Node, tip ID) *tree {
	n := len(nodes) + 1
	t := &tree{
		nodes:      nodes,
		firstChild: make([]int32, n),
		sibling:    make([]int32, n),
		children:   make([]int32, n),
		size:       make([]int32, n),
		onPath:     make([]bool, n),
	}
	index := make(map[ID]int32, n)
	for i := range nodes {
		index[nodes[i].ID] = int32(i) + 1
	}
	for i := int32(n) - 1; i > 0; i-- { // backwards, so that the first child ends up first
		parent := index[t.node(i).Parent]
		t.size[i]++
		t.size[parent] += t.size[i]
		t.children[parent]++
		t.sibling[i], t.firstChild[parent] = t.firstChild[parent], i
	}
	for i := index[tip]; i != 0; i = index[t.node(i).Parent] {
		t.onPath[i] = true
	}
	return t
}

func (t *tree) node(i int32) *Node { return &t.nodes[i-1] }

// next returns the child that the line of node i goes on with, or 0.
func (t *tree) next(i int32) int32 {
	next := int32(0)
	for c := t.firstChild[i]; c != 0; c = t.sibling[c] {
		if t.onPath[c] {
			return c
		}
		if t.size[c] >= t.size[next] || next == 0 {
			next = c
		}
	}
	return next
}

type arranger struct {
	*tree
	keep  func(*Node) bool
	lines []TreeLine
}

// line adds the lines from node i to the end of its branch.
func (a *arranger) line(i int32, level int) {
	var run []int32 // entries that may be folded
	for begin := i; i != 0; i = a.next(i) {
		if a.keep != nil && i != begin && a.children[i] == 1 && !a.keep(a.node(i)) {
			run = append(run, i)
			continue
		}
		a.fold(run, level)
		run = run[:0]
		a.entry(i, level, i == begin && level > 0)
		next := a.next(i)
		for c := a.firstChild[i]; c != 0; c = a.sibling[c] {
			if c != next {
				a.line(c, level+1)
			}
		}
	}
}

func (a *arranger) entry(i int32, level int, begins bool) {
	a.lines = append(a.lines, TreeLine{
		Node:     *a.node(i),
		Level:    level,
		Begins:   begins,
		OnPath:   a.onPath[i],
		Branches: int(a.children[i]),
	})
}

func (a *arranger) fold(run []int32, level int) {
	if len(run) < minRun {
		for _, i := range run {
			a.entry(i, level, false)
		}
		return
	}
	last := run[len(run)-1]
	a.entry(last, level, false)
	line := &a.lines[len(a.lines)-1]
	for _, i := range run {
		line.Run.add(a.node(i))
	}
}

func (r *Run) add(n *Node) {
	r.Entries++
	r.Bytes += n.Bytes
	switch {
	case n.Role == message.User && n.Author == message.ByPerson:
		r.Prompts++
	case n.Role == message.Assistant:
		r.Answers++
	default:
		r.Others++
	}
}
