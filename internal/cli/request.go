package cli

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/wires"
)

type requestOptions struct {
	*app
	windowOptions
	conversation string
	wire         string
	maxOutput    int
}

func newRequest(a *app) *cobra.Command {
	o := &requestOptions{app: a}
	c := &cobra.Command{
		Use:   "request CONV",
		Short: "Print the request a model would get",
		Long: `Print the exact body of the request that would continue a conversation: its path with the compactions applied, checked as the provider checks it. Where the path has outgrown the window, a compaction is planned as a run would plan it. Nothing is stored and nothing is sent.

The system prompt and the tools are those of the newest answer on the path. --system and --tools put others in their place; the tools may be in the form of any of the APIs, or the body of another request.

What cannot be sent as it stands is said on standard error.`,
		Example: `  stemma request @ --wire anthropic | wc -c
  stemma request @ --model claude-sonnet-4-5 --window 100000 > body.json
  stemma request @ --system prompt.txt --tools tools.json
  stemma request @ --wire openai-responses | jq '.input | length'`,
		RunE: func(c *cobra.Command, args []string) error {
			o.conversation = args[0]
			return o.run(c.Context())
		},
	}
	c.Flags().StringVar(&o.wire, "wire", "", "speak to the API `NAME`: anthropic, openai-chat, openai-responses or gemini (default: that of the model)")
	_ = c.RegisterFlagCompletionFunc("wire", cobra.FixedCompletions(wireNames(), cobra.ShellCompDirectiveNoFileComp)) // it exists
	o.windowOptions.flags(a, c)
	o.frame.flags(c)
	c.Flags().IntVar(&o.maxOutput, "max-output", 0, "at most `N` tokens of answer (default: 8192, or what the model can)")
	return c
}

func wireNames() []string {
	var names []string
	for _, w := range wires.All() {
		names = append(names, w.Name)
	}
	return names
}

func (o *requestOptions) run(ctx context.Context) error {
	if o.wire != "" {
		if _, err := wires.Named(o.wire); err != nil {
			return usageError{err}
		}
	}
	if o.maxOutput < 0 {
		return usagef("--max-output %d: expected a number of tokens, above 0", o.maxOutput)
	}
	return o.withConversation(ctx, o.conversation, func(s history.Store, c history.Conversation) error {
		request, err := o.request(ctx, s, c)
		if err != nil {
			return err
		}
		w, err := wires.Named(request.Frame.Wire)
		if err != nil {
			return err
		}
		body, err := w.Encode(request)
		if err != nil {
			return err
		}
		o.out.print(string(body.JSON))
		if o.out.terminal {
			o.out.print("\n")
		}
		for _, n := range body.Notes {
			o.err.printf("stemma: %v: %s\n", n.At, words.OneLine(n.What))
		}
		return nil
	})
}

// defaultOutput is enough for an answer of some pages, in tokens.
const defaultOutput = 8192

// request returns what would be asked of the model.
func (o *requestOptions) request(ctx context.Context, s history.Store, c history.Conversation) (wire.Request, error) {
	p, model, err := o.problem(ctx, o.app, s, c)
	switch {
	case err != nil:
		return wire.Request{}, err
	case p.Frame.Model == "":
		return wire.Request{}, usagef("the conversation does not say which model it is with; name one with --model")
	}
	p.Frame.Wire = cmp.Or(o.wire, model.Wire, p.Frame.Wire, wires.All()[0].Name)
	if p.Path, err = o.ready(p); err != nil {
		return wire.Request{}, err
	}
	draw, err := o.draw()
	if err != nil {
		return wire.Request{}, err
	}
	view, err := reclaim.View(p.Path, draw)
	if err != nil {
		return wire.Request{}, err
	}
	maxOutput := o.maxOutput
	if maxOutput == 0 {
		maxOutput = min(defaultOutput, cmp.Or(model.MaxOutput, defaultOutput))
	}
	return wire.Request{
		Frame:          p.Frame,
		View:           view,
		MaxOutput:      maxOutput,
		ChecksThinking: model.ChecksThinking,
		Blob:           func(h message.Hash) (message.Blob, error) { return s.Blob(ctx, h) },
	}, nil
}

// ready returns the path with the compaction that is due, if one is.
func (o *requestOptions) ready(p reclaim.Problem) ([]history.Entry, error) {
	path, plan, err := reclaim.Ready(p)
	switch {
	case err != nil || plan == nil:
		return path, err
	case !plan.Fits:
		return nil, &doesNotFitError{plan.After, p.Budget.Limit()}
	case plan.Compaction != nil:
		o.err.printf("stemma: the path has outgrown the window: a compaction is planned, from about %s to %s tokens\n", words.Thousands(plan.Before), words.Thousands(plan.After))
	}
	return path, nil
}
