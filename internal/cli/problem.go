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
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/wire"
)

// windowFlags choose the model that a path has to fit.
type windowFlags struct {
	model  string
	window int
}

func (f *windowFlags) register(c *cobra.Command) {
	c.Flags().StringVarP(&f.model, "model", "m", "", "for `MODEL` (default: the one used last)")
	c.Flags().IntVarP(&f.window, "window", "w", 0, "for a window of `N` tokens (default: that of the model)")
	_ = c.RegisterFlagCompletionFunc("model", completeModel) // it exists
}

// problem poses the problem of sending a conversation to the model. Its window
// is 0 where it is not known.
func (f *windowFlags) problem(ctx context.Context, s history.Store, c history.Conversation) (reclaim.Problem, catalog.Model, error) {
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
	if frame.Model = cmp.Or(f.model, frame.Model, c.Model); frame.Model == "" {
		return reclaim.Problem{}, catalog.Model{}, usagef("the conversation does not say which model it is with; name one with --model")
	}
	model, _, known := catalog.Default().Find(frame.Model)
	if !known {
		model.ChecksThinking = true // to be safe
	}
	return reclaim.ProblemFor(model, frame, path, pins, f.window), model, nil
}

// sized is problem, of a window that has to be known.
func (f *windowFlags) sized(ctx context.Context, s history.Store, c history.Conversation) (reclaim.Problem, error) {
	p, _, err := f.problem(ctx, s, c)
	if err == nil && p.Budget.Window == 0 {
		err = usagef("the window of %s is not known; name its size with --window", p.Frame.Model)
	}
	return p, err
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
