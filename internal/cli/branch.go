package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/history"
)

type branchOptions struct {
	*app
	conversation, entry string
	json                bool
}

func newBranch(a *app) *cobra.Command {
	o := &branchOptions{app: a}
	c := &cobra.Command{
		Use:   "branch CONV ENTRY",
		Short: "Move the tip to another entry",
		Long:  `Move the tip of a conversation to another entry at the end of a turn: what follows continues from there, as a new branch. Nothing is written but the tip, and nothing is lost: the command says how to go back.`,
		Example: `  stemma branch @ 41                   # back to entry 41 of the current path
  stemma branch @ before-refactor      # to a checkpoint
  stemma branch @ 0197a3c1-4f52        # to an entry of another branch`,
		RunE: func(c *cobra.Command, args []string) error {
			o.conversation, o.entry = args[0], args[1]
			return o.run(c.Context())
		},
	}
	jsonFlag(c, &o.json)
	return c
}

// movedJSON says where a tip is and where it was.
type movedJSON struct {
	Conversation history.ID `json:"conversation"`
	Tip          history.ID `json:"tip"`
	Depth        int        `json:"depth"`
	Was          history.ID `json:"was,omitzero"`
}

func (o *branchOptions) run(ctx context.Context) error {
	return o.withConversation(ctx, o.conversation, func(s history.Store, c history.Conversation) error {
		at, err := findBoundary(ctx, s, c, o.entry)
		if err != nil {
			return err
		}
		if err := s.MoveTip(ctx, at, c.Tip); err != nil {
			return err
		}
		return o.moved(movedJSON{c.ID, at.Entry(), at.Depth(), c.Tip}, o.json)
	})
}

// moved reports that a tip was moved, and how to move it back.
func (a *app) moved(m movedJSON, asJSON bool) error {
	switch {
	case asJSON:
		return a.printJSON(m)
	case m.Was == m.Tip:
		a.out.printf("the tip is at %d already\n", m.Depth)
	default:
		a.out.printf("the tip is at %s (%v)\n", a.out.paint(bold, history.Handle{Depth: m.Depth}.String()), m.Tip)
		a.out.printf("%s\n", a.out.paint(faint, "to go back: stemma branch "+m.Conversation.String()+" "+m.Was.String()))
	}
	return nil
}
