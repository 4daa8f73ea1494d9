package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/reclaim"
)

type compactOptions struct {
	*app
	windowOptions
	conversation string
	rungs        []string
	target       *int // nil: that of the settings
	dryRun       bool
	json         bool
}

func newCompact(a *app) *cobra.Command {
	o := &compactOptions{app: a}
	var target int
	c := &cobra.Command{
		Use:   "compact CONV",
		Short: "Make a conversation fit its window",
		Long: `Take the rungs of the ladder, the cheapest first, until the view is within the target: old results that decided nothing (elision), old images (images), the middle as pages of small print (snapshot), the middle as one line an exchange (outline). No model is asked, unless the rung summary is named: it has one write a narrative of the middle, in windows that each fit. What the view no longer shows stays stored, with a line in its place that says how to get it back; moving the tip before the compaction undoes it.

Off a terminal each line has, separated by tabs: rung, whether it was applied, items, tokens before and after (estimated), why.

Exits with 3 where the view does not fit the window even so.`,
		Example: `  stemma compact @ --dry-run
  stemma compact @ --model claude-haiku-4-5 --window 100000
  stemma compact @ --rungs elision,images --target 50000
  stemma compact @ --rungs summary   # the model of the conversation is asked`,
		RunE: func(c *cobra.Command, args []string) error {
			o.conversation = args[0]
			if c.Flags().Changed("target") {
				o.target = &target
			}
			return o.run(c.Context())
		},
	}
	o.windowOptions.flags(a, c)
	o.frame.flags(c)
	c.Flags().StringSliceVar(&o.rungs, "rungs", nil, "take only these `RUNGS`: elision, images, snapshot, outline, or summary alone (default: all that ask no model)")
	_ = c.RegisterFlagCompletionFunc("rungs", cobra.FixedCompletions(append(rungNames(), string(reclaim.Summary)), cobra.ShellCompDirectiveNoFileComp)) // it exists
	c.Flags().IntVarP(&target, "target", "t", 0, "go on until the view has at most `N` tokens; 0 is as few as it gets (default: that of the settings, else half of the window)")
	c.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "say what would be done, and store nothing")
	jsonFlag(c, &o.json)
	return c
}

func rungNames() []string {
	var names []string
	for _, r := range reclaim.FreeRungs {
		names = append(names, string(r))
	}
	return names
}

// doesNotFitError says that a view is larger than the window after all.
type doesNotFitError struct{ after, limit int }

func (e *doesNotFitError) Error() string {
	return "the view does not fit: it is about " + words.Thousands(e.after) + " tokens, the limit is " + words.Thousands(e.limit) + "; allow more rungs, or use a model with a larger window"
}

func (o *compactOptions) run(ctx context.Context) error {
	if err := o.checkFlags(); err != nil {
		return err
	}
	return o.withConversation(ctx, o.conversation, func(s history.Store, c history.Conversation) error {
		if slices.Contains(o.rungs, string(reclaim.Summary)) {
			return o.summarise(ctx, s, c)
		}
		p, _, err := o.problem(ctx, o.app, s, c)
		if err != nil {
			return err
		}
		if len(o.rungs) > 0 {
			p.Rungs = nil
		}
		for _, name := range o.rungs {
			p.Rungs = append(p.Rungs, reclaim.Rung(name))
		}
		if o.target != nil {
			p.Budget.Target = *o.target
		}
		plan, err := reclaim.Make(p)
		if err != nil {
			return err
		}
		if t := reclaim.Thrashing(p, &plan); t != nil {
			o.err.printf("stemma: %s\n", t)
		}
		var stored history.Entry
		if !o.dryRun && plan.Compaction != nil {
			if stored, err = appendCompaction(ctx, s, c, plan.Compaction); err != nil {
				return err
			}
		}
		return o.report(c, &p, &plan, stored)
	})
}

// report prints what was done. Where that is not enough, it is the error.
func (o *compactOptions) report(c history.Conversation, p *reclaim.Problem, plan *reclaim.Plan, stored history.Entry) error {
	if o.json {
		if err := o.printJSON(newCompactJSON(c, p, plan)); err != nil {
			return err
		}
	} else {
		o.print(p, plan, stored)
	}
	if !plan.Fits {
		return &doesNotFitError{plan.After, p.Budget.Limit()}
	}
	return nil
}

