package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/history"
)

type rewindOptions struct {
	*app
	conversation, name string
	digest             string
	json               bool
}

func newRewind(a *app) *cobra.Command {
	o := &rewindOptions{app: a}
	c := &cobra.Command{
		Use:   "rewind CONV NAME",
		Short: "Go back to a checkpoint, keeping a digest",
		Long: `Move the tip back to the latest checkpoint with a name on the current path, and append a digest of what was explored since, in one step. Digests of earlier rewinds to the same checkpoint come first in the new one. What was explored stays in the tree as a branch.

The digest - is read from standard input.`,
		Example: `  stemma rewind @ before-refactor --digest "A mutex deadlocks with the pool; channels work."
  ./summarise | stemma rewind @ before-refactor --digest -`,
		RunE: func(c *cobra.Command, args []string) error {
			o.conversation, o.name = args[0], args[1]
			return o.run(c.Context())
		},
	}
	c.Flags().StringVar(&o.digest, "digest", "", "what was learned since, as `TEXT`, or - for standard input (needed)")
	jsonFlag(c, &o.json)
	return c
}

func (o *rewindOptions) run(ctx context.Context) error {
	if o.digest == "" {
		return usagef("rewind: say with --digest TEXT what was learned since the checkpoint; branch goes back without")
	}
	if o.digest == "-" {
		text, err := o.readAll(ctx)
		if err != nil {
			return fmt.Errorf("the digest from standard input: %w", err)
		}
		o.digest = text
	}
	return o.withConversation(ctx, o.conversation, func(s history.Store, c history.Conversation) error {
		mark, err := history.MarkOnPath(ctx, s, c.ID, c.Tip, o.name)
		if err != nil {
			return fmt.Errorf("%w; stemma checkpoint %s lists them", err, o.conversation)
		}
		digest, err := history.Rewind(ctx, s, c, mark, o.digest)
		if err != nil {
			return err
		}
		return o.moved(movedJSON{c.ID, digest.ID, digest.Depth, c.Tip}, o.json)
	})
}
