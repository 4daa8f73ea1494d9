package reclaim_test

import (
	"fmt"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/reclaim"
)

// compactionsPay (P12): each plan since the request before frees a twentieth of
// the view, or the view could not have been sent; what it says of sizes is so;
// and where there is none, it says why, and what stands there fits.
func compactionsPay(s *sent) error {
	for _, planned := range s.plans {
		if err := pays(&planned.plan, planned.problem); err != nil {
			return err
		}
	}
	s.plans = nil
	return nil
}

func pays(plan *reclaim.Plan, p reclaim.Problem) error {
	if before := reclaim.Context(p).Total; plan.Before != before {
		return fmt.Errorf("the plan begins at %d tokens, the view has %d", plan.Before, before)
	}
	limit := p.Budget.Limit()
	if plan.Compaction == nil {
		if plan.Before > limit || plan.Why == "" {
			return fmt.Errorf("%d tokens where %d fit, and nothing is done: %q", plan.Before, limit, plan.Why)
		}
		return nil
	}
	if err := plan.Compaction.Validate(); err != nil {
		return err
	}
	cannotBeSent := plan.Before > limit || p.Reason.Trigger == history.BySwitch
	if freed := plan.Before - plan.After; freed*20 < plan.Before && !cannotBeSent {
		return fmt.Errorf("%d of %d tokens are freed", freed, plan.Before)
	}
	if r := plan.Compaction.Reason; int(r.Before) != plan.Before || int(r.After) != plan.After {
		return fmt.Errorf("the plan goes from %d to %d tokens, its reason says %+v", plan.Before, plan.After, r)
	}
	p.Path = append(p.Path[:len(p.Path):len(p.Path)], history.Entry{ID: history.NewID(), Depth: len(p.Path) + 1, Compaction: plan.Compaction})
	if after := reclaim.Context(p).Total; after != plan.After {
		return fmt.Errorf("planned %d tokens, the view has %d", plan.After, after)
	}
	return nil
}
