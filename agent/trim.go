package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/stemma-history/stemma/history"
)

// trim holds the path to its newest messages, where the run wants no more, and
// returns how many entries stand behind one line. It is a compaction like others,
// so that the next run begins at the same cut.
func (r *Run) trim(ctx context.Context) (trimmed int, err error) {
	if !r.limited() || len(r.path) == 0 {
		return 0, nil
	}
	head := r.headLen()
	from, limit := head, r.Limit
	for i := range r.path {
		if c := r.path[i].Compaction; c != nil {
			for _, t := range c.Treatments {
				if t.As == history.AsTrimmed {
					from, limit = max(from, r.index(t.To.Depth+1)), r.loosened()
				}
			}
		}
	}
	cut := from
	if history.Trim(r.path[from:], nil, limit).Cut > 0 {
		cut += history.Trim(r.path[from:], nil, r.Limit).Cut
		_, err = r.save(ctx, history.AppendRequest{Entries: []history.Entry{{Compaction: r.trimAt(head, cut)}}})
	}
	if cut == head || cut == len(r.path) {
		return 0, err
	}
	return r.path[cut].Depth - r.path[head].Depth, err
}

// trimAt leaves out the entries between two indexes, but for those that are
// pinned. Pages that go on behind the cut become what they stand for: they would
// show what is left out.
func (r *Run) trimAt(head, cut int) *history.Compaction {
	first, final := r.path[head].Handle(), history.Handle{Depth: r.path[cut].Depth - 1}
	treatments := []history.Treatment{{From: first, To: final, As: history.AsTrimmed, Text: fmt.Sprintf(
		"[Entries %v to %v are left out: this run is held to its newest messages. To get an original back: recall its number.]", first, final)}}
	for i := head; i < cut; i++ {
		if at := r.path[i].Handle(); r.path[i].Message != nil && slices.Contains(r.pins, r.path[i].ID) {
			treatments = append(treatments, history.Treatment{From: at, To: at, As: history.AsWhole})
		}
	}
	fold, paged := r.fold(), final
	for _, s := range fold.Segments {
		if s.As == history.AsPages && s.Treatment.From.Compare(final) <= 0 && s.To.Compare(paged) > 0 {
			paged = s.To
		}
	}
	if paged != final {
		treatments = append(treatments, history.Treatment{From: r.path[cut].Handle(), To: paged, As: history.AsWhole})
		treatments = append(treatments, r.shortened(cut, paged)...)
	}
	return &history.Compaction{Reason: history.Reason{Trigger: history.ByResume, Model: r.frame.Model}, Treatments: treatments}
}

// shortened are the treatments of results that were too long from the beginning,
// from an index on up to a handle.
func (r *Run) shortened(from int, to history.Handle) (found []history.Treatment) {
	for _, e := range r.path[from:] {
		if c := e.Compaction; c != nil && c.Reason.Trigger == history.ByLength {
			for _, t := range c.Treatments {
				if r.path[from].Depth <= t.From.Depth && t.From.Depth <= to.Depth {
					found = append(found, t)
				}
			}
		}
	}
	return found
}

// headLen is how many entries the head has: all up to the first prompt.
func (r *Run) headLen() int {
	for i := range r.path {
		if m := r.path[i].Message; m != nil && m.IsPrompt() {
			return i + 1
		}
	}
	return 0
}
