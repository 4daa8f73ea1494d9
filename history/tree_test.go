package history

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/message"
)

// nodesOf makes nodes from the number of each node's parent; the first is 1,
// a parent of 0 makes a root.
func nodesOf(parents ...int) []Node {
	nodes := make([]Node, len(parents))
	for i, p := range parents {
		nodes[i] = Node{ID: numberedID(i + 1), Depth: 1, Role: message.Assistant}
		if p > 0 {
			nodes[i].Parent, nodes[i].Depth = nodes[p-1].ID, nodes[p-1].Depth+1
		}
	}
	return nodes
}

func numberedID(n int) (id ID) {
	id[14], id[15] = byte(n>>8), byte(n)
	return id
}

// draw writes lines as the number of the node, behind a mark for its level.
func draw(lines []TreeLine) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.Repeat("  ", l.Level))
		if l.Begins {
			b.WriteString("/")
		}
		fmt.Fprintf(&b, "%d", int(l.ID[14])<<8|int(l.ID[15]))
		if l.Run.Entries > 0 {
			fmt.Fprintf(&b, "(%d)", l.Run.Entries)
		}
		if l.OnPath {
			b.WriteString("*")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestTreeIsDrawnWithTheTipStraightDown(t *testing.T) {
	//            1  2  3  4  5  6  7  8  9  10
	nodes := nodesOf(0, 1, 2, 2, 4, 5, 4, 0, 8, 3)
	for _, test := range []struct {
		name string
		tip  int
		want string
	}{
		{"the tip's root comes last, its line goes on", 10, "8\n9\n1*\n2*\n  /4\n    /7\n  5\n  6\n3*\n10*\n"},
		{"another tip turns the picture", 7, "8\n9\n1*\n2*\n  /3\n  10\n4*\n  /5\n  6\n7*\n"},
		{"a tip above goes on with the larger branch", 2, "8\n9\n1*\n2*\n  /3\n  10\n4\n  /7\n5\n6\n"},
		{"no tip", 0, "8\n9\n1\n2\n  /3\n  10\n4\n  /7\n5\n6\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := draw(ArrangeTree(nodes, numberedID(test.tip), nil)); got != test.want {
				t.Errorf("got\n%swant\n%s", got, test.want)
			}
		})
	}
	if lines := ArrangeTree(nil, ID{}, nil); len(lines) != 0 {
		t.Errorf("an empty tree has %d lines", len(lines))
	}
}

func TestLongRunsAreFolded(t *testing.T) {
	parents := make([]int, 20)
	for i := range parents {
		parents[i] = i
	}
	parents = append(parents, 10) // 21 leaves at 10
	nodes := nodesOf(parents...)
	nodes[2].Role, nodes[2].Author, nodes[2].Bytes = message.User, message.ByPerson, 7
	keep := func(n *Node) bool { return n.ID == numberedID(17) }
	lines := ArrangeTree(nodes, numberedID(20), keep)
	if got, want := draw(lines), "1*\n9(8)*\n10*\n  /21\n16(6)*\n17*\n18*\n19*\n20*\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got, want := lines[1].Run, (Run{Entries: 8, Prompts: 1, Answers: 7, Bytes: 7}); got != want {
		t.Errorf("the run is %+v, want %+v", got, want)
	}
}

func TestArrangedTreesHaveEveryNodeOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parents := rapid.SliceOfN(rapid.IntRange(0, 1<<20), 1, 300).Draw(t, "parents")
		for i := range parents {
			parents[i] %= i + 1
		}
		nodes := nodesOf(parents...)
		tip := numberedID(rapid.IntRange(0, len(nodes)).Draw(t, "tip"))
		var keep func(*Node) bool
		if rapid.Bool().Draw(t, "fold") {
			keep = func(n *Node) bool { return n.ID == tip }
		}
		lines := ArrangeTree(nodes, tip, keep)
		entries := 0
		for i, l := range lines {
			entries += max(l.Run.Entries, 1)
			if l.Level > 1+bits.Len(uint(len(nodes))) {
				t.Fatalf("level %d in a tree of %d", l.Level, len(nodes))
			}
			if l.Begins && slices.IndexFunc(lines[:i], func(above TreeLine) bool { return above.ID == l.Parent }) < 0 {
				t.Fatalf("a branch begins before the entry it leaves")
			}
			if l.OnPath && l.Level != 0 {
				t.Fatalf("an entry of the path stands at level %d", l.Level)
			}
		}
		if entries != len(nodes) {
			t.Fatalf("%d entries on lines, %d in the tree", entries, len(nodes))
		}
	})
}

func BenchmarkArrangeTree(b *testing.B) {
	parents := make([]int, 100_000)
	for i := range parents {
		parents[i] = i
		if i%100 == 99 {
			parents[i] = i - 50 // a branch
		}
	}
	nodes := make([]Node, len(parents))
	for i, p := range parents {
		nodes[i].ID = NewID()
		if p > 0 {
			nodes[i].Parent, nodes[i].Depth = nodes[p-1].ID, nodes[p-1].Depth+1
		}
	}
	tip := nodes[len(nodes)-1].ID
	b.ReportAllocs()
	for b.Loop() {
		ArrangeTree(nodes, tip, func(n *Node) bool { return n.ID == tip })
	}
}
