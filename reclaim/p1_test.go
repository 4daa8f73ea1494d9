package reclaim_test

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/reclaim"
)

// stored is an entry as a store holds it, and what it held at first.
type stored struct {
	entry, kept history.Entry
}

// nothingIsLost (P1): at the end of a case, no entry that was ever stored has
// changed, also where the tip has left it, and the view is a projection: made
// anew it is the same.
func nothingIsLost(s *sent) error {
	if s.chapter < len(s.chapters)-1 {
		return nil
	}
	for i := range s.stored {
		if now, kept := &s.stored[i].entry, &s.stored[i].kept; !reflect.DeepEqual(now, kept) {
			return fmt.Errorf("entry %d has changed:\n%+v\n%+v", kept.Depth, kept, now)
		}
	}
	view, err := reclaim.View(s.path, s.pages.Draw)
	if err == nil && !reflect.DeepEqual(view, s.view) {
		err = errors.New("the view of the same path is another")
	}
	return err
}
