package export

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// outline is what is known of a conversation before its bodies are read: no
// more of it is held in memory.
type outline struct {
	ctx          context.Context
	store        history.Store
	conversation history.Conversation
	// branches begins with the path to the tip; each other one stands after
	// the one it leaves.
	branches []*branch
	leaving  map[history.ID][]*branch // by the entry they continue from
	shown    map[history.ID]bool
	marks    map[history.ID][]history.Checkpoint // the oldest first
	pinned   map[history.ID]bool
	calls    map[history.ID][]message.ToolCall // those that results after an entry may answer

	incomplete IncompleteError
}

// branch is a run of entries, each continuing from the one before.
type branch struct {
	Number int // 1 is the path
	Nodes  []history.Node
}

func (b *branch) First() *history.Node { return &b.Nodes[0] }
func (b *branch) Last() *history.Node  { return &b.Nodes[len(b.Nodes)-1] }

// piece is an entry with what the store knows of it.
type piece struct {
	*history.Entry // of a damaged one only what places it
	Damage         error
	Checkpoints    []history.Checkpoint
	Pinned         bool
	Leaving        []*branch // the other branches that continue from here
	Calls          []message.ToolCall
}

func newOutline(ctx context.Context, store history.Store, conversation history.ID, options Options) (*outline, error) {
	o := &outline{
		ctx: ctx, store: store,
		leaving: map[history.ID][]*branch{}, shown: map[history.ID]bool{},
		marks: map[history.ID][]history.Checkpoint{}, pinned: map[history.ID]bool{},
		calls: map[history.ID][]message.ToolCall{},
	}
	var err error
	if o.conversation, err = store.Conversation(ctx, conversation); err != nil {
		return nil, fmt.Errorf("conversation %v: %w", conversation, err)
	}
	tip := options.Tip
	if tip == (history.ID{}) {
		tip = o.conversation.Tip
	} else if _, err := store.Entry(ctx, conversation, tip); errors.Is(err, history.ErrNotFound) {
		return nil, fmt.Errorf("entry %v: %w", tip, err)
	}
	if err := o.readMarks(conversation); err != nil {
		return nil, err
	}
	var nodes []history.Node
	for node, err := range store.Nodes(ctx, conversation) {
		if isDamage(err) {
			o.incomplete.Add(err)
			continue
		} else if err != nil {
			return nil, fmt.Errorf("tree: %w", err)
		}
		nodes = append(nodes, node)
	}
	if tip == (history.ID{}) && len(nodes) > 0 { // an import that was never finished
		tip = nodes[len(nodes)-1].ID
	}
	o.arrange(history.ArrangeTree(nodes, tip, nil), options.All)
	return o, nil
}

func (o *outline) readMarks(conversation history.ID) error {
	marks, err := o.store.Checkpoints(o.ctx, conversation)
	if err != nil {
		return fmt.Errorf("checkpoints: %w", err)
	}
	for _, m := range slices.Backward(marks) {
		o.marks[m.Entry] = append(o.marks[m.Entry], m)
	}
	pins, err := o.store.Pins(o.ctx, conversation)
	if err != nil {
		return fmt.Errorf("pins: %w", err)
	}
	for _, entry := range pins {
		o.pinned[entry] = true
	}
	return nil
}

// arrange makes branches of the lines of a tree: the path, and, where all are
// wanted, what leaves it and what lies below its tip.
func (o *outline) arrange(lines []history.TreeLine, all bool) {
	var path branch
	var others []*branch
	var open []*branch // the latest of each level; nil is the path
	for _, line := range lines {
		level := min(line.Level, len(open))
		if line.OnPath {
			path.Nodes = append(path.Nodes, line.Node)
			open = append(open[:level], nil)
			continue
		}
		if level == len(open) || open[level] == nil || open[level].Last().ID != line.Parent {
			others = append(others, &branch{})
			open = append(open[:level], others[len(others)-1])
		}
		open = open[:level+1]
		open[level].Nodes = append(open[level].Nodes, line.Node)
	}
	if len(path.Nodes) > 0 {
		o.branches = append(o.branches, &path)
	}
	if all {
		o.branches = append(o.branches, others...)
	}
	for i, b := range o.branches {
		b.Number = i + 1
		if i > 0 {
			o.leaving[b.First().Parent] = append(o.leaving[b.First().Parent], b)
		}
		for _, node := range b.Nodes {
			o.shown[node.ID] = true
		}
	}
}

// pieces reads the entries of a branch.
func (o *outline) pieces(b *branch) iter.Seq2[piece, error] {
	query := history.PathQuery{
		Conversation: o.conversation.ID, Tip: b.Last().ID,
		Newest: b.Last().Depth - b.First().Depth + 1,
	}
	return func(yield func(piece, error) bool) {
		for entry, err := range o.store.Path(o.ctx, query) {
			p := piece{Entry: &entry}
			var damage *history.DamagedError
			if errors.As(err, &damage) {
				o.incomplete.Add(err)
				p.Entry, p.Damage = o.damaged(b, damage.Entry), damage.Err
			} else if err != nil {
				yield(piece{}, fmt.Errorf("path to %v: %w", b.Last().ID, err))
				return
			}
			p.Checkpoints, p.Pinned, p.Leaving = o.marks[p.ID], o.pinned[p.ID], o.leaving[p.ID]
			p.Calls = o.calls[p.Parent]
			o.follow(p.Entry)
			if !yield(p, nil) {
				return
			}
		}
	}
}

// damaged returns what the tree knows of an entry that cannot be read.
func (o *outline) damaged(b *branch, id history.ID) *history.Entry {
	i := slices.IndexFunc(b.Nodes, func(n history.Node) bool { return n.ID == id })
	if i < 0 {
		return &history.Entry{ID: id}
	}
	n := b.Nodes[i]
	return &history.Entry{ID: n.ID, Parent: n.Parent, Depth: n.Depth, Created: n.Created}
}

// follow notes which calls the results after an entry may answer.
func (o *outline) follow(e *history.Entry) {
	switch {
	case e.Message == nil || e.Message.Role == message.Tool || e.Message.Silent():
		o.calls[e.ID] = o.calls[e.Parent]
	case e.Message.Role == message.Assistant:
		var calls []message.ToolCall
		for _, c := range e.Message.Calls {
			calls = append(calls, message.ToolCall{ID: c.ID, Name: c.Name})
		}
		o.calls[e.ID] = calls
	}
}

// toolOf returns the name of the tool that gave a result, as far as it is known.
func (p *piece) toolOf(r message.ToolResult) string {
	for _, c := range p.Calls {
		if c.ID == r.CallID && c.Name != "" {
			return c.Name
		}
	}
	return r.Name
}

// blob returns the bytes of a medium, or nil where they were never here or
// cannot be read.
func (o *outline) blob(m message.Media) ([]byte, error) {
	if m.Data != nil || m.Blob.IsZero() {
		return m.Data, nil
	}
	b, err := o.store.Blob(o.ctx, m.Blob)
	if errors.Is(err, history.ErrNotFound) || isDamage(err) {
		o.incomplete.Add(fmt.Errorf("blob %v: %w", m.Blob, err))
		return nil, nil
	}
	return b.Data, err
}

func isDamage(err error) bool {
	var damage *history.DamagedError
	return errors.As(err, &damage)
}
