package reclaim_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/wire/wires"
)

// promises are what every request of every case is held to, a file each.
var promises = []struct {
	name string
	kept func(*sent) error
}{
	{"P1", nothingIsLost},
	{"P2", isSendable},
	{"P3", fits},
	{"P4", isCovered},
	{"P9", keepsThePrefix},
	{"P10", pagesComeFromText},
	{"P12", compactionsPay},
	{"P13", wordsAreTheirOwn},
}

// A setting is where a story is told. A case is a story in a setting.
type setting struct {
	window int
	model  catalog.Model
	wire   wires.Wire
}

// settings is how many cases are made of a story.
const settings = 5

var windows = []int{4000, 8000, 16_000, 32_000, 100_000, 200_000, 1_000_000, 2_000_000}

// drawSettings draws settings that have neither window nor model in common. The
// first is of the wire that the story came over.
func drawSettings(t *rapid.T, home wires.Wire, models []catalog.Model) []setting {
	where := make([]setting, settings)
	sizes := rapid.Permutation(windows).Draw(t, "windows")
	for i := range where {
		where[i] = setting{sizes[i], models[i], home}
		if i > 0 {
			where[i].wire = wires.All()[rapid.IntRange(0, 3).Draw(t, "wire")]
		}
	}
	return where
}

// drawModels draws an order of all models.
func drawModels(t *rapid.T) []catalog.Model {
	models := catalog.Default().Models()
	order := make([]int, len(models))
	for i := range order {
		order[i] = i
	}
	drawn := make([]catalog.Model, len(models))
	for i, n := range rapid.Permutation(order).Draw(t, "models") {
		drawn[i] = models[n]
	}
	return drawn
}

// TestP1P2P3P4P9P10P12P13OfEveryHistory tells stories of any kind to models of
// the catalogue, in windows of any size, over every wire, and holds each request
// to each promise. Each check of rapid is a story for each wire, and each story
// is as many cases as it has settings: 100 checks are 2,000 cases.
func TestP1P2P3P4P9P10P12P13OfEveryHistory(t *testing.T) {
	var all tally
	t.Run("wires", func(t *testing.T) {
		for _, home := range wires.All() {
			t.Run(home.Name, func(t *testing.T) {
				t.Parallel()
				counts := tally{}
				rapid.Check(t, func(t *rapid.T) {
					told := stories(home.Name).Draw(t, "story")
					models := drawModels(t)
					pages := reclaim.NewSheaf()
					for _, where := range drawSettings(t, home, models) {
						c := newCase(where, &told, models[settings:], pages)
						if err := c.tell(); err != nil {
							t.Fatalf("%s, window %d, over %s, chapter %d: %v", c.model.ID, c.window, c.wire.Name, c.chapter+1, err)
						}
						counts.add(&c.tally)
						all.meet(where)
					}
				})
				if want := checks(t) * settings; !t.Failed() && counts.cases < want {
					t.Errorf("%d cases, want %d", counts.cases, want)
				}
				all.add(&counts)
			})
		}
	})
	if !t.Failed() {
		all.shows(t)
	}
}
