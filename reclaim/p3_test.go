package reclaim_test

import (
	"fmt"

	"github.com/stemma-history/stemma/reclaim"
)

// fits (P3): the view is within the window and what is kept free of it, by the
// measure that everything else goes by, and nothing more is due. That there is
// such a view at all is what made the request possible.
func fits(s *sent) error {
	account, limit := reclaim.Context(s.problem), s.problem.Budget.Limit()
	if account.Total > limit {
		return fmt.Errorf("%d tokens where %d fit", account.Total, limit)
	}
	if account.Total+account.Free+account.Reserve != account.Window {
		return fmt.Errorf("the account does not add up: %+v", account)
	}
	if !s.compacted {
		return nil
	}
	if due := reclaim.Due(s.problem); due != "" {
		return fmt.Errorf("another compaction is due (%s) behind one that has just been made", due)
	}
	return nil
}
