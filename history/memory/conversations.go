package memory

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/internal/record"
)

// Create implements [history.Conversations].
func (s *Store) Create(ctx context.Context, c history.Conversation) error {
	if c.ID == (history.ID{}) {
		return record.ErrNoID
	}
	return s.write(ctx, func() error {
		if s.conversations[c.ID] != nil {
			return fmt.Errorf("conversation %v: %w", c.ID, history.ErrExists)
		}
		c.Tip, c.ImportedTip = history.ID{}, history.ID{}
		s.create(c)
		return nil
	})
}

// create stores a conversation without entries.
func (s *Store) create(v history.Conversation) *conversation {
	s.source.Fill(&v.ID, &v.Created)
	c := &conversation{Conversation: v, drafts: map[history.ID]draft{}}
	s.conversations[v.ID] = c
	s.touch(c)
	return c
}

// Conversation implements [history.Conversations].
func (s *Store) Conversation(ctx context.Context, id history.ID) (history.Conversation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.conversation(id)
	if err != nil {
		return history.Conversation{}, err
	}
	return c.value(), nil
}

// List implements [history.Conversations].
func (s *Store) List(ctx context.Context, q history.ListQuery) iter.Seq2[history.Conversation, error] {
	return sequence(ctx, s, func() ([]history.Conversation, error) {
		var all []history.Conversation
		for _, c := range s.conversations {
			if (q.Directory == "" || c.Directory == q.Directory) &&
				(q.Source == history.Source{} || c.Source == q.Source) &&
				strings.HasPrefix(c.ID.String(), q.IDPrefix) {
				all = append(all, c.value())
			}
		}
		slices.SortFunc(all, func(a, b history.Conversation) int {
			if byTime := b.Updated.Compare(a.Updated); byTime != 0 {
				return byTime
			}
			return strings.Compare(b.ID.String(), a.ID.String())
		})
		if q.Limit > 0 && len(all) > q.Limit {
			all = all[:q.Limit]
		}
		return all, nil
	})
}

// Describe implements [history.Conversations].
func (s *Store) Describe(ctx context.Context, id history.ID, d history.Description) error {
	return s.write(ctx, func() error {
		c, err := s.conversation(id)
		if err != nil {
			return err
		}
		record.Describe(&c.Conversation, d)
		if d.Title != nil {
			s.touch(c)
		}
		return nil
	})
}

// MoveTip implements [history.Entries].
func (s *Store) MoveTip(ctx context.Context, to history.Boundary, expected history.ID) error {
	return s.write(ctx, func() error {
		c, err := s.conversation(to.Conversation())
		if err != nil {
			return err
		}
		if _, err := s.entry(c.ID, to.Entry()); err != nil {
			return err
		}
		switch c.Tip {
		case to.Entry(): // moved by an earlier try, or there already
			return nil
		case expected:
			c.Tip = to.Entry()
			s.touch(c)
			return nil
		}
		return &history.TipMovedError{Conversation: c.ID, Expected: expected, Actual: c.Tip}
	})
}

// Fork implements [history.Entries].
func (s *Store) Fork(ctx context.Context, r history.ForkRequest) (fork history.Conversation, err error) {
	err = s.write(ctx, func() error {
		origin, err := s.conversation(r.At.Conversation())
		if err != nil {
			return err
		}
		at, err := s.entry(origin.ID, r.At.Entry())
		if err != nil {
			return err
		}
		v := record.Fork(&origin.Conversation, r)
		if c := s.conversations[r.ID]; c != nil {
			if c.ForkedFrom != v.ForkedFrom {
				return fmt.Errorf("conversation %v: %w", r.ID, history.ErrExists)
			}
			fork = c.value() // by an earlier try
			return nil
		}
		c := s.create(v)
		copies := s.copyPath(at, c)
		c.Tip = copies[at.ID].ID
		s.copyMarks(origin, c, copies)
		fork = c.value()
		return nil
	})
	return fork, err
}

// copyPath stores the path to an entry in c, and returns the copies by the ids
// of what they were copied from.
func (s *Store) copyPath(at *entry, c *conversation) map[history.ID]*entry {
	copies := map[history.ID]*entry{}
	var parent *entry
	for _, e := range pathTo(at, 0) {
		v := e.Entry
		v.ID, v.Source, v.Left = s.source.NewID(), "", history.ID{}
		parent = s.store(c, v, parent, e.record, e.body)
		copies[e.ID] = parent
	}
	return copies
}

func (s *Store) copyMarks(origin, c *conversation, copies map[history.ID]*entry) {
	for _, m := range origin.checkpoints {
		if e := copies[m.Entry]; e != nil {
			m.ID, m.Conversation, m.Entry = s.source.NewID(), c.ID, e.ID
			c.checkpoints = append(c.checkpoints, m)
		}
	}
	for _, pin := range origin.pins {
		if e := copies[pin]; e != nil {
			c.pins = append(c.pins, e.ID)
		}
	}
}

// pathTo returns the newest entries of the path to e, the oldest first. newest
// 0 is all.
func pathTo(e *entry, newest int) []*entry {
	var path []*entry
	for ; e != nil && (newest <= 0 || len(path) < newest); e = e.parent {
		path = append(path, e)
	}
	slices.Reverse(path)
	return path
}

// FindEntries implements [history.Entries].
func (s *Store) FindEntries(ctx context.Context, conversation history.ID, prefix string, limit int) ([]history.ID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.conversation(conversation)
	if err != nil {
		return nil, err
	}
	var found []history.ID
	if _, _, ok := record.IDRange(prefix); ok {
		for _, e := range c.entries {
			if len(found) < limit && strings.HasPrefix(e.ID.String(), prefix) {
				found = append(found, e.ID)
			}
		}
	}
	return found, nil
}
