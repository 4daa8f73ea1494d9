package tui

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/history"
)

// All previews are searched as one text: it has to find what a look at each of
// them would, and nothing across two.
func TestWordsAreFoundInsideOfOnePreview(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("aAbİ ")), 0, 6, -1)
		var nodes []history.Node
		var parent history.ID
		for i, preview := range rapid.SliceOfN(text, 1, 12).Draw(t, "previews") {
			n := history.Node{ID: history.NewID(), Parent: parent, Depth: i + 1, Preview: preview}
			nodes, parent = append(nodes, n), n.ID
		}
		f := newForest(nodes, parent)
		query := strings.ToLower(rapid.StringMatching(`[abİ]{1,3}( [ab]{1,2})?`).Draw(t, "query"))
		hit := nodes[rapid.IntRange(0, len(nodes)-1).Draw(t, "hit")].ID
		var want []int
		for i := range f.lines {
			all := true
			for word := range strings.FieldsSeq(query) {
				all = all && strings.Contains(strings.ToLower(f.lines[i].Preview), word)
			}
			if all || f.lines[i].ID == hit {
				want = append(want, i)
			}
		}
		got := f.rows(&selection{query: query, hits: map[history.ID]bool{hit: true}}, &labels{})
		if !slices.Equal(got, want) {
			t.Fatalf("%q in %q: lines %v, expected %v", query, f.lower, got, want)
		}
	})
}
