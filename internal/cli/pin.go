package cli

import (
	"context"
	"fmt"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
)

type pinOptions struct {
	*app
	conversation, entry string
	json                bool
}

func newPin(a *app) *cobra.Command {
	o := &pinOptions{app: a}
	c := &cobra.Command{
		Use:   "pin CONV [ENTRY]",
		Short: "Keep an entry whole in every view, or list such",
		Long: `Keep an entry whole in every view, whatever else has to go. Without an entry, list those that are pinned.

Off a terminal each line of the list has, separated by tabs: entry, handle, kind, role, first words.`,
		Example: `  stemma pin @ 12
  stemma pin @`,
		RunE: func(c *cobra.Command, args []string) error {
			if o.conversation = args[0]; len(args) == 1 {
				return o.list(c.Context())
			}
			o.entry = args[1]
			return o.change(c.Context(), "pinned", history.Store.Pin)
		},
	}
	jsonFlag(c, &o.json)
	return c
}

func newUnpin(a *app) *cobra.Command {
	o := &pinOptions{app: a}
	c := &cobra.Command{
		Use:     "unpin CONV ENTRY",
		Short:   "Let an entry go from views again",
		Long:    "Take back a pin: the entry may be shown as a stub, a page or a summary again.",
		Example: "  stemma unpin @ 12",
		RunE: func(c *cobra.Command, args []string) error {
			o.conversation, o.entry = args[0], args[1]
			return o.change(c.Context(), "no longer pinned", history.Store.Unpin)
		},
	}
	jsonFlag(c, &o.json)
	return c
}

func (o *pinOptions) change(ctx context.Context, done string, f func(s history.Store, ctx context.Context, conversation, entry history.ID) error) error {
	return o.withConversation(ctx, o.conversation, func(s history.Store, c history.Conversation) error {
		id, err := findEntry(ctx, s, c, o.entry)
		if err != nil {
			return err
		}
		e, err := s.Entry(ctx, c.ID, id)
		if err != nil {
			return err
		}
		if err := f(s, ctx, c.ID, id); err != nil {
			return err
		}
		if o.json {
			return o.printJSON(newEntryJSON(e).nodeJSON)
		}
		text := fmt.Sprintf("%v is %s: %s", e.Handle(), done, words.OneLine(history.Preview(&e)))
		if o.out.width > 0 {
			text = ansi.Truncate(text, o.out.width, "…")
		}
		o.out.printf("%s\n", text)
		return nil
	})
}

func (o *pinOptions) list(ctx context.Context) error {
	return o.withConversation(ctx, o.conversation, func(s history.Store, c history.Conversation) error {
		ids, err := s.Pins(ctx, c.ID)
		if err != nil {
			return err
		}
		pinned := func(yield func(history.Entry, error) bool) {
			for _, id := range ids {
				if !yield(s.Entry(ctx, c.ID, id)) {
					return
				}
			}
		}
		if o.json {
			return printArray(o.app, mapped(pinned, func(e history.Entry) nodeJSON { return newEntryJSON(e).nodeJSON }))
		}
		short, err := shortEntryIDs(ctx, s, c.ID)
		if err != nil {
			return err
		}
		t := o.table(column{title: "ENTRY"}, column{title: "HANDLE", right: true}, column{title: "KIND"}, column{title: "ROLE"}, column{title: "FIRST WORDS", flexible: true})
		err = each(o.app, pinned, func(e history.Entry) error {
			role := ""
			if e.Message != nil {
				role = string(e.Message.Role)
			}
			t.row(
				cell{value: e.ID.String(), shown: short[e.ID], style: yellow},
				cell{value: e.Handle().String()},
				cell{value: string(e.Kind())},
				cell{value: role},
				cell{value: history.Preview(&e)},
			)
			return nil
		})
		t.print()
		o.nothing(len(ids), "nothing is pinned")
		return err
	})
}
