package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/internal/record"
)

const selectConversation = `
SELECT c.n, c.id, c.title, t.id, i.id, c.forked_conversation, c.forked_entry, c.spawned_conversation, c.spawned_entry,
  c.source_tool, c.source_id, c.model, c.directory, c.owner, c.created, c.updated, c.entries, c.tip, c.imported_tip
FROM conversation c LEFT JOIN entry t ON t.n = c.tip LEFT JOIN entry i ON i.n = c.imported_tip`

// conversation is a row: the value, and the numbers it is known by inside.
type conversation struct {
	history.Conversation
	n, tip, importedTip int64
}

func (c *conversation) scan(scan func(...any) error) error {
	return scan(&c.n, idColumn{&c.ID}, text(&c.Title), idColumn{&c.Tip}, idColumn{&c.ImportedTip},
		idColumn{&c.ForkedFrom.Conversation}, idColumn{&c.ForkedFrom.Entry},
		idColumn{&c.SpawnedBy.Conversation}, idColumn{&c.SpawnedBy.Entry},
		text(&c.Source.Tool), text(&c.Source.ID), text(&c.Model), text(&c.Directory), text(&c.Owner),
		timeColumn{&c.Created}, timeColumn{&c.Updated}, &c.Entries, numberColumn{&c.tip}, numberColumn{&c.importedTip})
}

const byConversationID = selectConversation + ` WHERE c.id = ?1`

// conversation reads the row of an id in a transaction.
func (t *tx) conversation(id history.ID) (c conversation, err error) {
	err = c.scan(func(dest ...any) error { return t.row(byConversationID, []any{id[:]}, dest...) })
	return c, orNotFound(err, "conversation %v", id)
}

// conversation reads the row of an id outside of transactions.
func (s *Store) conversation(ctx context.Context, id history.ID) (c conversation, err error) {
	err = c.scan(func(dest ...any) error { return s.row(ctx, byConversationID, []any{id[:]}, dest...) })
	return c, s.failure(orNotFound(err, "conversation %v", id))
}

// orNotFound turns the absence of a row into [history.ErrNotFound].
func orNotFound(err error, format string, args ...any) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf(format+": %w", append(args, history.ErrNotFound)...)
	}
	return err
}

// Conversation implements [history.Conversations].
func (s *Store) Conversation(ctx context.Context, id history.ID) (history.Conversation, error) {
	c, err := s.conversation(ctx, id)
	return c.Conversation, err
}

// Create implements [history.Conversations].
func (s *Store) Create(ctx context.Context, c history.Conversation) error {
	if c.ID == (history.ID{}) {
		return record.ErrNoID
	}
	return s.write(ctx, func(t *tx) error {
		_, err := s.create(t, c)
		return err
	})
}

// create stores a conversation without entries.
func (s *Store) create(t *tx, v history.Conversation) (conversation, error) {
	s.source.Fill(&v.ID, &v.Created)
	v.Tip, v.ImportedTip, v.Entries, v.Updated = history.ID{}, history.ID{}, 0, s.source.Time()
	c := conversation{Conversation: v}
	err := t.row(`
INSERT INTO conversation (id, title, forked_conversation, forked_entry, spawned_conversation, spawned_entry,
  source_tool, source_id, model, directory, owner, created, updated)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
ON CONFLICT (id) DO NOTHING RETURNING n`, []any{
		v.ID[:], v.Title, idOrNull(v.ForkedFrom.Conversation), idOrNull(v.ForkedFrom.Entry),
		idOrNull(v.SpawnedBy.Conversation), idOrNull(v.SpawnedBy.Entry),
		textOrNull(v.Source.Tool), textOrNull(v.Source.ID), v.Model, v.Directory, v.Owner,
		v.Created.UnixMicro(), v.Updated.UnixMicro(),
	}, &c.n)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("conversation %v: %w", v.ID, history.ErrExists)
	}
	return c, err
}

// List implements [history.Conversations].
func (s *Store) List(ctx context.Context, q history.ListQuery) iter.Seq2[history.Conversation, error] {
	var where []string
	var args []any
	bind := func(v any) string {
		args = append(args, v)
		return fmt.Sprint("?", len(args))
	}
	if q.Directory != "" {
		where = append(where, "c.directory = "+bind(q.Directory))
	}
	if q.Source != (history.Source{}) {
		where = append(where, "c.source_tool = "+bind(q.Source.Tool)+" AND c.source_id = "+bind(q.Source.ID))
	}
	if q.IDPrefix != "" {
		first, last, ok := record.IDRange(q.IDPrefix)
		if !ok {
			return func(func(history.Conversation, error) bool) {}
		}
		where = append(where, "c.id BETWEEN "+bind(first[:])+" AND "+bind(last[:]))
	}
	query := selectConversation
	if len(where) > 0 {
		query += " WHERE " + strings.Join(where, " AND ")
	}
	query += " ORDER BY c.updated DESC, c.n DESC"
	if q.Limit > 0 {
		query += " LIMIT " + bind(q.Limit)
	}
	return stream(ctx, s, query, args, func(scan func(...any) error) (history.Conversation, error) {
		var c conversation
		err := c.scan(scan)
		return c.Conversation, err
	})
}

// Describe implements [history.Conversations].
func (s *Store) Describe(ctx context.Context, id history.ID, d history.Description) error {
	return s.write(ctx, func(t *tx) error {
		c, err := t.conversation(id)
		if err != nil {
			return err
		}
		record.Describe(&c.Conversation, d)
		if d.Title != nil {
			c.Updated = s.source.Time()
		}
		return t.update(&c)
	})
}

// update stores what can change of a conversation.
func (t *tx) update(c *conversation) error {
	_, err := t.exec(`
UPDATE conversation SET title = ?2, model = ?3, directory = ?4, forked_conversation = ?5, forked_entry = ?6,
  spawned_conversation = ?7, spawned_entry = ?8, tip = ?9, imported_tip = ?10, entries = ?11, updated = ?12
WHERE n = ?1`, c.n, c.Title, c.Model, c.Directory,
		idOrNull(c.ForkedFrom.Conversation), idOrNull(c.ForkedFrom.Entry),
		idOrNull(c.SpawnedBy.Conversation), idOrNull(c.SpawnedBy.Entry),
		numberOrNull(c.tip), numberOrNull(c.importedTip), c.Entries, c.Updated.UnixMicro())
	return err
}

// MoveTip implements [history.Entries].
func (s *Store) MoveTip(ctx context.Context, to history.Boundary, expected history.ID) error {
	return s.write(ctx, func(t *tx) error {
		c, _, _, err := t.head(to.Conversation())
		if err != nil {
			return err
		}
		at, err := t.place(&c, to.Entry())
		if err != nil {
			return err
		}
		switch c.Tip {
		case to.Entry(): // moved by an earlier try, or there already
			return nil
		case expected:
			return t.moveTip(&c, at.n, s.source)
		}
		return &history.TipMovedError{Conversation: c.ID, Expected: expected, Actual: c.Tip}
	})
}

// moveTip notes where the conversation stands now.
func (t *tx) moveTip(c *conversation, tip int64, source record.Source) error {
	_, err := t.exec(`UPDATE conversation SET tip = ?2, entries = ?3, updated = ?4 WHERE n = ?1`,
		c.n, numberOrNull(tip), c.Entries, source.Time().UnixMicro())
	return err
}
