package agent

import (
	"context"
	"slices"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// resume goes to where the conversation stands, and holds the run to its newest
// messages. It returns how many entries stand behind one line then.
func (r *Run) resume(ctx context.Context) (trimmed int, err error) {
	if err := r.load(ctx); err != nil {
		return 0, &LoadError{err}
	}
	return r.trim(ctx)
}

// load reads the path, and what is said about it.
func (r *Run) load(ctx context.Context) error {
	c, err := r.Store.Conversation(ctx, r.Conversation)
	if err != nil {
		return err
	}
	pins, err := r.Store.Pins(ctx, c.ID)
	if err != nil {
		return err
	}
	marks, err := r.Store.Checkpoints(ctx, c.ID)
	if err != nil {
		return err
	}
	path, err := r.read(ctx, c.Tip)
	if err != nil {
		return err
	}
	unread, err := r.unread(ctx, path, pins, marks)
	if err != nil {
		return err
	}
	r.goTo(path)
	if err := r.insert(ctx, unread, pins); err != nil {
		return err
	}
	r.tip, r.branched, r.pins, r.buried = c.Tip, false, pins, unread
	r.state = ladderState{}
	r.keepMarks(marks)
	r.answered = time.Time{}
	for _, e := range slices.Backward(r.path) {
		if e.Author() == message.ByModel {
			r.answered = e.Created
			break
		}
	}
	return nil
}

// turnRoom is how many entries more than a limit allows are read at first, so
// that a turn begins among them.
const turnRoom = 32

func (r *Run) limited() bool { return r.Limit.Entries > 0 || r.Limit.Size > 0 }

// loosened is the limit from which a path that was cut before is cut again: not
// for a few entries more.
func (r *Run) loosened() history.Limit {
	limit := r.Limit
	limit.Entries += limit.Entries / 4
	limit.Size += limit.Size / 4
	return limit
}

// read returns the path to an entry. Of a path that is longer than the run wants,
// it reads no more than is shown: the head, the entry that the line for what is
// left out stands at, the compactions, and the newest entries. What that costs
// does not grow with what lies between, except for its compactions.
func (r *Run) read(ctx context.Context, tip history.ID) ([]history.Entry, error) {
	newest := func(n int) ([]history.Entry, error) {
		return history.Collect(r.Store.Path(ctx, history.PathQuery{Conversation: r.Conversation, Tip: tip, Newest: n}))
	}
	if !r.limited() || tip == (history.ID{}) {
		return newest(0)
	}
	for n := r.loosened().Entries + turnRoom; ; n *= 4 {
		end, err := newest(n)
		if err != nil || len(end) < n {
			return end, err // all of it
		}
		if history.Trim(end, nil, r.loosened()).Cut == 0 {
			continue
		}
		path, err := r.head(ctx, tip)
		if err != nil {
			return nil, err
		}
		if len(path) >= end[0].Depth {
			return newest(0)
		}
		for c, err := range r.Store.Compactions(ctx, r.Conversation, tip) {
			if err != nil {
				return nil, err
			}
			if len(path) < c.Depth && c.Depth < end[0].Depth {
				path = append(path, c)
			}
		}
		return append(path, end...), nil
	}
}

// head reads a path from its root to the first message behind its first prompt.
// As long as a tree has no branches there, it goes down the tree; else it goes up
// the whole path, without reading it.
func (r *Run) head(ctx context.Context, tip history.ID) ([]history.Entry, error) {
	var head []history.Entry
	prompted := false
	ends := func(e history.Entry) bool {
		head = append(head, e)
		end := prompted && e.Message != nil && !e.Message.Silent()
		prompted = prompted || e.Message != nil && e.Message.IsPrompt()
		return end || e.ID == tip
	}
	var at history.ID
	for {
		children, err := history.Collect(r.Store.Children(ctx, r.Conversation, at))
		if err != nil {
			return nil, err
		}
		if len(children) != 1 {
			break
		}
		e, err := r.Store.Entry(ctx, r.Conversation, children[0].ID)
		if err != nil || ends(e) {
			return head, err
		}
		at = e.ID
	}
	head, prompted = nil, false
	for e, err := range r.Store.Path(ctx, history.PathQuery{Conversation: r.Conversation, Tip: tip}) {
		if err != nil || ends(e) {
			return head, err
		}
	}
	return head, nil
}

// unread returns those of the pinned and marked entries that stand on a path and
// were not read with it.
func (r *Run) unread(ctx context.Context, path []history.Entry, pins []history.ID, marks []history.Checkpoint) (map[history.ID]bool, error) {
	if len(path) == 0 || len(path) == path[len(path)-1].Depth {
		return nil, nil
	}
	read := make(map[history.ID]bool, len(path))
	for i := range path {
		read[path[i].ID] = true
	}
	wanted := slices.Clone(pins)
	for _, m := range marks {
		wanted = append(wanted, m.Entry)
	}
	wanted = slices.DeleteFunc(wanted, func(id history.ID) bool { return read[id] })
	if len(wanted) == 0 {
		return nil, nil
	}
	parents := map[history.ID]history.ID{}
	for n, err := range r.Store.Nodes(ctx, r.Conversation) {
		if err != nil {
			return nil, err
		}
		parents[n.ID] = n.Parent
	}
	found := map[history.ID]bool{}
	for at := path[len(path)-1].ID; at != (history.ID{}); at = parents[at] {
		if slices.Contains(wanted, at) {
			found[at] = true
		}
	}
	return found, nil
}

// insert puts those of the pinned entries that were not read into their places:
// they are shown.
func (r *Run) insert(ctx context.Context, unread map[history.ID]bool, pins []history.ID) error {
	for _, id := range pins {
		if !unread[id] {
			continue
		}
		e, err := r.Store.Entry(ctx, r.Conversation, id)
		if err != nil {
			return err
		}
		r.path = slices.Insert(r.path, r.index(e.Depth), e)
		delete(unread, id)
	}
	return nil
}

// index returns the index of the first entry of the path at a depth or below.
func (r *Run) index(depth int) int {
	i, _ := slices.BinarySearchFunc(r.path, depth, func(e history.Entry, depth int) int { return e.Depth - depth })
	return i
}

// fill reads the whole path where the run has gone back to before the line that
// stood for what it had not read.
func (r *Run) fill(ctx context.Context) error {
	fold := r.fold()
	for i := 1; i < len(r.path); i++ {
		above, below := r.path[i-1].Depth, r.path[i].Depth
		if above+1 == below || fold.At(history.Handle{Depth: above + 1}) != nil && fold.At(history.Handle{Depth: below - 1}) != nil {
			continue
		}
		return r.readAll(ctx)
	}
	return nil
}

func (r *Run) readAll(ctx context.Context) error {
	path, err := history.Collect(r.Store.Path(ctx, history.PathQuery{Conversation: r.Conversation, Tip: r.Position()}))
	if err != nil {
		return &LoadError{err}
	}
	r.goTo(path)
	return nil
}

// keepMarks keeps those that stand on the path, read or not.
func (r *Run) keepMarks(marks []history.Checkpoint) {
	on := make(map[history.ID]bool, len(r.path))
	for i := range r.path {
		on[r.path[i].ID] = true
	}
	r.marks = slices.DeleteFunc(marks, func(m history.Checkpoint) bool { return !on[m.Entry] && !r.buried[m.Entry] })
}
