package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/internal/record"
	"github.com/stemma-history/stemma/message"
)

// queued is a prompt with its message as a body.
type queued struct {
	history.QueuedPrompt
	body []byte
}

// draft is a draft with its messages as bodies.
type draft struct {
	history.Draft
	bodies record.Draft
}

// Mark implements [history.Marks].
func (s *Store) Mark(ctx context.Context, at history.Boundary, m history.Checkpoint) (history.Checkpoint, error) {
	if m.Name == "" {
		return m, errors.New("checkpoint: expected a name")
	}
	err := s.write(ctx, func() error {
		c, err := s.conversation(at.Conversation())
		if err != nil {
			return err
		}
		if _, err := s.entry(c.ID, at.Entry()); err != nil {
			return err
		}
		m.Conversation, m.Entry = c.ID, at.Entry()
		s.source.Fill(&m.ID, &m.Created)
		if old, ok := s.checkpoint(m.ID); ok {
			if old.Conversation != m.Conversation || old.Entry != m.Entry {
				return fmt.Errorf("checkpoint %v: %w", m.ID, history.ErrExists)
			}
			m = old // by an earlier try
			return nil
		}
		c.checkpoints = append(c.checkpoints, m)
		return nil
	})
	return m, err
}

// importMarks adds those that are new.
func (c *conversation) importMarks(marks []history.Checkpoint) (changed bool) {
	for _, m := range marks {
		if !slices.ContainsFunc(c.checkpoints, func(old history.Checkpoint) bool { return old.ID == m.ID }) {
			m.Conversation, m.Created = c.ID, record.Time(m.Created)
			c.checkpoints = append(c.checkpoints, m)
			changed = true
		}
	}
	return changed
}

func (s *Store) checkpoint(id history.ID) (history.Checkpoint, bool) {
	for _, c := range s.conversations {
		for _, m := range c.checkpoints {
			if m.ID == id {
				return m, true
			}
		}
	}
	return history.Checkpoint{}, false
}

// Checkpoints implements [history.Marks].
func (s *Store) Checkpoints(ctx context.Context, conversation history.ID) ([]history.Checkpoint, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.conversation(conversation)
	if err != nil {
		return nil, err
	}
	marks := slices.Clone(c.checkpoints)
	slices.Reverse(marks)
	slices.SortStableFunc(marks, func(a, b history.Checkpoint) int { return b.Created.Compare(a.Created) })
	return marks, nil
}

// Pin implements [history.Marks].
func (s *Store) Pin(ctx context.Context, conversation, entry history.ID) error {
	return s.write(ctx, func() error {
		if _, err := s.entry(conversation, entry); err != nil {
			return err
		}
		if c := s.conversations[conversation]; !slices.Contains(c.pins, entry) {
			c.pins = append(c.pins, entry)
		}
		return nil
	})
}

// Unpin implements [history.Marks].
func (s *Store) Unpin(ctx context.Context, conversation, entry history.ID) error {
	return s.write(ctx, func() error {
		c, err := s.conversation(conversation)
		if err != nil {
			return err
		}
		c.pins = slices.DeleteFunc(c.pins, func(id history.ID) bool { return id == entry })
		return nil
	})
}

// Pins implements [history.Marks].
func (s *Store) Pins(ctx context.Context, conversation history.ID) ([]history.ID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.conversation(conversation)
	if err != nil {
		return nil, err
	}
	return slices.Clone(c.pins), nil
}

// Enqueue implements [history.Pending].
func (s *Store) Enqueue(ctx context.Context, p history.QueuedPrompt) error {
	r, err := record.Of(&history.Entry{Message: &p.Message})
	if err != nil {
		return fmt.Errorf("queued prompt: %w", err)
	}
	return s.write(ctx, func() error {
		c, err := s.conversation(p.Conversation)
		if err != nil {
			return err
		}
		s.source.Fill(&p.ID, &p.Created)
		for _, other := range s.conversations {
			if slices.ContainsFunc(other.queue, func(q queued) bool { return q.ID == p.ID }) {
				if other == c {
					return nil // by an earlier try
				}
				return fmt.Errorf("queued prompt %v: %w", p.ID, history.ErrExists)
			}
		}
		s.putBlobs(r.Blobs)
		p.Message = message.Message{}
		c.queue = append(c.queue, queued{p, r.Body})
		return nil
	})
}

// Queue implements [history.Pending].
func (s *Store) Queue(ctx context.Context, conversation history.ID) ([]history.QueuedPrompt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.conversation(conversation)
	if err != nil {
		return nil, err
	}
	var prompts []history.QueuedPrompt
	for _, q := range c.queue {
		if q.Message, err = message.Decode(slices.Clone(q.body), s.fetch); err != nil {
			return nil, fmt.Errorf("queued prompt %v: %w", q.ID, err)
		}
		prompts = append(prompts, q.QueuedPrompt)
	}
	slices.SortStableFunc(prompts, func(a, b history.QueuedPrompt) int { return a.Created.Compare(b.Created) })
	return prompts, nil
}

// Dequeue implements [history.Pending].
func (s *Store) Dequeue(ctx context.Context, conversation, prompt history.ID) error {
	return s.write(ctx, func() error {
		c, err := s.conversation(conversation)
		if err != nil {
			return err
		}
		if !c.dequeue(prompt) {
			return fmt.Errorf("queued prompt %v: %w", prompt, history.ErrNotFound)
		}
		return nil
	})
}

func (c *conversation) dequeue(prompt history.ID) bool {
	before := len(c.queue)
	c.queue = slices.DeleteFunc(c.queue, func(q queued) bool { return q.ID == prompt })
	return len(c.queue) < before
}

// SaveDraft implements [history.Pending].
func (s *Store) SaveDraft(ctx context.Context, d history.Draft) error {
	bodies, err := record.OfDraft(&d)
	if err != nil {
		return err
	}
	return s.write(ctx, func() error {
		c, err := s.conversation(d.Conversation)
		if err != nil {
			return err
		}
		if _, err := s.optionalEntry(c.ID, d.Parent); err != nil {
			return fmt.Errorf("draft: parent: %w", err)
		}
		s.putBlobs(bodies.Blobs)
		d.Message, d.Calls, d.Updated = message.Message{}, nil, s.source.Time()
		c.drafts[d.Run] = draft{d, bodies}
		return nil
	})
}

// Drafts implements [history.Pending].
func (s *Store) Drafts(ctx context.Context, conversation history.ID) ([]history.Draft, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.conversation(conversation)
	if err != nil {
		return nil, err
	}
	var drafts []history.Draft
	for _, d := range c.drafts {
		stored := d.bodies
		stored.Message, stored.Results = slices.Clone(stored.Message), slices.Clone(stored.Results)
		if err := stored.Decode(&d.Draft, s.fetch); err != nil {
			return nil, fmt.Errorf("draft of run %v: %w", d.Run, err)
		}
		drafts = append(drafts, d.Draft)
	}
	slices.SortFunc(drafts, func(a, b history.Draft) int {
		if byTime := b.Updated.Compare(a.Updated); byTime != 0 {
			return byTime
		}
		return slices.Compare(b.Run[:], a.Run[:])
	})
	return drafts, nil
}

// DiscardDraft implements [history.Pending].
func (s *Store) DiscardDraft(ctx context.Context, conversation, run history.ID) error {
	return s.write(ctx, func() error {
		c, err := s.conversation(conversation)
		if err != nil {
			return err
		}
		delete(c.drafts, run)
		return nil
	})
}
