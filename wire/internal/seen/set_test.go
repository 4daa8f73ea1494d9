package seen

import (
	"testing"

	"pgregory.net/rapid"
)

// TestACopyIsTheSetAsItWas compares a set that goes back now and then with maps
// that are copied whole.
func TestACopyIsTheSetAsItWas(t *testing.T) {
	word := rapid.SampledFrom([]string{"", "a", "b", "c", "d", "e"})
	rapid.Check(t, func(t *rapid.T) {
		type both struct {
			set  Set
			want map[string]bool
		}
		states := []both{{want: map[string]bool{}}}
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			at := rapid.IntRange(0, len(states)-1).Draw(t, "back to")
			states = states[:at+1]
			next := both{set: states[at].set, want: map[string]bool{}}
			for w := range states[at].want {
				next.want[w] = true
			}
			w := word.Draw(t, "word")
			next.set.Add(w)
			next.want[w] = true
			states = append(states, next)
			for _, s := range states {
				for _, w := range []string{"", "a", "b", "c", "d", "e"} {
					if s.set.Has(w) != s.want[w] {
						t.Fatalf("%q: %v", w, s.set.Has(w))
					}
				}
			}
		}
	})
}
