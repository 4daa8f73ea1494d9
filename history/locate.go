package history

import (
	"context"
	"errors"
	"fmt"
)

// EntryAt returns the entry of a path that a handle names. What it costs grows
// with the distance between the tip and the handle. It fails with
// [ErrNotFound] where the path is shorter.
func EntryAt(ctx context.Context, s Entries, conversation, tip ID, h Handle) (Entry, error) {
	if tip == (ID{}) {
		return Entry{}, fmt.Errorf("entry %d: %w: the path is empty", h.Depth, ErrNotFound)
	}
	end, err := s.Entry(ctx, conversation, tip)
	if err != nil {
		return Entry{}, err
	}
	if end.Depth < h.Depth || h.Depth < 1 {
		return Entry{}, fmt.Errorf("entry %d: %w: the path ends at %d", h.Depth, ErrNotFound, end.Depth)
	}
	for e, err := range s.Path(ctx, PathQuery{Conversation: conversation, Tip: tip, Newest: end.Depth - h.Depth + 1}) {
		return e, err
	}
	return Entry{}, fmt.Errorf("entry %d: %w", h.Depth, ErrNotFound)
}

// MarkOnPath returns the checkpoint of a name that was set last among those
// whose entry is on the path to tip. The error is [ErrNotFound] where the name
// was never set, and [ErrOtherBranch] where it is set on other branches only.
func MarkOnPath(ctx context.Context, s interface {
	Entries
	Marks
}, conversation, tip ID, name string) (Checkpoint, error) {
	marks, err := s.Checkpoints(ctx, conversation)
	if err != nil {
		return Checkpoint{}, err
	}
	missing := ErrNotFound
	for _, m := range marks {
		if m.Name != name {
			continue
		}
		missing = ErrOtherBranch
		marked, err := s.Entry(ctx, conversation, m.Entry)
		if err != nil {
			return Checkpoint{}, err
		}
		onPath, err := EntryAt(ctx, s, conversation, tip, marked.Handle())
		if err != nil && !errors.Is(err, ErrNotFound) {
			return Checkpoint{}, err
		}
		if onPath.ID == m.Entry {
			return m, nil
		}
	}
	return Checkpoint{}, fmt.Errorf("checkpoint %q: %w", name, missing)
}

// A Parting is where the paths to two entries part.
type Parting struct {
	Last ID // the last entry that both paths have; none where they share none
	// Depth is that of Last, ADepth and BDepth are those of the two entries.
	Depth, ADepth, BDepth int
}

// Part finds where the paths to two entries part. Of the tree it reads the
// nodes only.
func Part(ctx context.Context, s Entries, conversation, a, b ID) (Parting, error) {
	type up struct {
		parent ID
		depth  int
	}
	nodes := map[ID]up{}
	for n, err := range s.Nodes(ctx, conversation) {
		if err != nil {
			return Parting{}, err
		}
		nodes[n.ID] = up{n.Parent, n.Depth}
	}
	for _, id := range []ID{a, b} {
		if _, ok := nodes[id]; !ok {
			return Parting{}, fmt.Errorf("entry %v: %w", id, ErrNotFound)
		}
	}
	p := Parting{ADepth: nodes[a].depth, BDepth: nodes[b].depth}
	for a != b {
		if nodes[a].depth >= nodes[b].depth {
			a = nodes[a].parent
		} else {
			b = nodes[b].parent
		}
	}
	p.Last, p.Depth = a, nodes[a].depth
	return p, nil
}
