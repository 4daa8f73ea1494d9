package cli

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
)

func TestShortIDsAreUnique(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Ids of the same moment differ late, as those of a session do.
		ids := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) history.ID {
			id := uuid.MustParse("0197a3c1-4f52-7000-8000-000000000000")
			id[rapid.IntRange(0, 15).Draw(t, "byte")] ^= byte(rapid.IntRange(0, 3).Draw(t, "bits"))
			return id
		}), 1, 30, rapid.ID[history.ID]).Draw(t, "ids")
		short := words.ShortIDs(ids)
		for _, id := range ids {
			s := short[id]
			if len(s) < 8 || !strings.HasPrefix(id.String(), s) {
				t.Fatalf("%v is shown as %q", id, s)
			}
			for _, other := range ids {
				if other != id && strings.HasPrefix(other.String(), s) {
					t.Fatalf("%q stands for %v and %v", s, id, other)
				}
			}
			if n := len(s) - 1; n >= 8 {
				shared := 0
				for _, other := range ids {
					if strings.HasPrefix(other.String(), s[:n]) {
						shared++
					}
				}
				if shared < 2 {
					t.Fatalf("%q is longer than it needs to be", s)
				}
			}
		}
	})
}

func TestNamesThatReadAsEntries(t *testing.T) {
	for name, want := range map[string]bool{
		"412": true, "412.2": true, "0197a3c1": true, "0": true, "@": true, "0197A3C1-4F52": true,
		"before-refactor": false, "v1": false, "0x10 works": false, "1st try": false, "add-9": false,
	} {
		if got := looksLikeEntry(name); got != want {
			t.Errorf("%q reads as an entry: %v, want %v", name, got, want)
		}
	}
}
