package cli

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
)

type forkOptions struct {
	*app
	conversation, entry string
	title               string
	json                bool
}

func newFork(a *app) *cobra.Command {
	o := &forkOptions{app: a, entry: latest}
	c := &cobra.Command{
		Use:   "fork CONV [ENTRY]",
		Short: "Copy a path to a new conversation",
		Long: `Copy the path to the tip, or to another entry at the end of a turn, to a new conversation, with its checkpoints and pins. Every id is new, handles stay the same, and neither conversation can change the other.

Prints the id of the new conversation.`,
		Example: `  stemma fork @
  stemma fork @ 41 --title "with a mutex"
  new=$(stemma fork 0197a3c1 before-refactor)`,
		RunE: func(c *cobra.Command, args []string) error {
			o.conversation = args[0]
			if len(args) > 1 {
				o.entry = args[1]
			}
			return o.run(c.Context())
		},
	}
	c.Flags().StringVarP(&o.title, "title", "t", "", "the new `TITLE` (default: that of the origin)")
	jsonFlag(c, &o.json)
	return c
}

func (o *forkOptions) run(ctx context.Context) error {
	return o.withConversation(ctx, o.conversation, func(s history.Store, c history.Conversation) error {
		at, err := findBoundary(ctx, s, c, o.entry)
		if err != nil {
			return err
		}
		fork, err := s.Fork(ctx, history.ForkRequest{At: at, Title: o.title})
		if err != nil {
			return err
		}
		if o.json {
			return o.printJSON(newConversationJSON(fork))
		}
		o.out.printf("%v\n", fork.ID)
		if o.out.terminal {
			o.out.printf("%s\n", o.out.paint(faint, cmp.Or(words.OneLine(fork.Title), "a conversation")+": "+words.Count(fork.Entries, "entry")+" copied"))
		}
		return nil
	})
}
