package reclaim

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/stemma-history/stemma/snapshot"
)

// A Sheaf is the pages that have been drawn, as a cache keeps them: by their
// text, shape and number. Every eighth time that one is asked for, it is drawn
// again: the same text gives the same bytes (P10).
type Sheaf struct {
	mu    sync.Mutex
	pages map[[sha256.Size]byte][]byte
	asked int
}

func NewSheaf() *Sheaf { return &Sheaf{pages: map[[sha256.Size]byte][]byte{}} }

// Draw is a [Draw].
func (s *Sheaf) Draw(shape snapshot.Shape, number int, text []snapshot.Segment) ([]byte, error) {
	h := sha256.New()
	fmt.Fprint(h, shape, number)
	for _, t := range text {
		fmt.Fprintf(h, "\x00%s\x00%v\x00", t.Handle, t.Grey)
		h.Write([]byte(t.Text))
	}
	key := [sha256.Size]byte(h.Sum(nil))
	s.mu.Lock()
	defer s.mu.Unlock()
	page, drawn := s.pages[key]
	if s.asked++; drawn && s.asked%8 > 0 {
		return page, nil
	}
	again, err := DrawPage(shape, number, text)
	if drawn && !bytes.Equal(page, again) {
		return nil, fmt.Errorf("page %d of the same text has other bytes", number)
	}
	s.pages[key] = again
	return again, err
}
