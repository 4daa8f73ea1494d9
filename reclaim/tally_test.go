package reclaim_test

import (
	"flag"
	"strconv"
	"sync"
	"testing"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/wire/wires"
)

// A tally counts what cases had to show.
type tally struct {
	mu sync.Mutex

	cases, requests                             int
	compactions, pages, outlines, stubs, images int // compactions, and those that hold such treatments
	switched, wentBack, capped, refused         int
	kept                                        int // pins that stand whole (P4)
	grown                                       int // requests that begin with the one before (P9)
	thought                                     int // thinking that came back
	pagesGrown                                  int // pages that stand as they stood, and more behind them (P10)
	prompts, excerpts                           int // that stand word for word, and that say that they are cut (P13)

	met map[[2]string]bool // models, and the wires they were reached by
}

func (n *tally) fields() []struct {
	name  string
	value *int
} {
	return []struct {
		name  string
		value *int
	}{
		{"cases", &n.cases}, {"requests", &n.requests},
		{"compactions", &n.compactions}, {"with pages", &n.pages}, {"with an outline", &n.outlines}, {"with stubs", &n.stubs}, {"without images", &n.images},
		{"switches of model", &n.switched}, {"moves of the tip", &n.wentBack}, {"capped turns", &n.capped}, {"refusals", &n.refused},
		{"pins that stand whole", &n.kept}, {"requests that begin with the one before", &n.grown}, {"thoughts that came back", &n.thought},
		{"snapshots that grew", &n.pagesGrown}, {"prompts word for word", &n.prompts}, {"excerpts of prompts", &n.excerpts},
	}
}

// add adds what other cases had to show.
func (n *tally) add(more *tally) {
	n.mu.Lock()
	defer n.mu.Unlock()
	theirs := more.fields()
	for i, f := range n.fields() {
		*f.value += *theirs[i].value
	}
}

func (n *tally) count(c *history.Compaction) {
	n.compactions++
	seen := map[history.As]bool{}
	for _, t := range c.Treatments {
		seen[t.As] = true
	}
	for as, value := range map[history.As]*int{history.AsPages: &n.pages, history.AsOutline: &n.outlines, history.AsStub: &n.stubs, history.AsImages: &n.images} {
		if seen[as] {
			*value++
		}
	}
}

// meet notes that a model was reached by a wire.
func (n *tally) meet(where setting) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.met == nil {
		n.met = map[[2]string]bool{}
	}
	n.met[[2]string{where.model.ID, where.wire.Name}] = true
}

// shows fails where so many cases had nothing to show of something that they are
// for.
func (n *tally) shows(t *testing.T) {
	const many = 1000
	all := len(catalog.Default().Models()) * len(wires.All())
	t.Logf("%8d of %d models over a wire", len(n.met), all)
	if len(n.met) < all && checks(t) >= many {
		t.Error("not every model was met over every wire")
	}
	for _, f := range n.fields() {
		t.Logf("%8d %s", *f.value, f.name)
		if *f.value == 0 && checks(t) >= many {
			t.Errorf("no %s", f.name)
		}
	}
}

// checks is how many stories rapid draws.
func checks(t *testing.T) int {
	n, err := strconv.Atoi(flag.Lookup("rapid.checks").Value.String())
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		return n / 5 // as rapid does
	}
	return n
}
