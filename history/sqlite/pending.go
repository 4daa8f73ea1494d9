package sqlite

import (
	"context"
	"fmt"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/internal/record"
	"github.com/stemma-history/stemma/message"
)

// Enqueue implements [history.Pending].
func (s *Store) Enqueue(ctx context.Context, p history.QueuedPrompt) error {
	r, err := record.Of(&history.Entry{Message: &p.Message})
	if err != nil {
		return fmt.Errorf("queued prompt: %w", err)
	}
	blobs, err := encodeBlobs(r.Blobs)
	if err != nil {
		return fmt.Errorf("queued prompt: %w", err)
	}
	return s.write(ctx, func(t *tx) error {
		c, err := t.conversation(p.Conversation)
		if err != nil {
			return err
		}
		s.source.Fill(&p.ID, &p.Created)
		added, err := t.exec(`INSERT INTO queued (id, conversation, created, body) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (id) DO NOTHING`,
			p.ID[:], c.n, p.Created.UnixMicro(), r.Body)
		if err != nil {
			return err
		}
		if added == 0 {
			var owner int64
			if err := t.row(`SELECT conversation FROM queued WHERE id = ?1`, []any{p.ID[:]}, &owner); err != nil || owner == c.n {
				return err // by an earlier try
			}
			return fmt.Errorf("queued prompt %v: %w", p.ID, history.ErrExists)
		}
		return t.putBlobs(blobs)
	})
}

// Queue implements [history.Pending].
func (s *Store) Queue(ctx context.Context, conversation history.ID) ([]history.QueuedPrompt, error) {
	return all(ctx, s, conversation, `SELECT id, created, body FROM queued WHERE conversation = ?1 ORDER BY created, n`,
		func(scan func(...any) error) (history.QueuedPrompt, error) {
			p := history.QueuedPrompt{Conversation: conversation}
			var body []byte
			err := scan(idColumn{&p.ID}, timeColumn{&p.Created}, &body)
			if err == nil {
				p.Message, err = message.Decode(body, s.fetch(ctx))
			}
			if err != nil {
				err = fmt.Errorf("queued prompt %v: %w", p.ID, err)
			}
			return p, err
		})
}

const deleteQueued = `DELETE FROM queued WHERE conversation = ?1 AND id = ?2`

// Dequeue implements [history.Pending].
func (s *Store) Dequeue(ctx context.Context, conversation, prompt history.ID) error {
	return s.write(ctx, func(t *tx) error {
		c, err := t.conversation(conversation)
		if err != nil {
			return err
		}
		if n, err := t.exec(deleteQueued, c.n, prompt[:]); err != nil || n > 0 {
			return err
		}
		return fmt.Errorf("queued prompt %v: %w", prompt, history.ErrNotFound)
	})
}

// SaveDraft implements [history.Pending].
func (s *Store) SaveDraft(ctx context.Context, d history.Draft) error {
	bodies, err := record.OfDraft(&d)
	if err != nil {
		return err
	}
	blobs, err := encodeBlobs(bodies.Blobs)
	if err != nil {
		return fmt.Errorf("draft: %w", err)
	}
	return s.write(ctx, func(t *tx) error {
		c, err := t.conversation(d.Conversation)
		if err != nil {
			return err
		}
		var parent place
		if d.Parent != (history.ID{}) {
			if parent, err = t.place(&c, d.Parent); err != nil {
				return fmt.Errorf("draft: parent: %w", err)
			}
		}
		if _, err := t.exec(`
INSERT INTO draft (conversation, run, parent, updated, message, calls, results) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (conversation, run) DO UPDATE SET parent = excluded.parent, updated = excluded.updated,
  message = excluded.message, calls = excluded.calls, results = excluded.results`,
			c.n, d.Run[:], numberOrNull(parent.n), s.source.Time().UnixMicro(), bodies.Message, string(bodies.Calls), bodies.Results); err != nil {
			return err
		}
		return t.putBlobs(blobs)
	})
}

// Drafts implements [history.Pending].
func (s *Store) Drafts(ctx context.Context, conversation history.ID) ([]history.Draft, error) {
	return all(ctx, s, conversation, `
SELECT d.run, p.id, d.updated, d.message, d.calls, d.results
FROM draft d LEFT JOIN entry p ON p.n = d.parent WHERE d.conversation = ?1 ORDER BY d.updated DESC, d.run DESC`,
		func(scan func(...any) error) (history.Draft, error) {
			d := history.Draft{Conversation: conversation}
			var bodies record.Draft
			err := scan(idColumn{&d.Run}, idColumn{&d.Parent}, timeColumn{&d.Updated}, &bodies.Message, &bodies.Calls, &bodies.Results)
			if err == nil {
				err = bodies.Decode(&d, s.fetch(ctx))
			}
			if err != nil {
				err = fmt.Errorf("draft of run %v: %w", d.Run, err)
			}
			return d, err
		})
}

const deleteDraft = `DELETE FROM draft WHERE conversation = ?1 AND run = ?2`

// DiscardDraft implements [history.Pending].
func (s *Store) DiscardDraft(ctx context.Context, conversation, run history.ID) error {
	return s.write(ctx, func(t *tx) error {
		c, err := t.conversation(conversation)
		if err != nil {
			return err
		}
		_, err = t.exec(deleteDraft, c.n, run[:])
		return err
	})
}
