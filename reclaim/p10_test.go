package reclaim_test

import (
	"bytes"
	"fmt"
	"reflect"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// pagesComeFromText (P10): where a snapshot has grown, its guide and all its full
// pages with their indexes stand as they stood. That the same text gives the same
// bytes is for [reclaim.Sheaf] to see.
func pagesComeFromText(s *sent) error {
	last, now := s.snapshots, snapshotsOf(s)
	s.snapshots = now
	for from, set := range now {
		before, ok := last[from]
		if !ok || !bytes.Equal(before.shape, set.shape) {
			continue
		}
		full := len(before.parts) - 2 // the last page may not have been full
		if len(set.parts) < full || !reflect.DeepEqual(set.parts[:full], before.parts[:full]) {
			return fmt.Errorf("the %d full pages from entry %v have changed", full/2, from)
		}
		if len(set.parts) > len(before.parts) {
			s.pagesGrown++
		}
	}
	return nil
}

// A standing snapshot: guide, and an index and an image for each page.
type standingSnapshot struct {
	shape []byte
	parts []message.Part
}

// snapshotsOf returns the snapshots in the view, by the first entry on them.
func snapshotsOf(s *sent) map[history.Handle]standingSnapshot {
	found := map[history.Handle]standingSnapshot{}
	fold := foldOf(s.path)
	for _, m := range s.view.Messages {
		if behind := fold.At(m.At); behind != nil && behind.As == history.AsPages {
			found[behind.Treatment.From] = standingSnapshot{behind.Pages.Shape, m.Parts}
		}
	}
	return found
}
