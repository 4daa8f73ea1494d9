package history

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/message"
)

// drawPath makes a path of whole turns: prompts, answers with batches of
// calls whose results are spread over one or several entries, compactions.
func drawPath() *rapid.Generator[[]Entry] {
	return rapid.Custom(func(t *rapid.T) []Entry {
		var path []Entry
		add := func(e Entry) {
			e.ID, e.Depth = NewID(), len(path)+1
			path = append(path, e)
		}
		say := func(m message.Message) { add(Entry{Message: &m}) }
		for range rapid.IntRange(1, 8).Draw(t, "turns") {
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				say(message.Prompt("do"))
			case 1:
				add(Entry{Compaction: &Compaction{}})
			default:
				calls := rapid.IntRange(0, 4).Draw(t, "calls")
				answer := message.Message{Role: message.Assistant, Author: message.ByModel}
				for i := range calls {
					answer.Parts = append(answer.Parts, message.ToolCall{ID: string(rune('a' + i)), Name: "bash"})
				}
				say(answer)
				for i := 0; i < calls; {
					n := rapid.IntRange(1, calls-i).Draw(t, "together")
					var results []message.ToolResult
					for range n {
						results = append(results, message.ToolResult{CallID: string(rune('a' + i))})
						i++
					}
					say(message.Results(results...))
				}
			}
		}
		return path
	})
}

// TestTrimKeepsTheNewestAndNeverOrphansAResult also holds P8: a checkpoint before
// the cut is dropped, never moved.
func TestTrimKeepsTheNewestAndNeverOrphansAResult(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := drawPath().Draw(t, "path")
		marks := []Checkpoint{{Name: "first", Entry: path[0].ID}, {Name: "last", Entry: path[len(path)-1].ID}, {Name: "elsewhere", Entry: NewID()}}
		limit := Limit{Entries: rapid.IntRange(0, len(path)+2).Draw(t, "entries"), Size: int64(rapid.IntRange(0, 3*len(path)).Draw(t, "size")), SizeOf: func(*Entry) int64 { return 2 }}
		got := Trim(path, marks, limit)

		if orphans := message.Pair(messages(got.Kept)).Orphans; len(orphans) > 0 {
			t.Fatalf("a cut at %d of %d left the results %v without their call", got.Cut, len(path), orphans)
		}
		if len(got.Kept) != len(path)-got.Cut || len(got.Kept) == 0 {
			t.Fatalf("cut %d of %d kept %d", got.Cut, len(path), len(got.Kept))
		}
		within := (limit.Entries == 0 || len(got.Kept) <= limit.Entries) && (limit.Size == 0 || int64(2*len(got.Kept)) <= limit.Size)
		if within == got.Over && got.Cut > 0 {
			t.Fatalf("within the limit: %v, said to be over it: %v", within, got.Over)
		}
		if !got.Over && got.Cut > 0 { // no earlier legal cut would have fitted
			for cut := got.Cut - 1; cut >= 0; cut-- {
				n := len(path) - cut
				if beginsTurn(&path[cut]) && (limit.Entries == 0 || n <= limit.Entries) && (limit.Size == 0 || int64(2*n) <= limit.Size) {
					t.Fatalf("cut at %d, though %d fits and is legal", got.Cut, cut)
				}
			}
		}
		wantDropped := got.Cut > 0
		if (len(got.Dropped) == 1 && got.Dropped[0].Name == "first") != wantDropped {
			t.Fatalf("cut %d, dropped %v", got.Cut, got.Dropped)
		}
		if n := len(got.Surviving); n == 0 || got.Surviving[n-1].Name != "last" {
			t.Fatalf("surviving %v", got.Surviving)
		}
	})
}

func TestTrimOfAnUnlimitedOrEmptyPathIsThePath(t *testing.T) {
	if got := Trim(nil, nil, Limit{Entries: 5}); got.Cut != 0 || len(got.Kept) != 0 || got.Over {
		t.Errorf("%+v", got)
	}
	path := []Entry{{Message: &message.Message{Role: message.Tool}}, {Message: &message.Message{Role: message.User}}}
	if got := Trim(path, nil, Limit{}); got.Cut != 0 || len(got.Kept) != 2 {
		t.Errorf("%+v", got)
	}
}
