package reclaim_test

import (
	"flag"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/tokens"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/wires"
	"github.com/stemma-history/stemma/wire/wiretest"
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
			where[i].wire = rapid.SampledFrom(wires.All()).Draw(t, "wire")
		}
	}
	return where
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
					models := rapid.Permutation(catalog.Default().Models()).Draw(t, "models")
					pages := reclaim.NewSheaf()
					for _, where := range drawSettings(t, home, models) {
						c := newCase(where, &told, models[settings:], pages)
						if err := c.tell(); err != nil {
							t.Fatalf("%s, window %d, over %s, chapter %d: %v", where.model.ID, where.window, where.wire.Name, c.chapter+1, err)
						}
						counts.add(&c.tally)
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

// A played case is a story as it goes on in its setting: as a run plays it, with
// a model that answers.
type played struct {
	setting
	*story
	switchTo []catalog.Model // the models that are switched to, in turn
	pages    *reclaim.Sheaf
	chapter  int

	path     []history.Entry
	stored   []stored
	begins   []int // the length of the path where each chapter began
	pins     []history.ID
	system   string
	standing reclaim.Standing
	session  wire.Session
	thinker
	last      *sent // nil where the prefix may have changed since
	plans     []planned
	snapshots map[history.Handle]standingSnapshot // in the view that was sent last

	tally
}

// A planned compaction, or why there is none.
type planned struct {
	problem reclaim.Problem
	plan    reclaim.Plan
}

func newCase(where setting, told *story, others []catalog.Model, pages *reclaim.Sheaf) *played {
	return &played{setting: where, story: told, switchTo: others, pages: pages, system: "Be brief.", session: where.wire.NewSession(), tally: tally{cases: 1}}
}

// tell tells the story: what happens, what is said, and the request that follows.
func (c *played) tell() error {
	for i := range c.chapters {
		c.chapter = i
		if err := c.happens(c.chapters[i].event); err != nil {
			return err
		}
		c.begins = append(c.begins, len(c.path))
		for j, m := range c.chapters[i].messages {
			c.say(m, c.chapters[i].stored[j])
		}
		if c.chapters[i].event == caps {
			c.cap()
		}
		s, err := c.send()
		if err != nil {
			return err
		}
		for _, p := range promises {
			if err := p.kept(s); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
		}
		if err := c.answer(s); err != nil {
			return err
		}
	}
	return nil
}

func (c *played) problem() reclaim.Problem {
	frame := wire.Frame{Model: c.model.ID, Wire: c.wire.Name, System: []string{c.system}}
	return reclaim.ProblemFor(c.model, frame, c.path, c.pins, c.window)
}

// happens does to the conversation what happens before it goes on.
func (c *played) happens(what event) error {
	if len(c.path) == 0 {
		return nil
	}
	switch what {
	case switches:
		c.model, c.switchTo = c.switchTo[0], c.switchTo[1:]
		c.last = nil
		c.switched++
	case goesBack:
		if at := c.begins[len(c.begins)/2]; at > 0 {
			c.path = c.path[:at:at]
			c.begins = c.begins[:len(c.begins)/2]
			c.last, c.snapshots = nil, nil
			c.wentBack++
		}
	case compacts:
		p := c.problem()
		p.Budget.Target = 0
		plan, err := reclaim.Make(p)
		if err != nil {
			return fmt.Errorf("P3: %w", err)
		}
		c.compact(p, plan)
	case shakes:
		if shaken, _ := reclaim.Shake(c.path, c.pins); shaken != nil {
			c.append(history.Entry{Compaction: shaken}, history.Entry{Compaction: copyOfCompaction(shaken)})
			c.last = nil
		}
	case pins:
		c.pins = append(c.pins, c.path[len(c.path)/2].ID)
	case reframes:
		c.system += " Be kind."
		c.last = nil
	}
	return nil
}

// compact appends what was planned.
func (c *played) compact(p reclaim.Problem, plan reclaim.Plan) {
	c.plans = append(c.plans, planned{p, plan})
	if plan.Compaction != nil {
		c.append(history.Entry{Compaction: plan.Compaction}, history.Entry{Compaction: copyOfCompaction(plan.Compaction)})
		c.last = nil
		c.count(plan.Compaction)
	}
}

// cap cuts the results that have just come, before any request has shown them.
func (c *played) cap() {
	if capped := reclaim.Cap(c.path[c.begins[len(c.begins)-1]:], c.problem().Meter, 500); capped != nil {
		c.append(history.Entry{Compaction: capped}, history.Entry{Compaction: copyOfCompaction(capped)})
		c.capped++
	}
}

// say appends a message. What a story tells of this model is of the case's.
func (c *played) say(m, kept message.Message) {
	if m.Model == wiretest.Model {
		m.Model, kept.Model = c.model.ID, c.model.ID
	}
	c.append(history.Entry{Message: &m}, history.Entry{Message: &kept})
}

// append puts an entry on the path, and notes a copy of it.
func (c *played) append(e, kept history.Entry) {
	e.ID, e.Depth = history.NewID(), len(c.path)+1
	kept.ID, kept.Depth, kept.Usage, kept.Seals = e.ID, e.Depth, e.Usage, slices.Clone(e.Seals)
	c.path = append(c.path, e)
	c.stored = append(c.stored, stored{e, kept})
}

// A sent request, and what led to it.
type sent struct {
	*played
	problem reclaim.Problem // with the path that was sent
	view    wire.View
	body    wire.Body
	before  *sent // the request before; nil where the prefix may have changed
	// compacted says that a compaction was due, and made.
	compacted bool
}

// send makes the request that is due, as a run does.
func (c *played) send() (*sent, error) {
	p := c.problem()
	due := c.standing.Due(p)
	_, plan, err := c.standing.Ready(p)
	if err != nil {
		return nil, fmt.Errorf("P3: %w", err)
	}
	if plan != nil {
		p.Reason.Trigger = due
		c.compact(p, *plan)
	}
	s := &sent{played: c, problem: c.problem(), before: c.last, compacted: plan != nil && plan.Compaction != nil}
	if s.view, err = c.standing.View(c.path, c.pages.Draw); err != nil {
		return nil, fmt.Errorf("P10: %w", err)
	}
	request := s.request()
	if s.body, err = c.session.Encode(request); err != nil {
		return nil, fmt.Errorf("P2: %w", err)
	}
	c.requests++
	c.last = s
	return s, nil
}

func (s *sent) request() wire.Request {
	return wire.Request{Frame: s.problem.Frame, View: s.view, MaxOutput: 1000, ChecksThinking: s.model.ChecksThinking, CacheKey: "conversation"}
}

// answer appends the model's answer, with what it was billed for.
func (c *played) answer(s *sent) error {
	answer := c.think(s)
	seals, err := c.session.Seals(s.request(), answer)
	if err != nil {
		return fmt.Errorf("P2: %w", err)
	}
	estimate := tokens.Meter{}.Tokens(c.standing.Cost(s.problem))
	usage := &history.Usage{Estimate: int64(estimate), Input: int64(float64(estimate) * c.billed)}
	kept := copyOf(answer)
	c.append(history.Entry{Message: &answer, Seals: seals, Usage: usage}, history.Entry{Message: &kept})
	return nil
}

// A tally counts what cases had to show.
type tally struct {
	mu sync.Mutex

	cases, requests                             int
	compactions, pages, outlines, stubs, images int // compactions, and those that hold such treatments
	switched, wentBack, capped                  int
	grown                                       int // requests that begin with the one before (P9)
	thought                                     int // thinking that came back
	pagesGrown                                  int // pages that stand as they stood, and more behind them (P10)
	prompts                                     int // that stand word for word (P13)
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
		{"switches of model", &n.switched}, {"moves of the tip", &n.wentBack}, {"capped turns", &n.capped},
		{"requests that begin with the one before", &n.grown}, {"thoughts that came back", &n.thought},
		{"snapshots that grew", &n.pagesGrown}, {"prompts word for word", &n.prompts},
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

// shows fails where the cases had nothing to show of what they are for.
func (n *tally) shows(t *testing.T) {
	for _, f := range n.fields() {
		t.Logf("%8d %s", *f.value, f.name)
		if *f.value == 0 && checks(t) >= 100 {
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
