package reclaim

import (
	"math"
	"reflect"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// TestP10PagesThatGrewAreThoseCutAnew: a compaction cuts only what is behind the
// full pages of the one before, and records what cutting everything would give.
func TestP10PagesThatGrewAreThoseCutAnew(t *testing.T) {
	var s session
	s.add(message.Prompt("the task"))
	p := Problem{Rungs: []Rung{Pages}, Budget: Budget{Window: 400_000, Reserve: 10_000, Target: 0, Tail: 2000}}
	p.Reader, p.Meter = dense()
	cut := 0
	for range 12 {
		s.work(2)
		plan := s.compact(t, p)
		var grown history.Treatment
		for _, treatment := range plan.Compaction.Treatments {
			if treatment.As == history.AsPages {
				grown = treatment
			}
		}
		p.Path = s.path
		source := sourceOf(s.path, &grown)
		pages, over, err := cutPages(newDraft(&p), source, nil, room{images: math.MaxInt, bytes: math.MaxInt64, tokens: math.MaxInt})
		if over || err != nil {
			t.Fatal(over, err)
		}
		anew, err := recordOf(&p, source, nil, pages)
		if err != nil || !reflect.DeepEqual(grown.Pages, anew) {
			t.Fatalf("%d pages that grew\n%+v\nare not the %d cut anew\n%+v (%v)", len(grown.Pages.Pages), grown.Pages, len(anew.Pages), anew, err)
		}
		cut = len(anew.Pages)
	}
	if cut < 4 {
		t.Errorf("only %d pages", cut)
	}
}

// TestP10PagesBehindAnOutlineGrow: the older half has become an outline; what
// stands, outline and full pages, stays as it is while there is room.
func TestP10PagesBehindAnOutlineGrow(t *testing.T) {
	var s session
	s.add(message.Prompt("the task"))
	s.work(40)
	p := Problem{Budget: Budget{Window: 400_000, Reserve: 10_000, Target: 0, Tail: 2000}, Rungs: []Rung{Pages}}
	p.Reader, p.Meter = dense()
	p.Reader.MaxImages = 9
	s.compact(t, p)
	before := view(t, s.path).Messages
	s.work(3)
	s.compact(t, p)
	after := view(t, s.path).Messages
	if !reflect.DeepEqual(before[:2], after[:2]) {
		t.Errorf("the outline has become\n%+v", after[1])
	}
	full := before[2].Parts[:len(before[2].Parts)-2] // the last page was not full
	if len(full) < 5 || len(after[2].Parts) <= len(full) || !reflect.DeepEqual(full, after[2].Parts[:len(full)]) {
		t.Errorf("%d parts of pages, of which %d were full, have become others", len(after[2].Parts), len(full))
	}
}

// TestPagesThatFitAreNotTakenForTooMany: what may go onto pages, and whether a
// model takes those that stand, goes by one measure of their bytes.
func TestPagesThatFitAreNotTakenForTooMany(t *testing.T) {
	var s session
	s.add(message.Prompt("the task"))
	s.work(30)
	p := Problem{Path: s.path, Budget: Budget{Window: 400_000, Reserve: 10_000, Threshold: 390_000, Target: 0, Tail: 2000}, Rungs: []Rung{Pages}}
	p.Reader, p.Meter = dense()
	for most := int64(200_000); most < 1_500_000; most += 20_000 {
		p.Reader.MaxImageBytes = most
		plan, err := Make(p)
		if err != nil {
			t.Fatal(err)
		}
		if plan.Compaction == nil {
			continue
		}
		compacted := p
		compacted.Path = append(s.path[:len(s.path):len(s.path)], history.Entry{ID: history.NewID(), Depth: len(s.path) + 1, Compaction: plan.Compaction})
		if due := Due(compacted); due != "" {
			t.Fatalf("%d bytes: pages that were just made for it are due for a compaction: %s", most, due)
		}
	}
}
