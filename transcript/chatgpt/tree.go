package chatgpt

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/exportfile"
	"github.com/stemma-history/stemma/transcript/internal/native"
)

// tree is one conversation.
type tree struct {
	transcript.Conversation
	current string // the node that the person saw last
	nodes   []*node
	byID    map[string]*node
	files   *exportfile.Export
}

// node is a place in the tree. Some have no message, or none of anyone's.
type node struct {
	id, parent string
	order      []string // of its children
	raw        []byte   // the message
	message    native.Object
	children   []*node

	// What is known on the way down from the root.

	told    bool
	depth   int
	last    string    // the latest record on the path to here
	created time.Time // of the latest message
	call    callAbove
}

// callAbove is the call that a tool's message on the path would answer.
type callAbove struct{ id, name string }

var errNoID = errors.New("expected its id")

// parse reads a conversation, without judging its tree.
func parse(data []byte) (*tree, error) {
	o, err := native.ReadObject(data)
	if err != nil {
		return nil, err
	}
	t := &tree{current: o.Text("current_node"), byID: map[string]*node{}}
	if t.ID = o.Text("conversation_id"); t.ID == "" {
		t.ID = o.Text("id")
	}
	if t.ID == "" {
		return nil, errNoID
	}
	t.Title, t.Model = o.Text("title"), o.Text("default_model_slug")
	t.Created = transcript.Time(o.Raw("create_time"))
	err = rawjson.Members(o.Raw("mapping"), func(id string, value []byte) error {
		n, err := parseNode(id, value)
		if err != nil {
			return fmt.Errorf("node %s: %w", id, err)
		}
		if t.byID[id] == nil {
			t.nodes = append(t.nodes, n)
			t.byID[id] = n
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("mapping: %w", err)
	}
	return t, nil
}

func parseNode(id string, value []byte) (*node, error) {
	o, err := native.ReadObject(value)
	if err != nil {
		return nil, err
	}
	n := &node{id: id, parent: o.Text("parent"), raw: o.Raw("message")}
	children, err := o.Elements("children")
	if err != nil {
		return nil, err
	}
	for _, c := range children {
		n.order = append(n.order, rawjson.Text(c))
	}
	if n.raw != nil {
		n.message, err = native.ReadObject(n.raw)
	}
	return n, err
}

// tell tells the sink the conversation, parents before their children.
func (t *tree) tell(sink transcript.Sink) error {
	roots := t.connect()
	begun := false
	record := func(r transcript.Record) error {
		if !begun {
			begun = true
			if t.Created.IsZero() {
				t.Created = r.Created
			}
			if err := sink.Conversation(t.Conversation); err != nil {
				return err
			}
		}
		return sink.Record(r)
	}
	for _, root := range roots {
		if err := t.descend(root, record, sink); err != nil {
			return err
		}
	}
	for _, n := range t.nodes {
		if n.told {
			continue
		}
		sink.Problem(transcript.Problem{Record: n.id, What: fmt.Sprintf("conversation %s: it continues from itself, in a circle; it is taken for a beginning", t.ID)})
		if err := t.descend(n, record, sink); err != nil {
			return err
		}
	}
	if tip := t.tip(); begun && tip != "" {
		return sink.Tip(tip)
	}
	return nil
}

// connect links the nodes and returns those without a parent.
func (t *tree) connect() (roots []*node) {
	for _, n := range t.nodes {
		if parent := t.byID[n.parent]; parent != nil && parent != n {
			parent.children = append(parent.children, n)
		} else {
			roots = append(roots, n)
		}
	}
	for _, n := range t.nodes { // siblings in the order that the parent gives
		place := map[string]int{}
		for i, id := range n.order {
			place[id] = i - len(n.order)
		}
		slices.SortStableFunc(n.children, func(a, b *node) int { return place[a.id] - place[b.id] })
	}
	return roots
}

// descend tells a node and what is below it. It keeps a list of its own of what
// is left to do: conversations of thousands of messages are one long branch.
func (t *tree) descend(from *node, record func(transcript.Record) error, sink transcript.Sink) error {
	for left := []*node{from}; len(left) > 0; {
		n := left[len(left)-1]
		left = left[:len(left)-1]
		if n.told {
			continue
		}
		n.told = true
		item := t.item(n, sink)
		item.Parent = n.last
		for _, r := range item.Records() {
			if err := record(r); err != nil {
				return err
			}
			n.last = r.ID
		}
		for _, child := range slices.Backward(n.children) {
			if !child.told {
				child.depth, child.last, child.created, child.call = n.depth+1, n.last, n.created, n.call
				left = append(left, child)
			}
		}
	}
	return nil
}

// item reads the node's message and sets what holds below it.
func (t *tree) item(n *node, sink transcript.Sink) native.Item {
	if at := transcript.Time(n.message.Raw("create_time")); !at.IsZero() {
		n.created = at
	} else if n.created.IsZero() {
		n.created = t.Created
	}
	item := native.Item{ID: n.id, Created: n.created, Open: n.message.Text("status") == "in_progress"}
	if n.raw == nil {
		return item
	}
	d := decoder{node: n, files: t.files, problem: func(what string) {
		sink.Problem(transcript.Problem{Record: n.id, What: what})
	}}
	if m := d.message(); len(m.Parts) > 0 {
		item.Messages = []message.Message{m}
	}
	return item
}

// tip returns the record of the current node, or of the newest leaf where that
// is not known; of those as new, the deepest.
func (t *tree) tip() string {
	best := t.byID[t.current]
	if best != nil {
		return best.last
	}
	for _, n := range t.nodes {
		if len(n.children) > 0 || n.last == "" {
			continue
		}
		if best == nil || n.created.After(best.created) || n.created.Equal(best.created) && n.depth >= best.depth {
			best = n
		}
	}
	if best == nil {
		return ""
	}
	return best.last
}
