package tui

import (
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// firstEntries is how many of the newest entries are read before the rest: more
// than any screen shows.
const firstEntries = 200

// The store is read and written beside the screen: what is done there is given
// what it needs, and does not look at the navigator, which goes on changing.

// What comes back from the store.
type (
	newestRead struct {
		nodes  []history.Node
		forest *forest
	}
	treeRead struct {
		nodes   []history.Node
		forest  *forest
		damaged int
	}
	labelsRead struct{ labels labels }
	laidOut    struct{ forest *forest }
	entryRead  struct {
		id    history.ID
		entry *history.Entry
		err   error
	}
	lookNow    struct{ id history.ID }
	wordsFound struct {
		query string
		hits  map[history.ID]bool
	}
	// moved says that the tip was moved, said that something was said about
	// an entry; the note is for the person.
	moved struct {
		conversation history.Conversation
		note         string
	}
	said    struct{ note string }
	failure struct{ error }
)

// readNewest reads the end of the current path.
func (n *navigator) readNewest() tea.Cmd {
	c := n.conversation
	return func() tea.Msg {
		var nodes []history.Node
		for e, err := range n.store.Path(n.ctx, history.PathQuery{Conversation: c.ID, Tip: c.Tip, Newest: firstEntries}) {
			var damaged *history.DamagedError
			switch {
			case errors.As(err, &damaged):
				continue
			case err != nil:
				return failure{err}
			}
			nodes = append(nodes, e.Node())
		}
		return newestRead{nodes, newForest(nodes, c.Tip)}
	}
}

// readTree reads everything.
func (n *navigator) readTree() tea.Cmd {
	c := n.conversation
	return func() tea.Msg {
		nodes := make([]history.Node, 0, c.Entries)
		damaged := 0
		for node, err := range n.store.Nodes(n.ctx, c.ID) {
			var row *history.DamagedError
			switch {
			case errors.As(err, &row):
				damaged++
			case err != nil:
				return failure{err}
			default:
				nodes = append(nodes, node)
			}
		}
		return treeRead{nodes, newForest(nodes, c.Tip), damaged}
	}
}

// layOut lays the tree out anew, after the tip has moved.
func (n *navigator) layOut() tea.Cmd {
	nodes, tip := n.nodes, n.conversation.Tip
	return func() tea.Msg { return laidOut{newForest(nodes, tip)} }
}

func (n *navigator) readLabels() tea.Cmd {
	id := n.conversation.ID
	return func() tea.Msg {
		l := labels{checkpoints: map[history.ID][]string{}, pinned: map[history.ID]bool{}}
		marks, err := n.store.Checkpoints(n.ctx, id)
		if err != nil {
			return failure{err}
		}
		for _, m := range marks {
			l.checkpoints[m.Entry] = append(l.checkpoints[m.Entry], m.Name)
		}
		pins, err := n.store.Pins(n.ctx, id)
		if err != nil {
			return failure{err}
		}
		for _, id := range pins {
			l.pinned[id] = true
		}
		return labelsRead{l}
	}
}

// act does what a key asks of the entry under the cursor.
func (n *navigator) act(key string) tea.Cmd {
	l := n.line()
	if l == nil {
		return nil
	}
	entry := *l
	switch key {
	case "enter":
		if isPrompt(&entry) {
			return n.edit(entry)
		}
		return n.moveTip(entry)
	case "m":
		return n.moveTip(entry)
	case "f":
		return n.fork(entry)
	case "p":
		return n.pin(entry)
	case "d":
		tip := n.conversation.Tip
		return func() tea.Msg { return compareBranches{entry.ID, tip} }
	}
	return nil
}

func (n *navigator) edit(l history.TreeLine) tea.Cmd {
	id := n.conversation.ID
	return func() tea.Msg {
		e, err := n.store.Entry(n.ctx, id, l.ID)
		if err != nil {
			return failure{err}
		}
		return editPrompt{e}
	}
}

func (n *navigator) moveTip(l history.TreeLine) tea.Cmd {
	c, boundary := n.conversation, n.boundary(l)
	return func() tea.Msg {
		at, err := boundary()
		if err != nil {
			return failure{err}
		}
		if err := n.store.MoveTip(n.ctx, at, c.Tip); err != nil {
			return failure{err}
		}
		c.Tip = at.Entry()
		note := fmt.Sprintf("The conversation stands at %d now.", at.Depth())
		if at.Entry() != l.ID {
			note = fmt.Sprintf("The conversation stands at %d now, where that turn ends.", at.Depth())
		}
		return moved{c, note}
	}
}

// boundary returns what finds the end of the turn that an entry is in: a call is
// not left without its results.
func (n *navigator) boundary(l history.TreeLine) func() (history.Boundary, error) {
	conversation, forest := n.conversation.ID, n.forest
	return func() (history.Boundary, error) {
		for id := l.ID; ; {
			at, err := history.BoundaryAt(n.ctx, n.store, conversation, id)
			var inside *history.MidTurnError
			if !errors.As(err, &inside) {
				return at, err
			}
			next, ok := forest.results(id)
			if !ok {
				return at, err
			}
			id = next
		}
	}
}

// results returns the entry of results that continues from another.
func (f *forest) results(id history.ID) (history.ID, bool) {
	i, ok := f.at[id]
	if !ok {
		return id, false
	}
	next := f.find(i, 1, func(l *history.TreeLine) bool { return l.Parent == id })
	if next < 0 || f.lines[next].Role != message.Tool {
		return id, false
	}
	return f.lines[next].ID, true
}

func (n *navigator) fork(l history.TreeLine) tea.Cmd {
	boundary := n.boundary(l)
	return func() tea.Msg {
		at, err := boundary()
		if err != nil {
			return failure{err}
		}
		c, err := n.store.Fork(n.ctx, history.ForkRequest{At: at})
		if err != nil {
			return failure{err}
		}
		return conversationForked{c}
	}
}

func (n *navigator) pin(l history.TreeLine) tea.Cmd {
	id, pinned := n.conversation.ID, n.labels.pinned[l.ID]
	return func() tea.Msg {
		if pinned {
			if err := n.store.Unpin(n.ctx, id, l.ID); err != nil {
				return failure{err}
			}
			return said{fmt.Sprintf("%d is no longer pinned.", l.Depth)}
		}
		if err := n.store.Pin(n.ctx, id, l.ID); err != nil {
			return failure{err}
		}
		return said{fmt.Sprintf("%d is pinned: it stays whole in every view.", l.Depth)}
	}
}

func (n *navigator) mark(name string) tea.Cmd {
	l := n.line()
	if l == nil || name == "" {
		return nil
	}
	boundary := n.boundary(*l)
	return func() tea.Msg {
		at, err := boundary()
		if err != nil {
			return failure{err}
		}
		if _, err := n.store.Mark(n.ctx, at, history.Checkpoint{Name: name, SetBy: message.ByPerson}); err != nil {
			return failure{err}
		}
		return said{fmt.Sprintf("Checkpoint %s marks %d.", name, at.Depth())}
	}
}

// searchHits is how many entries a search for words behind the previews finds.
const searchHits = 1000

// findWords looks for words in the whole texts, not in the previews alone.
func (n *navigator) findWords(query string) tea.Cmd {
	if query == "" {
		return nil
	}
	id := n.conversation.ID
	return func() tea.Msg {
		r, err := n.store.Search(n.ctx, history.SearchQuery{Text: query, Conversation: id, Limit: searchHits})
		if err != nil {
			return failure{err}
		}
		found := wordsFound{query, map[history.ID]bool{}}
		for _, h := range r.Hits {
			found.hits[h.Entry] = true
		}
		return found
	}
}
