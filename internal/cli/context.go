package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/reclaim"
)

type contextOptions struct {
	*app
	windowOptions
	conversation string
	json         bool
}

func newContext(a *app) *cobra.Command {
	o := &contextOptions{app: a}
	c := &cobra.Command{
		Use:   "context CONV",
		Short: "Show what fills the window",
		Long: `Show what fills the window of a model, part by part, and what each rung of the ladder alone would give back. Tokens are estimated, by a measure that is learned from what the model has billed on this path.

Off a terminal each line has, separated by tabs: part, items, tokens. The parts add up to the line total; what follows are free, reserve and window.`,
		Example: `  stemma context @
  stemma context @ --model claude-haiku-4-5
  stemma context @ --json | jq '.parts[0]'`,
		RunE: func(c *cobra.Command, args []string) error {
			o.conversation = args[0]
			return o.run(c.Context())
		},
	}
	o.windowOptions.flags(a, c)
	o.frame.flags(c)
	jsonFlag(c, &o.json)
	return c
}

type contextJSON struct {
	Conversation history.ID `json:"conversation"`
	Model        string     `json:"model"`
	Window       int        `json:"window"`
	Reserve      int        `json:"reserve"` // kept free for the answer
	Total        int        `json:"total"`   // the sum of the parts
	Free         int        `json:"free"`    // below 0: what is too much
	Parts        []partJSON `json:"parts"`
	Rungs        []stepJSON `json:"rungs"` // what each alone would do
}

type partJSON struct {
	Name   string `json:"name"`
	Items  int    `json:"items"`
	Tokens int    `json:"tokens"`
}

func (o *contextOptions) run(ctx context.Context) error {
	return o.withConversation(ctx, o.conversation, func(s history.Store, c history.Conversation) error {
		p, model, err := o.problem(ctx, o.app, s, c)
		if err != nil {
			return err
		}
		if t := reclaim.Thrashing(p, nil); t != nil {
			o.err.printf("stemma: %s\n", t)
		}
		account := reclaim.Context(p)
		gains, err := reclaim.Gains(p)
		if err != nil {
			return err
		}
		if o.json {
			j := contextJSON{c.ID, p.Frame.Model, account.Window, account.Reserve, account.Total, account.Free, []partJSON{}, stepsJSON(gains)}
			for _, share := range account.Shares {
				j.Parts = append(j.Parts, partJSON(share))
			}
			return o.printJSON(j)
		}
		if !o.out.terminal {
			o.printValues(&account)
			return nil
		}
		o.print(nameOf(ctx, s, c), &model, p.Frame.Model, &account, gains)
		return nil
	})
}

func (o *contextOptions) printValues(account *reclaim.Account) {
	t := o.table()
	for _, share := range account.Shares {
		t.row(cell{value: share.Name}, number(share.Items), number(share.Tokens))
	}
	for _, line := range []reclaim.Share{{Name: "total", Tokens: account.Total}, {Name: "free", Tokens: account.Free}, {Name: "reserve", Tokens: account.Reserve}, {Name: "window", Tokens: account.Window}} {
		t.row(cell{value: line.Name}, cell{}, number(line.Tokens))
	}
}

func (o *contextOptions) print(name string, model *catalog.Model, asked string, account *reclaim.Account, gains []reclaim.Step) {
	out := o.out
	about := "  " + words.OneLine(asked)
	out.printf("%s%s\n", out.paint(bold, ansi.Truncate(name, max(out.width-ansi.StringWidth(about), 20), "…")), out.paint(faint, about))

	width := min(out.width, maxHelpWidth) - 2
	used := bar(account.Total, account.Window, width)
	reserved := bar(account.Reserve, account.Window, width)
	look := green
	if account.Free < 0 {
		look = red
	}
	out.printf("%s%s%s\n", out.paint(look, strings.Repeat("█", min(used, width))),
		out.paint(faint, strings.Repeat("░", max(width-used-reserved, 0))),
		out.paint(faint, strings.Repeat("▒", max(min(reserved, width-used), 0))))
	free := words.Thousands(account.Free) + " free"
	if account.Free < 0 {
		free = out.paint(red, words.Thousands(-account.Free)+" too many")
	}
	out.printf("about %s of %s tokens (%d%%), %s, %s kept for the answer\n", out.paint(bold, words.Thousands(account.Total)), words.Thousands(account.Window), wholePercent(account.Total, account.Window), free, words.Thousands(account.Reserve))
	total := int64(account.Total)
	if first, again := model.Cost(total, 0, 0, 0), model.Cost(0, total, 0, 0); first > 0 {
		out.printf("a request of it costs about $%.4f, or $%.4f where all of it is cached\n", first, again)
		out.printf("%s\n", out.paint(faint, "what a rung leaves is no longer cached, and costs the first price once"))
	}
	out.print("\n")

	t := o.table(column{title: "PART", flexible: true}, column{title: "ITEMS", right: true}, column{title: "TOKENS", right: true}, column{title: "SHARE", right: true}, column{title: ""})
	for _, share := range account.Shares {
		t.row(
			cell{value: share.Name},
			number(share.Items),
			number(share.Tokens),
			cell{value: fmt.Sprintf("%d%%", wholePercent(share.Tokens, account.Total))},
			cell{value: strings.Repeat("▪", bar(share.Tokens, account.Total, 24)), style: cyan},
		)
	}
	t.print()
	out.printf("\n%s\n", out.paint(bold, "What each rung alone would give back"))
	o.printSteps(gains)
}

// bar returns how many of width cells a part of a whole takes: at least one
// where there is anything.
func bar(part, whole, width int) int {
	if part <= 0 || whole <= 0 {
		return 0
	}
	return max(part*width/whole, 1)
}

func wholePercent(part, whole int) int {
	if whole == 0 {
		return 0
	}
	return (part*100 + whole/2) / whole
}
