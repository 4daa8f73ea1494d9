package cli

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/google/uuid"

	"github.com/stemma-history/stemma/history"
)

// An unsaidStore is a store in which conversations can begin that are not kept
// before something is said in them: who opens the chat and leaves at once has no
// empty conversation in every list. Until then they read as empty ones.
type unsaidStore struct {
	history.Store
	lock   sync.Mutex
	unsaid map[history.ID]history.Conversation
}

func newUnsaidStore(s history.Store) *unsaidStore {
	return &unsaidStore{Store: s, unsaid: map[history.ID]history.Conversation{}}
}

// Create implements [history.Conversations]. The conversation is stored with the
// first thing that is said in it.
func (s *unsaidStore) Create(_ context.Context, c history.Conversation) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.unsaid[c.ID] = c
	return nil
}

func (s *unsaidStore) find(id history.ID) (history.Conversation, bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	c, ok := s.unsaid[id]
	return c, ok
}

// keep stores a conversation that something is about to be said in.
func (s *unsaidStore) keep(ctx context.Context, id history.ID) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	c, ok := s.unsaid[id]
	if !ok {
		return nil
	}
	if err := s.Store.Create(ctx, c); err != nil && !errors.Is(err, history.ErrExists) { // by an earlier try
		return err
	}
	delete(s.unsaid, id)
	return nil
}

// Conversation implements [history.Conversations].
func (s *unsaidStore) Conversation(ctx context.Context, id history.ID) (history.Conversation, error) {
	if c, ok := s.find(id); ok {
		return c, nil
	}
	return s.Store.Conversation(ctx, id)
}

// List implements [history.Conversations]. What nothing is said in is found by
// its whole id alone.
func (s *unsaidStore) List(ctx context.Context, q history.ListQuery) iter.Seq2[history.Conversation, error] {
	if id, err := uuid.Parse(q.IDPrefix); err == nil {
		if c, ok := s.find(id); ok {
			return func(yield func(history.Conversation, error) bool) { yield(c, nil) }
		}
	}
	return s.Store.List(ctx, q)
}

// Describe implements [history.Conversations].
func (s *unsaidStore) Describe(ctx context.Context, id history.ID, d history.Description) error {
	if err := s.keep(ctx, id); err != nil {
		return err
	}
	return s.Store.Describe(ctx, id, d)
}

// Append implements [history.Entries].
func (s *unsaidStore) Append(ctx context.Context, r history.AppendRequest) ([]history.Entry, error) {
	if err := s.keep(ctx, r.Conversation); err != nil {
		return nil, err
	}
	return s.Store.Append(ctx, r)
}

// Path implements [history.Entries].
func (s *unsaidStore) Path(ctx context.Context, q history.PathQuery) iter.Seq2[history.Entry, error] {
	if _, ok := s.find(q.Conversation); ok {
		return func(func(history.Entry, error) bool) {}
	}
	return s.Store.Path(ctx, q)
}

// Nodes implements [history.Entries].
func (s *unsaidStore) Nodes(ctx context.Context, id history.ID) iter.Seq2[history.Node, error] {
	if _, ok := s.find(id); ok {
		return func(func(history.Node, error) bool) {}
	}
	return s.Store.Nodes(ctx, id)
}

// Checkpoints implements [history.Marks].
func (s *unsaidStore) Checkpoints(ctx context.Context, id history.ID) ([]history.Checkpoint, error) {
	if _, ok := s.find(id); ok {
		return nil, nil
	}
	return s.Store.Checkpoints(ctx, id)
}

// Pins implements [history.Marks].
func (s *unsaidStore) Pins(ctx context.Context, id history.ID) ([]history.ID, error) {
	if _, ok := s.find(id); ok {
		return nil, nil
	}
	return s.Store.Pins(ctx, id)
}

// Queue implements [history.Pending].
func (s *unsaidStore) Queue(ctx context.Context, id history.ID) ([]history.QueuedPrompt, error) {
	if _, ok := s.find(id); ok {
		return nil, nil
	}
	return s.Store.Queue(ctx, id)
}

// Drafts implements [history.Pending].
func (s *unsaidStore) Drafts(ctx context.Context, id history.ID) ([]history.Draft, error) {
	if _, ok := s.find(id); ok {
		return nil, nil
	}
	return s.Store.Drafts(ctx, id)
}

// Children implements [history.Entries].
func (s *unsaidStore) Children(ctx context.Context, id, parent history.ID) iter.Seq2[history.Node, error] {
	if _, ok := s.find(id); ok {
		return func(func(history.Node, error) bool) {}
	}
	return s.Store.Children(ctx, id, parent)
}

// FindEntries implements [history.Entries].
func (s *unsaidStore) FindEntries(ctx context.Context, id history.ID, prefix string, limit int) ([]history.ID, error) {
	if _, ok := s.find(id); ok {
		return nil, nil
	}
	return s.Store.FindEntries(ctx, id, prefix, limit)
}

// Search implements [history.Searcher].
func (s *unsaidStore) Search(ctx context.Context, q history.SearchQuery) (history.SearchResult, error) {
	if _, ok := s.find(q.Conversation); ok {
		return history.SearchResult{}, nil
	}
	return s.Store.Search(ctx, q)
}

// Enqueue implements [history.Pending].
func (s *unsaidStore) Enqueue(ctx context.Context, p history.QueuedPrompt) error {
	if err := s.keep(ctx, p.Conversation); err != nil {
		return err
	}
	return s.Store.Enqueue(ctx, p)
}

// SaveDraft implements [history.Pending].
func (s *unsaidStore) SaveDraft(ctx context.Context, d history.Draft) error {
	if err := s.keep(ctx, d.Conversation); err != nil {
		return err
	}
	return s.Store.SaveDraft(ctx, d)
}
