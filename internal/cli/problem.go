package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/wire"
)

// windowOptions choose the model that a path has to fit.
type windowOptions struct {
	model  string
	window int
	frame  frameOptions
}

func (o *windowOptions) flags(a *app, c *cobra.Command) {
	c.Flags().StringVarP(&o.model, "model", "m", "", "for `MODEL` (default: the one used last)")
	c.Flags().IntVarP(&o.window, "window", "w", 0, "for a window of `N` tokens (default: that of the model)")
	_ = c.RegisterFlagCompletionFunc("model", a.completeModel) // it exists
}

// check says whether the flags can be meant.
func (o *windowOptions) check() error {
	if o.window < 0 {
		return usagef("--window %d: expected a number of tokens, above 0", o.window)
	}
	return nil
}

// unknownWindow is planned for where nothing is known of a model, in tokens:
// what every current one accepts.
const unknownWindow = 128_000

// problem poses the problem of sending a conversation to the model, of which
// it returns what is known.
func (o *windowOptions) problem(ctx context.Context, a *app, s history.Store, c history.Conversation) (reclaim.Problem, catalog.Model, error) {
	if err := o.check(); err != nil {
		return reclaim.Problem{}, catalog.Model{}, err
	}
	path, err := history.Collect(s.Path(ctx, history.PathQuery{Conversation: c.ID}))
	if err != nil {
		return reclaim.Problem{}, catalog.Model{}, err
	}
	pins, err := s.Pins(ctx, c.ID)
	if err != nil {
		return reclaim.Problem{}, catalog.Model{}, err
	}
	frame, err := frameOf(ctx, s, path)
	if err != nil {
		return reclaim.Problem{}, catalog.Model{}, err
	}
	if err := o.frame.apply(ctx, a, &frame); err != nil {
		return reclaim.Problem{}, catalog.Model{}, err
	}
	settings, err := a.settings()
	if err != nil {
		return reclaim.Problem{}, catalog.Model{}, err
	}
	models, err := settings.Catalog()
	if err != nil {
		return reclaim.Problem{}, catalog.Model{}, err
	}
	frame.Model = cmp.Or(o.model, frame.Model, c.Model, settings.Model)
	model, _, known := models.Find(frame.Model)
	if !known {
		model.ChecksThinking = true // to be safe
		if model.Window = unknownWindow; o.window == 0 {
			a.err.printf("stemma: the window of %s is not known, %s tokens are taken for it; --window names another size\n", cmp.Or(words.OneLine(frame.Model), "the model"), words.Thousands(unknownWindow))
		}
	}
	p := reclaim.ProblemFor(model, frame, path, pins, o.window)
	p.Budget = settings.Compaction.Budget(p.Budget.Window)
	p.Rungs = freeRungs(settings.Compaction.Rungs)
	return p, model, nil
}

// freeRungs returns those of the rungs that need no model.
func freeRungs(rungs []reclaim.Rung) []reclaim.Rung {
	return slices.DeleteFunc(slices.Clone(rungs), func(r reclaim.Rung) bool { return !slices.Contains(reclaim.FreeRungs, r) })
}

// frameOf returns the frame of the newest answer on a path that has one.
func frameOf(ctx context.Context, s history.Blobs, path []history.Entry) (wire.Frame, error) {
	var frame wire.Frame
	for i := range slices.Backward(path) {
		if path[i].Frame.IsZero() {
			continue
		}
		b, err := s.Blob(ctx, path[i].Frame)
		if err == nil {
			err = json.Unmarshal(b.Data, &frame)
		}
		if err != nil {
			return frame, fmt.Errorf("the frame of entry %v: %w", path[i].Handle(), err)
		}
		break
	}
	return frame, nil
}
