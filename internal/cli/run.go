package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/agent"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

type runOptions struct {
	agentOptions
	conversation string
	prompt       string
	json         bool
}

func newRun(a *app) *cobra.Command {
	o := &runOptions{agentOptions: agentOptions{app: a}}
	c := &cobra.Command{
		Use:   "run [CONV]",
		Short: "Let a model work on a prompt",
		Long: `Let a model work on a prompt until it is done, with tools to read, write and edit files, run commands, search and fetch. Without CONV the conversation is new. Each turn is saved when it ends; Ctrl-C interrupts, and keeps what is done. When the conversation outgrows the window, room is made, and the run goes on.

The text of the answers goes to standard output, everything else to standard error. Without --prompt, the prompt is read from standard input; with both, what is piped in stands below it. With --json each event is an object on a line.

Calls that only read run without asking. About others the person is asked on a terminal; elsewhere they are denied, unless --allow or the settings allow them.`,
		Example: `  stemma run -p "What does this program do?"
  stemma run -p "Mend the failing test" --allow write --allow edit --allow 'bash(go test)'
  git diff | stemma run -p "Review this change" --model claude-opus-5-5
  stemma run @ -p "And now the documentation"`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.conversation = args[0]
			}
			return o.run(c.Context())
		},
	}
	c.Flags().StringVarP(&o.prompt, "prompt", "p", "", "what the model is to do, as `TEXT`")
	o.flags(c)
	jsonFlag(c, &o.json)
	return c
}

func (o *runOptions) run(ctx context.Context) error {
	prompt, err := o.readPrompt(ctx)
	if err != nil {
		return err
	}
	return o.withNewStore(ctx, func(s history.Store) error {
		c, err := o.find(ctx, s, prompt)
		if err != nil {
			return err
		}
		return o.withRun(ctx, s, c, func(run *agent.Run, resumed agent.Resumed) error {
			show := newRunView(o.app, o.json)
			show.begin(c, resumed)
			return show.events(run.Prompt(ctx, message.Text{Text: prompt}))
		})
	})
}

// find returns the conversation that is named, or a new one.
func (o *runOptions) find(ctx context.Context, s history.Store, prompt string) (history.Conversation, error) {
	if o.conversation == "" {
		if err := o.checkModel(); err != nil {
			return history.Conversation{}, err // before there is a conversation without a word
		}
		return o.newConversation(ctx, s, prompt)
	}
	return findConversation(ctx, s, o.conversation)
}

// readPrompt is the prompt of the flag, with what is piped in below it.
func (o *runOptions) readPrompt(ctx context.Context) (string, error) {
	text := o.prompt
	if file, ok := o.in.(*os.File); !ok || !isTerminal(file) && isPiped(file) {
		piped, err := o.readAll(ctx)
		if err != nil {
			return "", err
		}
		text = strings.TrimSpace(text + "\n\n" + piped)
	}
	if strings.TrimSpace(text) == "" {
		return "", usagef("the prompt is empty: name it with --prompt, or pipe it in")
	}
	return text, nil
}

// isPiped reports whether a file is a pipe or has content: a program that is
// started without input must not wait for any.
func isPiped(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && (info.Mode()&os.ModeNamedPipe != 0 || info.Mode().IsRegular())
}

// titleOf is the title of a conversation that begins with a prompt.
func titleOf(prompt string) string {
	m := message.Prompt(prompt)
	return history.TitleOf(&m)
}

type retryOptions struct {
	agentOptions
	conversation   string
	again, discard bool
	json           bool
}

func newRetry(a *app) *cobra.Command {
	o := &retryOptions{agentOptions: agentOptions{app: a}}
	c := &cobra.Command{
		Use:   "retry [CONV]",
		Short: "Go on where a run failed or broke off",
		Long: `Look at the stored path and go on where a run failed, was interrupted or broke off: a prompt or results without an answer are sent again. Where the path ends in a finished answer, or is empty, there is nothing to retry; --again answers the last prompt anew, and keeps the answer that is there. What cannot be read is not loaded, and nothing is said of it. The answers are the same after a restart: only what is stored counts.

Where a run broke off while tools worked, its turn is closed first: calls that were done keep their results, and of those that had begun the model is told that nobody knows. --discard leaves such a turn out.

CONV is @ by default.`,
		Example: `  stemma retry
  stemma retry @ --again --model claude-opus-5-5   # another model's answer, as a sibling`,
		RunE: func(c *cobra.Command, args []string) error {
			o.conversation = latest
			if len(args) > 0 {
				o.conversation = args[0]
			}
			return o.run(c.Context())
		},
	}
	c.Flags().BoolVar(&o.again, "again", false, "answer the last prompt anew, beside the answer that is there")
	c.Flags().BoolVar(&o.discard, "discard", false, "leave out the turn of a run that broke off")
	o.flags(c)
	jsonFlag(c, &o.json)
	return c
}

// run says of what cannot be read that it is not loaded: nobody knows whether
// there is something to retry then.
func (o *retryOptions) run(ctx context.Context) error {
	loaded := false
	err := o.withConversation(ctx, o.conversation, func(s history.Store, c history.Conversation) error {
		loaded = true
		return o.withRun(ctx, s, c, func(run *agent.Run, resumed agent.Resumed) error {
			show := newRunView(o.app, o.json)
			show.begin(c, resumed)
			err := show.events(run.Retry(ctx, agent.Retry{Again: o.again, Discard: o.discard}))
			if errors.Is(err, agent.ErrNothingToRetry) && len(run.Path()) > 0 {
				return fmt.Errorf("%w; --again answers the last prompt anew", err)
			}
			return err
		})
	})
	if err != nil && !loaded {
		return &agent.LoadError{Err: err}
	}
	return err
}
