package cli

import (
	"cmp"
	"context"
	"iter"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/message"
)

type listOptions struct {
	*app
	directory string
	tool      string
	limit     int
	json      bool
}

func newList(a *app) *cobra.Command {
	o := &listOptions{app: a}
	c := &cobra.Command{
		Use:   "list",
		Short: "List the conversations of the store",
		Long: `List the conversations of the store, the one updated last first.

Off a terminal each line has, separated by tabs: id, title, tool, model, number of entries, time of the last update, directory.`,
		Example: `  stemma list
  stemma list --directory .            # of the project you are in
  stemma list --tool codex --limit 5
  stemma list --json | jq -r '.[].id'`,
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	c.Flags().StringVarP(&o.directory, "directory", "d", "", "only those of the working directory `DIR`")
	c.Flags().StringVar(&o.tool, "tool", "", "only those imported from `TOOL`, such as claude-code")
	c.Flags().IntVarP(&o.limit, "limit", "n", 0, "at most `N` (default: all)")
	jsonFlag(c, &o.json)
	return c
}

func (o *listOptions) run(ctx context.Context) error {
	var query history.ListQuery
	if o.directory != "" {
		directory, err := filepath.Abs(o.directory)
		if err != nil {
			return err
		}
		query.Directory = directory
	}
	return o.withStore(ctx, func(s history.Store) error {
		found := o.selected(s.List(ctx, query))
		if o.json {
			return printArray(o.app, mapped(found, newConversationJSON))
		}
		return o.print(ctx, s, found)
	})
}

// selected yields the conversations of the tool that is asked for, up to the
// limit.
func (o *listOptions) selected(all iter.Seq2[history.Conversation, error]) iter.Seq2[history.Conversation, error] {
	return func(yield func(history.Conversation, error) bool) {
		n := 0
		for c, err := range all {
			if err == nil && o.tool != "" && c.Source.Tool != o.tool {
				continue
			}
			if !yield(c, err) {
				return
			}
			if n++; n == o.limit {
				return
			}
		}
	}
}

func (o *listOptions) print(ctx context.Context, s history.Store, found iter.Seq2[history.Conversation, error]) error {
	short := shortConversationIDs(ctx, s)
	t := o.table(
		column{title: "ID"},
		column{title: "TITLE", flexible: true},
		column{title: "TOOL"},
		column{title: "MODEL", wide: true},
		column{title: "ENTRIES", right: true},
		column{title: "UPDATED"},
	)
	err := each(o.app, found, func(c history.Conversation) error {
		row := []cell{
			{value: c.ID.String(), shown: short[c.ID], style: yellow},
			titleCell(ctx, s, c.ID, c.Title, o.out),
			{value: c.Source.Tool},
			{value: c.Model, style: faint},
			number(c.Entries),
			{value: words.Stamp(c.Updated), shown: words.Ago(c.Updated, o.now()), style: faint},
		}
		if !o.out.terminal {
			row = append(row, cell{value: c.Directory})
		}
		t.row(row...)
		return nil
	})
	t.print()
	return err
}

// titleCell shows the title of a conversation or, to people, the first words of
// one that has none.
func titleCell(ctx context.Context, s history.Store, conversation history.ID, title string, out *output) cell {
	if title != "" || !out.terminal {
		return cell{value: title}
	}
	return cell{shown: firstWords(ctx, s, conversation), style: faint}
}

// nameOf returns what people know a conversation by: its title, its first
// words, or its id.
func nameOf(ctx context.Context, s history.Store, c history.Conversation) string {
	return words.OneLine(cmp.Or(c.Title, firstWords(ctx, s, c.ID), c.ID.String()))
}

func firstWords(ctx context.Context, s history.Store, conversation history.ID) string {
	var first history.Node
	for n, err := range s.Children(ctx, conversation, history.ID{}) {
		if err != nil {
			break // a name is not worth an error
		}
		if first = n; n.Author == message.ByPerson {
			break
		}
	}
	return first.Preview
}

// shortConversationIDs returns how the conversations of the store are shown.
// What cannot be read is left to the listing to report.
func shortConversationIDs(ctx context.Context, s history.Store) map[history.ID]string {
	var ids []history.ID
	for c, err := range s.List(ctx, history.ListQuery{}) {
		if err == nil {
			ids = append(ids, c.ID)
		}
	}
	return words.ShortIDs(ids)
}
