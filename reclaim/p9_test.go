package reclaim_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stemma-history/stemma/wire/wiretest"
)

// keepsThePrefix (P9): frame and content of the request before are the first
// blocks of this one, unless a compaction, a moved tip or a changed frame lies
// between.
func keepsThePrefix(s *sent) error {
	if s.before == nil {
		return nil
	}
	before, err := wiretest.Blocks(s.before.body.JSON)
	if err != nil {
		return err
	}
	now, err := wiretest.Blocks(s.body.JSON)
	if err != nil {
		return err
	}
	if n := len(before); len(now) < n || !slices.Equal(now[:n], before) {
		return fmt.Errorf("the request does not begin with the one before:\n%s\n\n%s", strings.Join(before, "\n"), strings.Join(now, "\n"))
	}
	s.grown++
	return nil
}
