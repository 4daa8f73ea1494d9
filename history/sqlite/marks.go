package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/stemma-history/stemma/history"
)

// Mark implements [history.Marks].
func (s *Store) Mark(ctx context.Context, at history.Boundary, m history.Checkpoint) (history.Checkpoint, error) {
	if m.Name == "" {
		return m, errors.New("checkpoint: expected a name")
	}
	err := s.write(ctx, func(t *tx) error {
		c, err := t.conversation(at.Conversation())
		if err != nil {
			return err
		}
		entry, err := t.place(&c, at.Entry())
		if err != nil {
			return err
		}
		m.Conversation, m.Entry = c.ID, at.Entry()
		s.source.Fill(&m.ID, &m.Created)
		added, err := t.putCheckpoint(c.n, entry.n, &m)
		if err != nil || added {
			return err
		}
		old, err := t.checkpoint(c.ID, m.ID)
		if err == nil && old.Entry != m.Entry {
			err = fmt.Errorf("checkpoint %v: %w, on entry %v", m.ID, history.ErrExists, old.Entry)
		}
		m = old // by an earlier try
		return err
	})
	return m, err
}

// checkpoint returns a stored checkpoint, which must be of the conversation.
func (t *tx) checkpoint(conversation, id history.ID) (history.Checkpoint, error) {
	m, err := readCheckpoint(func(dest ...any) error { return t.row(selectCheckpoints+` WHERE k.id = ?1`, []any{id[:]}, dest...) })
	if err == nil && m.Conversation != conversation {
		err = fmt.Errorf("checkpoint %v: %w, in conversation %v", id, history.ErrExists, m.Conversation)
	}
	return m, err
}

// putCheckpoint stores a checkpoint, unless its id is stored already.
func (t *tx) putCheckpoint(conversation, entry int64, m *history.Checkpoint) (added bool, err error) {
	n, err := t.exec(`INSERT INTO checkpoint (id, conversation, name, entry, set_by, created) VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (id) DO NOTHING`,
		m.ID[:], conversation, m.Name, entry, string(m.SetBy), m.Created.UnixMicro())
	return n > 0, err
}

const selectCheckpoints = `
SELECT k.id, c.id, k.name, e.id, k.set_by, k.created
FROM checkpoint k JOIN conversation c ON c.n = k.conversation JOIN entry e ON e.n = k.entry`

func readCheckpoint(scan func(...any) error) (m history.Checkpoint, err error) {
	err = scan(idColumn{&m.ID}, idColumn{&m.Conversation}, text(&m.Name), idColumn{&m.Entry}, text(&m.SetBy), timeColumn{&m.Created})
	return m, err
}

// Checkpoints implements [history.Marks].
func (s *Store) Checkpoints(ctx context.Context, conversation history.ID) ([]history.Checkpoint, error) {
	return all(ctx, s, conversation, selectCheckpoints+` WHERE k.conversation = ?1 ORDER BY k.created DESC, k.n DESC`, readCheckpoint)
}

// all returns the rows of a conversation.
func all[T any](ctx context.Context, s *Store, conversation history.ID, query string, read func(scan func(...any) error) (T, error)) ([]T, error) {
	c, err := s.conversation(ctx, conversation)
	if err != nil {
		return nil, err
	}
	return history.Collect(stream(ctx, s, query, []any{c.n}, read))
}

// Pin implements [history.Marks].
func (s *Store) Pin(ctx context.Context, conversation, entry history.ID) error {
	return s.write(ctx, func(t *tx) error {
		c, err := t.conversation(conversation)
		if err != nil {
			return err
		}
		at, err := t.place(&c, entry)
		if err != nil {
			return err
		}
		_, err = t.exec(`INSERT INTO pin (conversation, entry) VALUES (?1, ?2) ON CONFLICT (entry) DO NOTHING`, c.n, at.n)
		return err
	})
}

// Unpin implements [history.Marks].
func (s *Store) Unpin(ctx context.Context, conversation, entry history.ID) error {
	return s.write(ctx, func(t *tx) error {
		c, err := t.conversation(conversation)
		if err != nil {
			return err
		}
		_, err = t.exec(`DELETE FROM pin WHERE conversation = ?1 AND entry = (SELECT n FROM entry WHERE id = ?2)`, c.n, entry[:])
		return err
	})
}

// Pins implements [history.Marks].
func (s *Store) Pins(ctx context.Context, conversation history.ID) ([]history.ID, error) {
	return all(ctx, s, conversation, `SELECT e.id FROM pin k JOIN entry e ON e.n = k.entry WHERE k.conversation = ?1 ORDER BY k.n`,
		func(scan func(...any) error) (id history.ID, err error) {
			err = scan(idColumn{&id})
			return id, err
		})
}
