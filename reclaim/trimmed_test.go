package reclaim

import (
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/snapshot"
)

// TestP10PagesBehindATrimBeginAnew: they do not show again what was left out, and
// what is drawn is what was recorded. A path of which what the trim left out was
// not read shows the same.
func TestP10PagesBehindATrimBeginAnew(t *testing.T) {
	var s session
	s.add(message.Prompt("the task"))
	p := Problem{Rungs: []Rung{Pages}, Budget: Budget{Window: 400_000, Reserve: 10_000, Target: 0, Tail: 2000}}
	p.Reader, p.Meter = dense()
	s.work(4)
	old := s.compact(t, p).Compaction.Treatments
	s.work(4)
	cut := len(s.path) - 3*7 // the last exchanges, each a prompt and three calls with results
	trim := history.Treatment{From: history.Handle{Depth: 2}, To: history.Handle{Depth: cut}, As: history.AsTrimmed, Text: "[left out]"}
	if old[len(old)-1].To.Depth >= cut {
		t.Fatal("the cut is meant to come behind the first pages")
	}
	s.path = append(s.path, history.Entry{ID: history.NewID(), Depth: len(s.path) + 1, Compaction: &history.Compaction{Treatments: []history.Treatment{trim}}})
	read := []history.Entry{s.path[0], s.path[1]}
	for i := range s.path {
		if d := s.path[i].Depth; d > cut || d > 2 && s.path[i].Compaction != nil {
			read = append(read, s.path[i])
		}
	}
	for round := range 3 {
		s.work(3)
		read = append(read, s.path[len(s.path)-3*7:]...)
		p.Path = read
		plan, err := Make(p)
		if err != nil || plan.Compaction == nil {
			t.Fatal(plan.Why, err)
		}
		e := history.Entry{ID: history.NewID(), Depth: len(s.path) + 1, Compaction: plan.Compaction}
		s.path, read = append(s.path, e), append(read, e)
		whole, part := pagesOf(t, s.path), pagesOf(t, read)
		if whole != part {
			t.Fatalf("round %d: the whole path shows other pages", round)
		}
		if !strings.Contains(whole, "[left out]") || strings.Contains(whole, "step 1:") {
			t.Errorf("round %d: what was left out is shown, or its line is not", round)
		}
	}
}

// pagesOf returns what stands on the pages of a path's view, and checks it
// against what the path records.
func pagesOf(t *testing.T, path []history.Entry) string {
	t.Helper()
	var recorded []history.Page
	fold := history.FoldTreatments(compactions(path))
	for _, s := range fold.Segments {
		if s.As == history.AsPages && len(recorded) == 0 {
			recorded = s.Pages.Pages
		}
	}
	var text strings.Builder
	n := 0
	for _, part := range pageMessage(t, path) {
		if img, ok := part.(message.Image); ok {
			page, err := snapshot.Read(img.Data)
			if err != nil {
				t.Fatal(err)
			}
			if n >= len(recorded) || crc32.ChecksumIEEE([]byte(page.Text)) != recorded[n].CRC {
				t.Errorf("page %d is not the one that was recorded", n+1)
			}
			n++
			fmt.Fprintln(&text, page.Text)
		}
	}
	if n != len(recorded) {
		t.Errorf("%d pages are shown, %d were recorded", n, len(recorded))
	}
	return text.String()
}
