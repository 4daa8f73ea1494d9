package chatgpt

import (
	"errors"
	"fmt"
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
	files   *exportfile.Export
}

// node is a place in the tree. Some have no message, or none of anyone's.
type node struct {
	id, parent string
	raw        []byte // the message
	message    native.Object

	// What is known once its parent has been told.

	last    string    // the latest record on the path to here
	created time.Time // of the latest message
	call    string    // id of the call that a tool's message would answer
}

var errNoID = errors.New("expected its id")

// parse reads a conversation, without judging its tree.
func parse(data []byte) (*tree, error) {
	o, err := native.ReadObject(data)
	if err != nil {
		return nil, err
	}
	t := &tree{current: o.Text("current_node")}
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
		t.nodes = append(t.nodes, n)
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
	if n.raw != nil {
		n.message, err = native.ReadObject(n.raw)
	}
	return n, err
}

// tell tells the sink the conversation. The parents of nodes are what counts:
// walking down their lists of children would mix answers that were left.
func (t *tree) tell(sink transcript.Sink) error {
	forest := native.NewForest(len(t.nodes), func(i int) string { return t.nodes[i].id }, func(i int) string { return t.nodes[i].parent })
	order, circles := forest.ParentsFirst()
	for _, i := range circles {
		sink.Problem(transcript.Problem{Record: t.nodes[i].id, What: fmt.Sprintf("conversation %s: it continues from itself, in a circle; it is taken for a beginning", t.ID)})
	}
	begun := false
	for _, i := range order {
		n := t.nodes[i]
		if p := forest[i]; p >= 0 {
			n.last, n.created, n.call = t.nodes[p].last, t.nodes[p].created, t.nodes[p].call
		}
		item := t.item(n, sink)
		for _, r := range item.Records() {
			if !begun {
				begun = true
				if t.Created.IsZero() {
					t.Created = r.Created
				}
				if err := sink.Conversation(t.Conversation); err != nil {
					return err
				}
			}
			if err := sink.Record(r); err != nil {
				return err
			}
			n.last = r.ID
		}
	}
	if tip := t.tip(forest); tip != "" {
		return sink.Tip(tip)
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
	item := native.Item{ID: n.id, Parent: n.last, Created: n.created, Open: n.message.Text("status") == "in_progress"}
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
// is not known.
func (t *tree) tip(forest native.Forest) string {
	for _, n := range t.nodes {
		if n.id == t.current {
			return n.last
		}
	}
	newest := forest.NewestLeaf(func(i int) time.Time { return t.nodes[i].created }, func(i int) bool { return t.nodes[i].last != "" })
	if newest < 0 {
		return ""
	}
	return t.nodes[newest].last
}
