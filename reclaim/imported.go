package reclaim

import (
	"fmt"
	"slices"

	"github.com/stemma-history/stemma/history"
)

// asShown returns a compaction as a view shows it. That of another tool has the
// tool's own texts, which do not say how to get back what they hide: here each
// says so, behind its words. The entry keeps the words alone.
func asShown(c *history.Compaction) *history.Compaction {
	if c.Reason.Trigger != history.ByImport {
		return c
	}
	shown := *c
	shown.Treatments = slices.Clone(c.Treatments)
	for i := range shown.Treatments {
		if t := &shown.Treatments[i]; t.Text != "" {
			t.Text += "\n" + wayBack(t)
		}
	}
	return &shown
}

// wayBack says how to get an original back.
func wayBack(t *history.Treatment) string {
	if t.From == t.To {
		return fmt.Sprintf("[To get the original back: recall %v]", t.From)
	}
	return fmt.Sprintf("[This stands for entries %v to %v. To get an original back: recall its number.]", t.From, t.To)
}
