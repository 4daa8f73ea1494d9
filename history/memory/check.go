package memory

import (
	"context"
	"iter"

	"github.com/stemma-history/stemma/history"
)

// Check implements [history.Checker]. Nothing but this package writes here, so
// there is nothing to repair; what it looks for are mistakes of this package
// and blobs that a caller named and never brought.
func (s *Store) Check(ctx context.Context, repair bool) iter.Seq2[history.Problem, error] {
	return sequence(ctx, s, func() ([]history.Problem, error) {
		var problems []history.Problem
		for _, c := range s.conversations {
			if _, err := s.optionalEntry(c.ID, c.Tip); err != nil {
				problems = append(problems, history.Problem{Conversation: c.ID, What: "the tip: " + err.Error()})
			}
			for _, e := range c.entries {
				if _, err := s.full(e); err != nil {
					problems = append(problems, history.Problem{Conversation: c.ID, Entry: e.ID, What: err.Error()})
				}
			}
		}
		return problems, nil
	})
}
