package cli

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/reclaim"
)

// windowOptions say for which model and window something is planned.
type windowOptions struct {
	model  string
	window int
}

func (o *windowOptions) flags(c *cobra.Command) {
	c.Flags().StringVarP(&o.model, "model", "m", "", "plan for `MODEL` (default: the one used last)")
	_ = c.RegisterFlagCompletionFunc("model", completeModel) // it exists
	c.Flags().IntVar(&o.window, "window", 0, "plan for a window of `N` tokens (default: the model's)")
}

// unknownWindow is planned for where nothing is known of a model: what every
// current one accepts.
const unknownWindow = 128_000

// problem poses the problem of sending a conversation's path to the model.
func (o *windowOptions) problem(ctx context.Context, s history.Store, c history.Conversation) (reclaim.Problem, error) {
	path, err := history.Collect(s.Path(ctx, history.PathQuery{Conversation: c.ID}))
	if err != nil {
		return reclaim.Problem{}, err
	}
	pins, err := s.Pins(ctx, c.ID)
	if err != nil {
		return reclaim.Problem{}, err
	}
	frame, err := frameOf(ctx, s, path)
	if err != nil {
		return reclaim.Problem{}, err
	}
	frame.Model = cmp.Or(o.model, frame.Model, c.Model)
	model, _, ok := catalog.Default().Find(frame.Model)
	if !ok {
		model.Window = unknownWindow
	}
	return reclaim.ProblemFor(model, frame, path, pins, o.window), nil
}
