package reclaim_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"reflect"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/snapshot"
)

// pagesComeFromText (P10): where a snapshot has grown, its guide and all its full
// pages with their indexes stand as they stood. That the same text gives the same
// bytes is for the sheaf to see.
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
	fold, _ := foldOf(s.path)
	for _, m := range s.view.Messages {
		if behind := fold.At(m.At); behind != nil && behind.As == history.AsPages {
			found[behind.Treatment.From] = standingSnapshot{behind.Pages.Shape, m.Parts}
		}
	}
	return found
}

// A sheaf is the pages that have been drawn, as a cache keeps them: by their
// text, shape and number. Every eighth time that one is asked for, it is drawn again.
type sheaf struct {
	pages map[[sha256.Size]byte][]byte
	asked int
}

func newSheaf() *sheaf { return &sheaf{pages: map[[sha256.Size]byte][]byte{}} }

func (s *sheaf) draw(shape snapshot.Shape, number int, text []snapshot.Segment) ([]byte, error) {
	h := sha256.New()
	fmt.Fprint(h, shape, number)
	for _, t := range text {
		fmt.Fprintf(h, "\x00%s\x00%v\x00", t.Handle, t.Grey)
		h.Write([]byte(t.Text))
	}
	key := [sha256.Size]byte(h.Sum(nil))
	page, drawn := s.pages[key]
	if s.asked++; drawn && s.asked%8 > 0 {
		return page, nil
	}
	again, err := reclaim.DrawPage(shape, number, text)
	if drawn && !bytes.Equal(page, again) {
		return nil, fmt.Errorf("page %d of the same text has other bytes", number)
	}
	s.pages[key] = again
	return again, err
}
