package memory

import (
	"cmp"
	"context"
	"slices"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/internal/fulltext"
)

// Index implements [history.Searcher].
func (s *Store) Index(ctx context.Context, limit int) (left int, err error) {
	err = s.write(ctx, func() error {
		s.indexed = min(s.indexed+max(limit, 0), len(s.bodies))
		left = len(s.bodies) - s.indexed
		return nil
	})
	return left, err
}

// Search implements [history.Searcher]. What has the words most often is the
// best match.
func (s *Store) Search(ctx context.Context, q history.SearchQuery) (history.SearchResult, error) {
	query, err := fulltext.Parse(q.Text)
	if err != nil {
		return history.SearchResult{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if q.Conversation != (history.ID{}) {
		if _, err := s.conversation(q.Conversation); err != nil {
			return history.SearchResult{}, err
		}
	}
	type found struct {
		history.Hit
		count int
	}
	var all []found
	for _, b := range s.bodies[:s.indexed] {
		for _, e := range b.entries {
			if e.record.Kind != history.KindMessage || q.Conversation != (history.ID{}) && e.Conversation != q.Conversation {
				continue
			}
			full, err := s.full(e)
			if err != nil {
				continue // Check reports it
			}
			if n := query.Count(fulltext.Words(string(fulltext.AppendMessage(nil, full.Message)))); n > 0 {
				hit := history.Hit{Conversation: e.Conversation, Entry: e.ID, Handle: e.Handle(), Role: e.record.Role, Created: e.Created}
				hit.Excerpt, hit.Match = fulltext.Excerpt(full.Message, query)
				all = append(all, found{hit, n})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(b.count, a.count) })
	if q.Limit <= 0 {
		q.Limit = 20
	}
	result := history.SearchResult{Unindexed: len(s.bodies) - s.indexed}
	for _, f := range all[:min(q.Limit, len(all))] {
		result.Hits = append(result.Hits, f.Hit)
	}
	return result, nil
}
