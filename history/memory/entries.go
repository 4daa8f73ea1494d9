package memory

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/internal/record"
	"github.com/stemma-history/stemma/message"
)

// Append implements [history.Entries].
func (s *Store) Append(ctx context.Context, r history.AppendRequest) (stored []history.Entry, err error) {
	entries, records, err := s.source.Append(r)
	if err != nil {
		return nil, err
	}
	if err := s.checkParent(ctx, r); err != nil {
		return nil, err
	}
	var moved *history.TipMovedError
	err = s.write(ctx, func() error {
		c, err := s.conversation(r.Conversation)
		if err != nil {
			return err
		}
		if err := s.checkAppend(entries); err != nil {
			return err
		}
		s.putBlobs(r.Blobs)
		fresh := false
		for i := range entries {
			e := s.entries[entries[i].ID]
			if e == nil {
				e, fresh = s.add(c, entries[i], records[i]), true
			}
			entries[i].Depth, entries[i].LastCompaction = e.Depth, e.LastCompaction
		}
		s.release(c, r)
		last := s.entries[entries[len(entries)-1].ID]
		switch {
		case c.Tip == r.ExpectedTip:
			c.Tip = last.ID
		case !fresh && above(last, s.entries[c.Tip]): // saved by an earlier try; others went on from there
		default:
			moved = &history.TipMovedError{Conversation: c.ID, Expected: r.ExpectedTip, Actual: c.Tip, Stored: last.ID}
		}
		s.touch(c)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if moved != nil {
		return entries, moved
	}
	return entries, nil
}

// checkParent refuses to continue from inside a turn. A tip is a boundary, and
// entries never change, so what is found here holds when the entries are stored.
func (s *Store) checkParent(ctx context.Context, r history.AppendRequest) error {
	c, err := s.Conversation(ctx, r.Conversation)
	if err != nil || r.Parent == c.Tip || r.Parent == (history.ID{}) {
		return err
	}
	_, err = history.BoundaryAt(ctx, s, r.Conversation, r.Parent)
	return err
}

// checkAppend refuses ids that are taken by other entries.
func (s *Store) checkAppend(entries []history.Entry) error {
	for _, e := range entries {
		if old := s.entries[e.ID]; old != nil && (old.Conversation != e.Conversation || old.Parent != e.Parent) {
			return fmt.Errorf("entry %v: %w, in conversation %v under %v", e.ID, history.ErrExists, old.Conversation, old.Parent)
		}
		if _, err := s.optionalEntry(e.Conversation, e.Left); err != nil {
			return fmt.Errorf("the tip that was left: %w", err)
		}
	}
	return nil
}

// release drops what an append takes over: a draft, queued prompts.
func (s *Store) release(c *conversation, r history.AppendRequest) {
	delete(c.drafts, r.Run)
	for _, id := range r.Dequeue {
		c.dequeue(id)
	}
}

// above reports whether a is on the path to e.
func above(a, e *entry) bool {
	for e != nil && e != a {
		e = e.parent
	}
	return e != nil
}

// add stores an entry with a body and blobs of its own under its Parent.
func (s *Store) add(c *conversation, e history.Entry, r record.Record) *entry {
	s.putBlobs(r.Blobs)
	b := &body{data: r.Body}
	s.bodies = append(s.bodies, b)
	r.Body, r.Blobs = nil, nil
	return s.store(c, e, s.entries[e.Parent], r, b)
}

// store puts an entry into the tree.
func (s *Store) store(c *conversation, v history.Entry, parent *entry, r record.Record, b *body) *entry {
	v.Conversation, v.Parent, v.Depth, v.LastCompaction = c.ID, history.ID{}, 1, history.ID{}
	if parent != nil {
		v.Parent, v.Depth, v.LastCompaction = parent.ID, parent.Depth+1, parent.LastCompaction
	}
	if r.Kind == history.KindCompaction {
		v.LastCompaction = v.ID
	}
	v.Message, v.Compaction = nil, nil
	v.Usage, v.Seals = clone(v.Usage), slices.Clone(v.Seals)
	e := &entry{Entry: v, parent: parent, record: r, body: b}
	b.entries = append(b.entries, e)
	s.entries[e.ID] = e
	c.entries = append(c.entries, e)
	return e
}

func clone(u *history.Usage) *history.Usage {
	if u == nil {
		return nil
	}
	copied := *u
	return &copied
}

// Import implements [history.Entries].
func (s *Store) Import(ctx context.Context, r history.ImportRequest) (result history.ImportResult, err error) {
	if err := record.CheckBlobs(r.Blobs); err != nil {
		return result, err
	}
	records := make([]record.Record, len(r.Entries))
	for i := range r.Entries {
		if records[i], err = record.Of(&r.Entries[i]); err != nil {
			return result, fmt.Errorf("entry %d of %d: %w", i+1, len(r.Entries), err)
		}
	}
	err = s.write(ctx, func() error {
		if err := s.checkImport(r); err != nil {
			return err
		}
		c := s.conversations[r.Conversation.ID]
		if result.Created = c == nil; result.Created {
			v := r.Conversation
			v.Tip, v.ImportedTip = history.ID{}, history.ID{}
			c = s.create(v)
		}
		changed := result.Created || record.FillIn(&c.Conversation, r.Conversation)
		s.putBlobs(r.Blobs)
		for i, e := range r.Entries {
			if s.entries[e.ID] == nil {
				e.Created = record.Time(e.Created)
				s.add(c, e, records[i])
				result.Added++
			}
		}
		marked := c.importMarks(r.Checkpoints)
		if r.Tip != (history.ID{}) && c.Tip == c.ImportedTip && c.Tip != r.Tip {
			c.Tip, c.ImportedTip, changed = r.Tip, r.Tip, true
		}
		result.TipMoved = r.Tip != (history.ID{}) && c.Tip == r.Tip
		if changed || marked || result.Added > 0 {
			c.Updated = s.source.ImportedAt(&c.Conversation, r, result)
		}
		return nil
	})
	return result, err
}

// checkImport refuses an import that could not be stored whole.
func (s *Store) checkImport(r history.ImportRequest) error {
	if r.Conversation.ID == (history.ID{}) {
		return record.ErrNoID
	}
	in := map[history.ID]bool{{}: true} // none is a legal parent
	known := func(id history.ID) bool {
		e := s.entries[id]
		return in[id] || e != nil && e.Conversation == r.Conversation.ID
	}
	for i, e := range r.Entries {
		var err error
		switch old := s.entries[e.ID]; {
		case e.ID == (history.ID{}):
			err = errors.New("it has no id")
		case old != nil && old.Conversation != r.Conversation.ID:
			err = fmt.Errorf("id %v: %w, in conversation %v", e.ID, history.ErrExists, old.Conversation)
		case old == nil && !known(e.Parent):
			err = fmt.Errorf("parent %v: %w; a parent must stand before its children", e.Parent, history.ErrNotFound)
		}
		if err != nil {
			return fmt.Errorf("entry %d of %d: %w", i+1, len(r.Entries), err)
		}
		in[e.ID] = true
	}
	for _, e := range r.Entries {
		if !known(e.Left) {
			return fmt.Errorf("the tip that was left: entry %v: %w", e.Left, history.ErrNotFound)
		}
	}
	if !known(r.Tip) {
		return fmt.Errorf("tip: entry %v: %w", r.Tip, history.ErrNotFound)
	}
	for _, m := range r.Checkpoints {
		if m.ID == (history.ID{}) || m.Entry == (history.ID{}) || !known(m.Entry) {
			return fmt.Errorf("checkpoint %q: entry %v: %w", m.Name, m.Entry, history.ErrNotFound)
		}
		if old, ok := s.checkpoint(m.ID); ok && old.Conversation != r.Conversation.ID {
			return fmt.Errorf("checkpoint %v: %w, in conversation %v", m.ID, history.ErrExists, old.Conversation)
		}
	}
	return nil
}

// Entry implements [history.Entries].
func (s *Store) Entry(ctx context.Context, conversation, id history.ID) (history.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.entry(conversation, id)
	if err != nil {
		return history.Entry{}, err
	}
	return s.full(e)
}

// EntryBySource implements [history.Entries].
func (s *Store) EntryBySource(ctx context.Context, conversation history.ID, source string) (history.ID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.conversation(conversation)
	if err != nil {
		return history.ID{}, err
	}
	for _, e := range c.entries {
		if source != "" && e.Source == source {
			return e.ID, nil
		}
	}
	return history.ID{}, fmt.Errorf("conversation %v: record %q: %w", conversation, source, history.ErrNotFound)
}

// Path implements [history.Entries].
func (s *Store) Path(ctx context.Context, q history.PathQuery) iter.Seq2[history.Entry, error] {
	return sequence(ctx, s, func() ([]history.Entry, error) {
		c, err := s.conversation(q.Conversation)
		if err != nil {
			return nil, err
		}
		if q.Tip == (history.ID{}) {
			q.Tip = c.Tip
		}
		tip, err := s.optionalEntry(c.ID, q.Tip)
		if err != nil {
			return nil, err
		}
		return s.allFull(pathTo(tip, q.Newest))
	})
}

// Compactions implements [history.Entries].
func (s *Store) Compactions(ctx context.Context, conversation, id history.ID) iter.Seq2[history.Entry, error] {
	return sequence(ctx, s, func() ([]history.Entry, error) {
		e, err := s.entry(conversation, id)
		if err != nil {
			return nil, err
		}
		var found []*entry
		for _, e := range pathTo(e, 0) {
			if e.record.Kind == history.KindCompaction {
				found = append(found, e)
			}
		}
		return s.allFull(found)
	})
}

func (s *Store) allFull(entries []*entry) ([]history.Entry, error) {
	all := make([]history.Entry, len(entries))
	for i, e := range entries {
		var err error
		if all[i], err = s.full(e); err != nil {
			return all[:i], err
		}
	}
	return all, nil
}

// Nodes implements [history.Entries].
func (s *Store) Nodes(ctx context.Context, conversation history.ID) iter.Seq2[history.Node, error] {
	return s.nodes(ctx, conversation, func(*entry) bool { return true })
}

// Children implements [history.Entries].
func (s *Store) Children(ctx context.Context, conversation, parent history.ID) iter.Seq2[history.Node, error] {
	return s.nodes(ctx, conversation, func(e *entry) bool { return e.Parent == parent })
}

func (s *Store) nodes(ctx context.Context, conversation history.ID, wanted func(*entry) bool) iter.Seq2[history.Node, error] {
	return sequence(ctx, s, func() ([]history.Node, error) {
		c, err := s.conversation(conversation)
		if err != nil {
			return nil, err
		}
		var nodes []history.Node
		for _, e := range c.entries {
			if wanted(e) {
				nodes = append(nodes, e.node())
			}
		}
		return nodes, nil
	})
}

// Blob implements [history.Blobs].
func (s *Store) Blob(ctx context.Context, hash message.Hash) (message.Blob, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.blobs[hash]
	if !ok {
		return message.Blob{}, fmt.Errorf("blob %v: %w", hash, history.ErrNotFound)
	}
	b.Data = append([]byte{}, b.Data...)
	return b, nil
}

// PutBlob implements [history.Blobs].
func (s *Store) PutBlob(ctx context.Context, b message.Blob) error {
	if err := record.CheckBlobs([]message.Blob{b}); err != nil {
		return err
	}
	return s.write(ctx, func() error {
		s.putBlobs([]message.Blob{b})
		return nil
	})
}

func (s *Store) putBlobs(blobs []message.Blob) {
	for _, b := range blobs {
		if _, ok := s.blobs[b.Hash]; !ok {
			b.Data = append([]byte{}, b.Data...)
			s.blobs[b.Hash] = b
		}
	}
}

// fetch returns the bytes of a blob for a decoder.
func (s *Store) fetch(hash message.Hash) ([]byte, error) {
	b, ok := s.blobs[hash]
	if !ok {
		return nil, fmt.Errorf("blob %v: %w", hash, history.ErrNotFound)
	}
	return b.Data, nil
}
