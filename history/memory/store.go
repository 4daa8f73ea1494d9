package memory

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/internal/record"
	"github.com/stemma-history/stemma/message"
)

var (
	_ history.Store   = (*Store)(nil)
	_ history.Watcher = (*Store)(nil)
)

// Options are what a store takes from outside. The zero value is ready to use.
type Options struct {
	Now   func() time.Time  // Default: time.Now
	NewID func() history.ID // Default: history.NewID
}

// Store is a [history.Store] in memory.
type Store struct {
	source record.Source

	mu            sync.Mutex
	version       int64
	conversations map[history.ID]*conversation
	entries       map[history.ID]*entry // of all conversations
	bodies        []*body               // in the order they were stored
	indexed       int                   // bodies[:indexed] are searched
	blobs         map[message.Hash]message.Blob
}

// conversation is one tree with all that belongs to it.
type conversation struct {
	history.Conversation
	entries     []*entry // in the order they were stored
	checkpoints []history.Checkpoint
	pins        []history.ID
	queue       []queued
	drafts      map[history.ID]draft
}

// entry is a stored entry. Its Message and Compaction are nil: they are made
// from the body for whoever asks, so that no caller can change what is stored.
type entry struct {
	history.Entry
	parent *entry // nil at a root
	record record.Record
	body   *body
}

// body is what an entry says. A fork shares it.
type body struct {
	entries []*entry // that have it
	data    []byte
}

// New returns an empty store.
func New(o Options) *Store {
	return &Store{
		source:        record.Source{Now: o.Now, NewID: o.NewID}.OrDefault(),
		conversations: map[history.ID]*conversation{},
		entries:       map[history.ID]*entry{},
		blobs:         map[message.Hash]message.Blob{},
	}
}

// Close does nothing.
func (s *Store) Close() error { return nil }

// DataVersion implements [history.Watcher].
func (s *Store) DataVersion(context.Context) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version, nil
}

// write runs f as one transaction. f changes nothing before it is sure to
// succeed.
func (s *Store) write(ctx context.Context, f func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	return f()
}

// sequence yields what f returns, read under the lock at the first step.
func sequence[T any](ctx context.Context, s *Store, f func() ([]T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		s.mu.Lock()
		all, err := f()
		s.mu.Unlock()
		for _, v := range all {
			if ctx.Err() != nil {
				break
			}
			if !yield(v, nil) {
				return
			}
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			var none T
			yield(none, err)
		}
	}
}

func (s *Store) conversation(id history.ID) (*conversation, error) {
	c := s.conversations[id]
	if c == nil {
		return nil, fmt.Errorf("conversation %v: %w", id, history.ErrNotFound)
	}
	return c, nil
}

// entry returns an entry of a conversation.
func (s *Store) entry(conversation, id history.ID) (*entry, error) {
	e := s.entries[id]
	if e == nil || e.Conversation != conversation {
		return nil, fmt.Errorf("conversation %v: entry %v: %w", conversation, id, history.ErrNotFound)
	}
	return e, nil
}

// optionalEntry is entry for an id that may be none.
func (s *Store) optionalEntry(conversation, id history.ID) (*entry, error) {
	if id == (history.ID{}) {
		return nil, nil
	}
	return s.entry(conversation, id)
}

// touch notes that a conversation was changed.
func (s *Store) touch(c *conversation) { c.Updated = s.source.Time() }

// value returns the conversation as callers see it.
func (c *conversation) value() history.Conversation {
	v := c.Conversation
	v.Entries = len(c.entries)
	return v
}

// full returns the entry with its message or compaction.
func (s *Store) full(e *entry) (history.Entry, error) {
	v := e.Entry
	v.Usage, v.Seals = clone(e.Usage), slices.Clone(e.Seals)
	// The decoder keeps slices of what it is given.
	if err := record.Decode(&v, e.record.Kind, slices.Clone(e.body.data), s.fetch); err != nil {
		return history.Entry{}, &history.DamagedError{Conversation: e.Conversation, Entry: e.ID, Err: err}
	}
	return v, nil
}

func (e *entry) node() history.Node {
	return history.Node{
		ID:      e.ID,
		Parent:  e.Parent,
		Depth:   e.Depth,
		Kind:    e.record.Kind,
		Role:    e.record.Role,
		Author:  e.record.Author,
		Created: e.Created,
		Preview: e.record.Preview,
		Bytes:   e.record.Bytes,
	}
}
