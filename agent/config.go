package agent

import (
	"cmp"
	"context"
	"time"

	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/reclaim"
)

// A Config is what a run works with. Store, Conversation, Provider and Model
// are required.
type Config struct {
	Store        history.Store
	Conversation history.ID
	Model        Model
	System       []string
	Tools        []tool.Tool // besides those of the run: checkpoint, rewind, recall

	// Rules say which calls run, and Permit decides about those that they ask a
	// person about. Default: calls that only read are allowed, the others denied.
	// Permit is called for one call at a time.
	Rules  []tool.Rule
	Permit func(context.Context, tool.Tool, tool.Call) bool
	// Parallel is how many calls of an answer run at the same time. Default: 8.
	Parallel int
	// MaxTurns ends an exchange after so many answers. Default: no limit.
	MaxTurns int

	Compaction Compaction
	// Limit holds a resumed run to the newest messages of its path. Default: no
	// limit.
	Limit history.Limit
	// Draw makes the images of pages. Default: [reclaim.DrawPage].
	Draw reclaim.Draw
	// Patience says how a request that failed is sent again. Its Waiting is the
	// run's own.
	Patience provider.Retry

	// Now is the clock. Default: [time.Now].
	Now func() time.Time
	// Lease is how long a draft counts as that of a living run after it was
	// saved; a living run saves it thrice as often. Default: 6 seconds.
	Lease time.Duration
}

// A Model is a model and the provider that it is reached by.
type Model struct {
	Provider provider.Provider
	// Name is what the provider calls it. Default: the ID of Known.
	Name string
	// Known is what the catalogue says of it; the zero value is a blind model
	// with an unknown window, of which the refusals teach.
	Known catalog.Model
	// Window overrides that of Known.
	Window int
	// MaxOutput is the longest answer in tokens. Default: what the budget keeps
	// free of the window for it.
	MaxOutput int
	// Effort is how hard it thinks. Default: the model's own.
	Effort string
}

// unknownWindow is taken where nobody says how large a window is: that of most
// models that are not in the catalogue. (Servers' defaults, 2026-11.)
const unknownWindow = 128_000

func (m *Model) name() string { return cmp.Or(m.Name, m.Known.ID) }

func (m *Model) window() int { return cmp.Or(m.Window, m.Known.Window, unknownWindow) }

// Compaction says when and how a run makes room.
type Compaction struct {
	// Off leaves the view alone until the provider refuses a request.
	Off bool
	// Budget says how much of a window is kept free for the answer, from which
	// size of the view on room is made, and what is aimed at. It is asked again
	// when a refusal has told of another window, and for each model that the run
	// goes on with. Default: [reclaim.DefaultBudget].
	Budget func(window int) reclaim.Budget
	// Rungs may be used. Default: [reclaim.FreeRungs].
	Rungs []reclaim.Rung
	// Summary allows model calls for the last rung, where the others do not
	// reach the target.
	Summary bool
	// SummaryModel is asked for summaries. Default: that of the run.
	SummaryModel Model
	// Cold is how long after an answer the provider's cache is taken to be cold:
	// a compaction costs nothing extra then. Default: 5 minutes, the shortest
	// that a provider keeps it (Anthropic, 2026-11).
	Cold time.Duration
	// Result is how long a result may be, in tokens, before it is shown by its
	// beginning and end only. Default: an eighth of the window, at most 25,000.
	Result int
}

func (c *Config) defaults() {
	c.Parallel = cmp.Or(c.Parallel, 8)
	c.Lease = cmp.Or(c.Lease, 6*time.Second)
	c.Compaction.Cold = cmp.Or(c.Compaction.Cold, 5*time.Minute)
	if c.Compaction.Budget == nil {
		c.Compaction.Budget = reclaim.DefaultBudget
	}
	if c.Compaction.Rungs == nil {
		c.Compaction.Rungs = reclaim.FreeRungs
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Draw == nil {
		c.Draw = reclaim.DrawPage
	}
	if c.Permit == nil {
		c.Permit = func(context.Context, tool.Tool, tool.Call) bool { return false }
	}
}
