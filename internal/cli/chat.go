package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/agent"
	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/graphics"
	"github.com/stemma-history/stemma/internal/tui"
	"github.com/stemma-history/stemma/message"
)

type chatOptions struct {
	agentOptions
	conversation string
	plain        bool
}

func newChat(a *app) *cobra.Command {
	o := &chatOptions{agentOptions: agentOptions{app: a}}
	c := &cobra.Command{
		Use:   "chat [CONV]",
		Short: "Talk to a model, and move about in the tree",
		Long: `Open the terminal app on a conversation, or on a new one. / lists its commands: /tree to move about in the whole conversation, /context for what fills the window, /compact and /shake to make room, /edit to run a prompt again in another way.

With --plain, on a dumb terminal, or off one, prompts are read line by line and answers printed as text, for screen readers and for pipes.`,
		Example: `  stemma chat
  stemma chat @                        # the conversation updated last
  stemma chat @ --model gemini-4-argon`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.conversation = args[0]
			}
			return o.run(c.Context())
		},
	}
	c.Flags().BoolVar(&o.plain, "plain", false, "read and print lines of plain text")
	o.imagesFlagOf(c)
	o.flags(c)
	return c
}

func (o *chatOptions) run(ctx context.Context) error {
	return o.withNewStore(ctx, func(stored history.Store) error {
		s := newUnsaidStore(stored)
		o.opened = s // for the commands that are given inside
		c, err := o.find(ctx, s)
		if err != nil {
			return err
		}
		settings, err := o.settings()
		if err != nil {
			return err
		}
		file, isFile := o.in.(*os.File)
		if o.plain || settings.Plain || os.Getenv("TERM") == "dumb" || !o.out.terminal || !isFile || !isTerminal(file) {
			return o.lines(ctx, s, c)
		}
		last, err := o.screen(ctx, s, c)
		return errors.Join(err, o.tellResume(ctx, s, last))
	})
}

func (o *chatOptions) find(ctx context.Context, s history.Store) (history.Conversation, error) {
	if o.conversation == "" {
		return o.newConversation(ctx, s, "")
	}
	return findConversation(ctx, s, o.conversation)
}

// tellResume says how to come back to a conversation that something was said in.
func (o *chatOptions) tellResume(ctx context.Context, s history.Store, c history.Conversation) error {
	now, err := s.Conversation(context.WithoutCancel(ctx), c.ID)
	if err == nil && now.Entries > 0 {
		o.out.printf("stemma chat %v resumes this conversation\n", now.ID)
	}
	return err
}

// screen runs the terminal app, and returns the conversation that was open last.
func (o *chatOptions) screen(ctx context.Context, s history.Store, c history.Conversation) (history.Conversation, error) {
	settings, err := o.settings()
	if err != nil {
		return c, err
	}
	models, err := o.catalog()
	if err != nil {
		return c, err
	}
	var names []string
	for _, m := range models.Models() {
		names = append(names, m.ID)
	}
	draw, err := o.draw()
	if err != nil {
		return c, err
	}
	var closers closers
	defer closers.close()
	return tui.Run(ctx, tui.Options{
		Store: s, Conversation: c, Now: o.now, Models: names, Welcome: o.welcome,
		Images: graphics.Of(settings.Images, os.Getenv), Draw: draw,
		Open: func(ctx context.Context, c history.Conversation, permit tui.Permit) (tui.Opened, error) {
			var found tui.Opened
			if err := o.checkKey(settings, c); err != nil {
				return found, err
			}
			options := o.agentOptions
			options.missing = func(err error) { found.Notices = append(found.Notices, err.Error()) }
			run, resumed, closeRun, err := options.openRun(ctx, s, c, permit)
			if err == nil {
				closers.add(closeRun)
			}
			found.Run, found.Resumed = run, resumed
			return found, err
		},
		Model: func(name string) (agent.Model, error) {
			o.model = name
			return o.reach(settings, name)
		},
		New:     func(ctx context.Context) (history.Conversation, error) { return o.newConversation(ctx, s, "") },
		Command: o.capture,
		Files: func(ctx context.Context) []string {
			directory, err := o.directory(c)
			if err != nil {
				return nil
			}
			w, err := tool.OpenWorkspace(directory)
			if err != nil {
				return nil
			}
			defer func() { _ = w.Close() }() // it was only read
			files, _ := w.Files(ctx)
			return files
		},
	})
}

// closers close what runs have opened. They may be opened at the same time.
type closers struct {
	lock sync.Mutex
	all  []func()
}

func (c *closers) add(f func()) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.all = append(c.all, f)
}

func (c *closers) close() {
	for _, f := range c.all {
		f()
	}
}

// capture runs a command of this program and returns what it prints, laid out
// for a width.
func (o *chatOptions) capture(ctx context.Context, width int, args ...string) (string, error) {
	var out, failed bytes.Buffer
	sub := newApp(strings.NewReader(""), &out, &failed)
	sub.storeFlag, sub.opened = o.storeFlag, o.opened
	sub.out.layOutFor(strconv.Itoa(width))
	root := newRoot(sub)
	if o.storeFlag != "" {
		args = append(args, "--store", o.storeFlag)
	}
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	_ = sub.out.Flush() // into memory
	_ = sub.err.Flush()
	return out.String() + failed.String(), err
}

// lines is the app for those who read lines.
func (o *chatOptions) lines(ctx context.Context, s history.Store, c history.Conversation) error {
	run, resumed, closeRun, err := o.openRun(ctx, s, c, o.askPermission)
	if err != nil {
		return err
	}
	defer closeRun()
	view := newRunView(o.app, false)
	view.begin(c, resumed)
	in := bufio.NewReader(o.in)
	for {
		if o.err.terminal {
			o.err.printf("> ")
			_ = o.err.Flush()
		}
		line, err := untilDone(ctx, func() (string, error) { return in.ReadString('\n') })
		text := strings.TrimSpace(line)
		switch {
		case text == "/quit":
			return nil
		case strings.HasPrefix(text, "/"):
			o.line(ctx, run, view, c, text)
		case text != "":
			view.say(view.events(run.Prompt(ctx, message.Text{Text: text})))
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// line runs a command of the plain app: some of the run's own, and all of the
// program's that take a conversation.
func (o *chatOptions) line(ctx context.Context, run *agent.Run, view *runView, c history.Conversation, text string) {
	fields := strings.Fields(text[1:])
	switch {
	case len(fields) == 0 || fields[0] == "help":
		o.out.print("/compact /shake /retry [again] /context /tree /show /diff A B /checkpoint NAME /recall HANDLE /pin ENTRY /export … /quit\n")
	case fields[0] == "compact" || fields[0] == "shake":
		view.say(view.events(run.Compact(ctx, agent.CompactRequest{})))
	case fields[0] == "retry":
		view.say(view.events(run.Retry(ctx, agent.Retry{Again: len(fields) > 1 && fields[1] == "again"})))
	default:
		text, err := o.capture(ctx, o.out.width, append([]string{fields[0], c.ID.String()}, fields[1:]...)...)
		o.out.print(text)
		view.say(err)
	}
	_ = o.out.Flush() // the next prompt comes below
}

// say tells of an error that does not end the app.
func (v *runView) say(err error) {
	if err != nil {
		v.aside(red, fmt.Sprint(err))
	}
}
