package cli

import (
	"context"
	"iter"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/history"
)

type showOptions struct {
	*app
	conversation string
	entry        string
	branch       string
	newest       int
	full         bool
	json         bool
}

func newShow(a *app) *cobra.Command {
	o := &showOptions{app: a}
	c := &cobra.Command{
		Use:   "show CONV",
		Short: "Read a conversation along its path",
		Long: `Print the entries on the path to the tip, or to another entry, the oldest first. Long texts are cut, with the command that gets the rest.

What is printed is what is stored, whatever compactions hide from the model.`,
		Example: `  stemma show @
  stemma show @ --newest 5             # how it ended
  stemma show 019ac3f2 --entry 412     # one entry, whole
  stemma show @ --branch before-refactor --full
  stemma show @ --json | jq -r '.[] | select(.role == "user") | .depth'`,
		RunE: func(c *cobra.Command, args []string) error {
			o.conversation = args[0]
			return o.run(c.Context())
		},
	}
	c.Flags().StringVarP(&o.entry, "entry", "e", "", "only `ENTRY`, whole")
	c.Flags().StringVarP(&o.branch, "branch", "b", "", "the path to `ENTRY` instead of the tip")
	c.Flags().IntVarP(&o.newest, "newest", "n", 0, "only the last `N` entries (default: all)")
	c.Flags().BoolVarP(&o.full, "full", "f", false, "texts to their end")
	for _, name := range []string{"entry", "branch"} {
		_ = c.RegisterFlagCompletionFunc(name, a.completions("ENTRY")) // it exists
	}
	c.MarkFlagsMutuallyExclusive("entry", "branch")
	c.MarkFlagsMutuallyExclusive("entry", "newest")
	jsonFlag(c, &o.json)
	return c
}

func (o *showOptions) run(ctx context.Context) error {
	return o.withConversation(ctx, o.conversation, func(s history.Store, c history.Conversation) error {
		entries, err := o.entries(ctx, s, c)
		if err != nil {
			return err
		}
		if o.json {
			return printArray(o.app, mapped(entries, newEntryJSON))
		}
		marks, err := marksOf(ctx, s, c)
		if err != nil {
			return err
		}
		d := document{out: o.out, full: o.full || o.entry != "", recall: "stemma recall " + o.conversation, marks: marks}
		if o.branch != "" {
			d.recall = "" // handles name entries of the current path
		}
		return o.paged(func() error {
			return each(o.app, entries, func(e history.Entry) error {
				d.entry(&e)
				return nil
			})
		})
	})
}

func (o *showOptions) entries(ctx context.Context, s history.Store, c history.Conversation) (iter.Seq2[history.Entry, error], error) {
	query := history.PathQuery{Conversation: c.ID, Newest: o.newest}
	name := o.branch
	if o.entry != "" {
		name, query.Newest = o.entry, 1
	}
	if name != "" {
		tip, err := findEntry(ctx, s, c, name)
		if err != nil {
			return nil, err
		}
		query.Tip = tip
	}
	return s.Path(ctx, query), nil
}
