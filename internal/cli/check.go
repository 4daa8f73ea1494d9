package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
)

type checkOptions struct {
	*app
	repair bool
	json   bool
}

func newCheck(a *app) *cobra.Command {
	o := &checkOptions{app: a}
	c := &cobra.Command{
		Use:   "check",
		Short: "Verify the store, and mend it",
		Long: `Read everything in the store and report what is wrong. With --repair, mend what can be mended without dropping anything.

Exits with 1 where a problem is left.`,
		Example: `  stemma check
  stemma check --repair`,
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	c.Flags().BoolVar(&o.repair, "repair", false, "mend what can be mended")
	jsonFlag(c, &o.json)
	return c
}

type problemJSON struct {
	Conversation history.ID `json:"conversation,omitzero"`
	Entry        history.ID `json:"entry,omitzero"`
	What         string     `json:"what"`
	Repaired     bool       `json:"repaired"`
	Advice       string     `json:"advice,omitempty"`
}

func (o *checkOptions) run(ctx context.Context) error {
	return o.withStore(ctx, func(s history.Store) error {
		found, left := 0, 0
		problems := mapped(s.Check(ctx, o.repair), func(p history.Problem) problemJSON {
			found++
			if !p.Repaired {
				left++
			}
			return problemJSON(p)
		})
		var err error
		if o.json {
			err = printArray(o.app, problems)
		} else {
			err = each(o.app, problems, func(p problemJSON) error { o.print(p); return nil })
		}
		switch {
		case err != nil:
			return err
		case left > 0:
			o.err.printf("stemma: %s, %d of them left\n", words.Count(found, "problem"), left)
			return errSilent
		case !o.json && found == 0:
			o.out.printf("no problems\n")
		}
		return nil
	})
}

func (o *checkOptions) print(p problemJSON) {
	state := o.out.paint(red, "problem")
	if p.Repaired {
		state = o.out.paint(green, "mended ")
	}
	o.out.printf("%s  %s\n", state, words.OneLine(p.What))
	if p.Conversation != (history.ID{}) {
		where := "conversation " + p.Conversation.String()
		if p.Entry != (history.ID{}) {
			where += ", entry " + p.Entry.String()
		}
		o.out.printf("         %s\n", o.out.paint(faint, where))
	}
	if p.Advice != "" && !p.Repaired {
		o.out.printf("         %s\n", words.OneLine(p.Advice))
	}
}
