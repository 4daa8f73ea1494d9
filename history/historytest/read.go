package historytest

import (
	"fmt"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

func readTests() []test {
	return []test{
		{"a path is read from the root, or its newest part", paths},
		{"a path is the same whichever way it is asked for", samePath},
		{"a reader may write and leave early", writeWhileReading},
		{"compactions are those of the path, the oldest first", compactions},
		{"a tree yields parents first and siblings in order", trees},
		{"entries are found by the beginning of their id", found},
	}
}

func paths(f fixture) {
	id := f.create()
	if got := f.path(id, none); len(got) != 0 {
		f.Errorf("an empty conversation has the path %v", got)
	}
	var entries []history.Entry
	for i := range 300 {
		entries = append(entries, prompt(fmt.Sprint(i)))
	}
	stored := f.append(id, entries...)
	for tip := range 300 {
		if tip%37 != 0 && tip < 297 {
			continue
		}
		for _, newest := range []int{0, 1, 2, 7, 100, 299, 300, 1000} {
			from := 0
			if newest > 0 {
				from = max(0, tip+1-newest)
			}
			got := collect(f, f.Path(f.Context(), history.PathQuery{Conversation: id, Tip: stored[tip].ID, Newest: newest}))
			equal(f, fmt.Sprintf("the newest %d up to %d", newest, tip), ids(got), ids(stored[from:tip+1]))
			if from > 0 && got[0].Parent != stored[from-1].ID {
				f.Errorf("the first of the newest %d has the parent %v", newest, got[0].Parent)
			}
		}
	}
}

func samePath(f fixture) {
	id, tip := f.tangled()
	path := f.path(id, tip)
	up := map[history.ID]history.Node{}
	for _, n := range f.nodes(id) {
		up[n.ID] = n
	}
	at := tip
	for i := len(path) - 1; i >= 0; i-- {
		e := path[i]
		want := history.Node{ID: e.ID, Parent: e.Parent, Depth: e.Depth, Kind: e.Kind(), Author: e.Author(),
			Created: e.Created, Preview: history.Preview(&e), Bytes: int64(len(bodyOf(e)))}
		if e.Message != nil {
			want.Role = e.Message.Role
		}
		equal(f, "the node", up[at], want)
		at = e.Parent
	}
	if at != none {
		f.Errorf("the path begins below %v", at)
	}
}

func writeWhileReading(f fixture) {
	id := f.create()
	f.append(id, prompt("a"), prompt("b"), prompt("c"))
	n := 0
	for e, err := range f.Path(f.Context(), history.PathQuery{Conversation: id}) {
		f.must(err)
		f.append(id, prompt("while at "+e.Handle().String()))
		n++
	}
	for range f.Nodes(f.Context(), id) {
		f.append(id, prompt("while at the first node"))
		break
	}
	for range f.List(f.Context(), history.ListQuery{}) {
		f.append(id, prompt("while listing"))
	}
	if c := f.conversation(id); n != 3 || c.Entries != 8 || len(f.path(id, none)) != 8 {
		f.Errorf("%d entries were read, %d stored", n, c.Entries)
	}
}

func compactions(f fixture) {
	id, tip := f.tangled()
	path := f.path(id, tip)
	for i, at := range path {
		var want []history.ID
		for _, e := range path[:i+1] {
			if e.Compaction != nil {
				want = append(want, e.ID)
			}
		}
		got := collect(f, f.Compactions(f.Context(), id, at.ID))
		equal(f, "the compactions up to "+at.Handle().String(), ids(got), want)
		for _, e := range got {
			equal(f, "the compaction", e, path[e.Depth-1])
		}
	}
}

func trees(f fixture) {
	id, tip := f.tangled()
	seen, last := map[history.ID]bool{none: true}, map[history.ID]int{}
	nodes := f.nodes(id)
	stored := map[history.ID]int{}
	for i, n := range nodes {
		if !seen[n.Parent] {
			f.Errorf("node %v comes before its parent", n.ID)
		}
		seen[n.ID] = true
		stored[n.ID] = i
	}
	for _, parent := range append([]history.Node{{}}, nodes...) {
		for _, n := range collect(f, f.Children(f.Context(), id, parent.ID)) {
			if n.Parent != parent.ID || stored[n.ID] < last[parent.ID] {
				f.Errorf("%v is a child of %v", n, parent.ID)
			}
			last[parent.ID] = stored[n.ID]
			delete(seen, n.ID)
		}
	}
	if len(seen) != 1 || len(nodes) != f.conversation(id).Entries {
		f.Errorf("%d nodes are nobody's children, of %d", len(seen)-1, len(nodes))
	}
	a := f.appendAt(id, tip, tip, prompt("first"))[0].ID
	lost, _ := f.Append(f.Context(), history.AppendRequest{Conversation: id, Parent: tip, ExpectedTip: tip, Entries: []history.Entry{prompt("second")}})
	var children []history.ID
	for _, n := range collect(f, f.Children(f.Context(), id, tip)) {
		children = append(children, n.ID)
		if n.Author != message.ByPerson || n.Role != message.User {
			f.Errorf("the child is %+v", n)
		}
	}
	equal(f, "the children", children, []history.ID{a, lost[0].ID})
}

func found(f fixture) {
	id, other := f.create(), f.create()
	a, _ := parseID("01900000-0000-7000-8000-00000000aaaa")
	b, _ := parseID("01900000-0000-7000-8000-0000000baaaa")
	c, _ := parseID("01900000-0000-7000-8000-0000000caaaa")
	f.append(id, withID(prompt("a"), a), withID(prompt("b"), b))
	f.append(other, withID(prompt("c"), c))
	for prefix, want := range map[string][]history.ID{
		"019":                                   {a, b},
		"01900000-0000-7000-8000-0000000":       {a, b},
		"01900000-0000-7000-8000-00000000":      {a},
		"01900000-0000-7000-8000-0000000baaaa":  {b},
		"01900000-":                             {a, b},
		"01900000-0000-7000-8000-0000000c":      nil,
		"":                                      {a, b},
		"02":                                    nil,
		"01900000-0000-7000-8000-0000000B":      nil,
		"019000000":                             nil,
		"0190%":                                 nil,
		"01900000-0000-7000-8000-0000000baaaa0": nil,
	} {
		got, err := f.FindEntries(f.Context(), id, prefix, 10)
		f.must(err)
		equal(f, "what begins with "+prefix, sortedIDs(got), want)
	}
	if got, err := f.FindEntries(f.Context(), id, "019", 1); err != nil || len(got) != 1 {
		f.Errorf("at most one: %v, error %v", got, err)
	}
}