// checkFlags says whether the flags can be meant.
func (o *compactOptions) checkFlags() error {
	if o.target != nil && *o.target < 0 {
		return usagef("--target %d: expected a number of tokens, 0 or more", *o.target)
	}
	for _, name := range o.rungs {
		switch {
		case name == string(reclaim.Summary) && len(o.rungs) > 1:
			return usagef("rung summary: it stands for the whole middle, so it is named alone")
		case name == string(reclaim.Summary) && o.dryRun:
			return usagef("rung summary: --dry-run cannot say what a model will write")
		case name == string(reclaim.Summary) && o.frame.named():
			return usagef("rung summary: the frame is the conversation's own; only --model and --window go with it")
		case name == string(reclaim.Summary):
		case !slices.Contains(rungNames(), name):
			return usagef("rung %q: expected %s or summary", name, strings.Join(rungNames(), ", "))
		}
	}
	return nil
}

// appendCompaction stores a compaction at the tip.
func appendCompaction(ctx context.Context, s history.Store, c history.Conversation, compaction *history.Compaction) (history.Entry, error) {
	stored, err := s.Append(ctx, history.AppendRequest{
		Conversation: c.ID,
		Parent:       c.Tip,
		ExpectedTip:  c.Tip,
		Entries:      []history.Entry{{Compaction: compaction}},
	})
	if err != nil {
		return history.Entry{}, err
	}
	return stored[0], nil
}

type compactJSON struct {
	Conversation history.ID `json:"conversation"`
	Model        string     `json:"model"`
	Window       int        `json:"window"`
	Target       int        `json:"target"`
	Tokens       struct {
		Path   int `json:"path"`   // everything whole
		Before int `json:"before"` // the view as it stood
		After  int `json:"after"`
	} `json:"tokens"`
	Rungs      []stepJSON `json:"rungs"`
	Pages      int        `json:"pages"`
	ModelCalls int        `json:"model_calls"`
	Fits       bool       `json:"fits"`
}

// stepJSON is what a rung did, or would do.
type stepJSON struct {
	Rung         reclaim.Rung `json:"rung"`
	Applied      bool         `json:"applied"`
	Why          string       `json:"why"`
	Items        int          `json:"items"`
	TokensBefore int          `json:"tokens_before"`
	TokensAfter  int          `json:"tokens_after"`
}

func stepsJSON(steps []reclaim.Step) []stepJSON {
	j := []stepJSON{}
	for _, s := range steps {
		j = append(j, stepJSON{s.Rung, s.Applied, s.Why, s.Items, s.Before, s.After})
	}
	return j
}

func newCompactJSON(c history.Conversation, p *reclaim.Problem, plan *reclaim.Plan) compactJSON {
	j := compactJSON{Conversation: c.ID, Model: p.Frame.Model, Window: p.Budget.Window, Target: p.Budget.Target, Rungs: stepsJSON(plan.Steps), Fits: plan.Fits}
	for _, step := range plan.Steps {
		if step.Rung == reclaim.Summary {
			j.ModelCalls += step.Items
		}
	}
	j.Tokens.Path, j.Tokens.Before, j.Tokens.After = plan.Path, plan.Before, plan.After
	if plan.Compaction != nil {
		for _, t := range plan.Compaction.Treatments {
			if t.Pages != nil {
				j.Pages += len(t.Pages.Pages)
			}
		}
	}
	return j
}

func (o *compactOptions) print(p *reclaim.Problem, plan *reclaim.Plan, stored history.Entry) {
	o.printSteps(plan.Steps)
	if !o.out.terminal {
		return
	}
	sizes := "about " + words.Thousands(plan.Before) + " → " + words.Thousands(plan.After) + " tokens"
	switch {
	case plan.Compaction == nil && plan.Before <= p.Budget.Target:
		o.out.printf("nothing to do: the view has about %s tokens, the target is %s; --target asks for less\n", words.Thousands(plan.Before), words.Thousands(p.Budget.Target))
	case plan.Compaction == nil:
		o.out.printf("nothing to do: %s\n", plan.Why)
	case o.dryRun:
		o.out.printf("would make it %s\n", sizes)
	default:
		o.out.printf("%s, recorded as entry %d; to undo: stemma branch %s %d\n", sizes, stored.Depth, o.conversation, stored.Depth-1)
	}
}

// printSteps prints what each rung did, or would do.
func (a *app) printSteps(steps []reclaim.Step) {
	t := a.table(column{title: "RUNG"}, column{title: "ITEMS", right: true}, column{title: "BEFORE", right: true}, column{title: "AFTER", right: true}, column{title: "WHY", flexible: true})
	for _, s := range steps {
		look := faint
		if s.Applied {
			look = green
		}
		row := []cell{{value: string(s.Rung), style: bold}}
		if !a.out.terminal {
			row = append(row, cell{value: yesNo(s.Applied)})
		}
		t.row(append(row,
			number(s.Items),
			number(s.Before),
			cell{value: number(s.After).value, shown: words.Thousands(s.After), style: look},
			cell{value: s.Why, style: faint},
		)...)
	}
	t.print()
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
