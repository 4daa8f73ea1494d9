package reclaim

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// One page by itself is the page of the view, also where its path begins with
// the range and a snapshot has grown twice.
func TestAPageByItselfIsThatOfTheView(t *testing.T) {
	var s session
	s.add(message.Prompt("the task"))
	p := Problem{Rungs: []Rung{Pages}, Budget: Budget{Window: 400_000, Reserve: 10_000, Target: 0, Tail: 2000}}
	p.Reader, p.Meter = dense()
	var plan Plan
	for range 3 {
		s.work(3)
		plan = s.compact(t, p)
	}
	var views [][]byte
	for _, part := range pageMessage(t, s.path) {
		if img, ok := part.(message.Image); ok {
			views = append(views, img.Data)
		}
	}
	pages := &plan.Compaction.Treatments[0]
	if len(views) < 2 || len(views) != len(pages.Pages.Pages) {
		t.Fatalf("the view has %d pages", len(views))
	}
	for _, path := range [][]history.Entry{s.path, s.path[pages.From.Depth-1:]} {
		for i, want := range views {
			if got, err := PageOf(path, pages, i+1, DrawPage); err != nil || !bytes.Equal(got, want) {
				t.Errorf("page %d of a path of %d entries differs, %v", i+1, len(path), err)
			}
		}
	}
	for _, number := range []int{0, len(views) + 1} {
		if _, err := PageOf(s.path, pages, number, DrawPage); !errors.Is(err, history.ErrNotFound) {
			t.Errorf("page %d: %v", number, err)
		}
	}
}
