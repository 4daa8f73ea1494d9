// Package tui is the terminal app: a chat with a model, and the tree of the
// conversation. It holds no logic of its own: what it does are calls of public
// packages.
package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stemma-history/stemma/agent"
	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/graphics"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/reclaim"
)

// Options are what the app works with.
type Options struct {
	Store        history.Store
	Conversation history.Conversation
	Now          func() time.Time

	// Open opens a conversation for a run, and Model finds another model for
	// it. The error of Open says why no model can be asked; everything else
	// works without one.
	Open  func(ctx context.Context, c history.Conversation, permit Permit) (Opened, error)
	Model func(name string) (agent.Model, error)
	// New begins an empty conversation.
	New func(ctx context.Context) (history.Conversation, error)
	// Command runs a command of the program and returns what it prints, laid
	// out for a width.
	Command func(ctx context.Context, width int, args ...string) (string, error)
	// Models are the names that /model offers, and Files those that @ does.
	Models []string
	Files  func(ctx context.Context) []string
	// Images is how the terminal shows images, as far as its environment says.
	// Default: it does not.
	Images graphics.Terminal
	// Draw makes the images of pages. Default: [reclaim.DrawPage].
	Draw reclaim.Draw
	// Welcome returns what is said, once, in an empty conversation without a model.
	Welcome func(context.Context) string
}

// Opened is a conversation that is open for a run.
type Opened struct {
	Run     *agent.Run
	Resumed agent.Resumed
	// Notices say what could not be had, such as the tools of a server.
	Notices []string
}

// A Permit asks a person about a call.
type Permit = func(context.Context, tool.Tool, tool.Call) bool

// Run runs the app until the person leaves.
func Run(ctx context.Context, o Options, options ...tea.ProgramOption) (history.Conversation, error) {
	inside, cancel := context.WithCancel(ctx)
	defer cancel()
	a := newApp(inside, o)
	program := tea.NewProgram(&guarded{Model: a, guard: a.guard}, append([]tea.ProgramOption{tea.WithContext(ctx)}, options...)...)
	a.send, a.guard.quit = program.Send, program.Quit
	_, err := program.Run()
	cancel()
	a.interrupt()
	a.guard.end()
	a.idle.Wait()
	switch {
	case a.guard.failed() != nil:
		err = a.guard.failed()
	case errors.Is(err, tea.ErrInterrupted) || errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil:
		err = ctx.Err()
	}
	return a.conversation, err
}

// A screen is what stands in the place of the chat.
type screen interface {
	Init() tea.Cmd
	Update(tea.Msg) tea.Cmd
	View() string
}

func newApp(ctx context.Context, o Options) *app {
	if o.Draw == nil {
		o.Draw = reclaim.DrawPage
	}
	if o.Images.Protocol == "" {
		o.Images.Protocol = graphics.Off
	}
	a := &app{
		Options: o, ctx: ctx, conversation: o.Conversation,
		markdown: &markdown{}, display: newDisplay(ctx, o.Images), guard: &guard{quit: func() {}}, always: map[string]bool{},
		send:  func(tea.Msg) {},
		after: func(d time.Duration, msg tea.Msg) tea.Cmd { return after(ctx, d, msg) },
	}
	var commands []completion
	for _, c := range slashCommands {
		commands = append(commands, completion{"/" + c.name, c.about})
	}
	a.composer = newComposer(o.Conversation.Directory, commands)
	a.transcript = newTranscript(ctx, o.Store, o.Conversation, a.markdown, newAlbum(ctx, a.display), o.Draw)
	return a
}

func (a *app) Init() tea.Cmd {
	return tea.Batch(a.transcript.readNewest(), tea.RequestBackgroundColor, a.display.ask())
}

func (a *app) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	pictures := a.takePicture(msg)
	model, cmd := a.update(msg)
	return model, tea.Batch(pictures, cmd, a.loadPictures())
}

func (a *app) update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.width, a.height = msg.Width, msg.Height
		a.composer.resize(msg.Height)
		cmd := a.layOut()
		if a.screen != nil {
			cmd = tea.Batch(cmd, a.screen.Update(msg))
		}
		return a, cmd
	case tea.BackgroundColorMsg:
		if a.markdown.take(msg.IsDark()) {
			return a, a.transcript.layAnew()
		}
		return a, nil
	case filesFound:
		a.composer.files = msg.files
		return a, nil
	case opened:
		return a, a.takeOpened(msg)
	case chunkRead:
		return a, a.takeRead(msg)
	case worked:
		return a, a.takeWork(msg)
	case asked:
		return a, a.takeAsked(msg)
	case answersTaken:
		return a, nil // to be drawn
	case queued:
		return a, a.takeQueued(msg)
	case printed:
		a.transcript.notify(msg.text)
		return a, msg.after
	case leaveTree, leaveComparison:
		return a, a.leave()
	case picked:
		if msg.conversation.ID == (history.ID{}) {
			return a, a.leave()
		}
		return a, a.resume(msg.conversation)
	case tipMoved:
		return a, tea.Batch(a.leave(), a.moved(msg.conversation))
	case editPrompt:
		a.edit(msg.entry)
		return a, a.leave()
	case conversationForked:
		a.transcript.notify(fmt.Sprintf("Forked: /resume opens the copy, %s.", msg.conversation.ID))
		return a, a.leave()
	case compareBranches:
		return a, a.show(newComparison(a.ctx, a.Store, a.conversation, msg.a, msg.b))
	}
	if a.screen != nil {
		return a, a.screen.Update(msg)
	}
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		if msg.Button == tea.MouseWheelUp {
			return a, a.transcript.scroll(-3)
		}
		return a, a.transcript.scroll(3)
	case tea.KeyPressMsg:
		return a, a.press(msg)
	case tea.PasteMsg:
		return a, a.compose(msg)
	}
	return a, nil
}

// press handles a key of the chat.
func (a *app) press(key tea.KeyPressMsg) tea.Cmd {
	if len(a.asking) > 0 && a.answerAsked(key.String()) {
		return tea.Batch(a.layOut(), a.hush())
	}
	switch key.String() {
	case "ctrl+c":
		switch {
		case a.working():
			a.interrupt()
		case len(a.held) > 0:
			return a.takeBack()
		case a.composer.area.Value() != "":
			a.composer.set("")
		default:
			return a.quit()
		}
		return nil
	case "ctrl+d":
		if a.composer.area.Value() == "" && !a.working() {
			return a.quit()
		}
	case "esc":
		if len(a.composer.offered) == 0 {
			if len(a.held) > 0 {
				return a.takeBack()
			}
			if a.editing != (history.ID{}) {
				a.editing = history.ID{}
				a.composer.set("")
				return nil
			}
			a.interrupt()
			return nil
		}
	case "ctrl+l":
		return tea.ClearScreen
	case "pgup":
		return a.transcript.scroll(-a.transcript.height + 2)
	case "pgdown":
		return a.transcript.scroll(a.transcript.height - 2)
	case "ctrl+home":
		return a.transcript.top()
	case "ctrl+end":
		return a.transcript.end()
	case "ctrl+o":
		a.transcript.toggle()
		return nil
	case "ctrl+t":
		return a.tree(nil)
	case "ctrl+g":
		return a.images(nil)
	}
	return a.compose(key)
}

// compose gives a key or a paste to the editor, and does what was sent.
func (a *app) compose(msg tea.Msg) tea.Cmd {
	before := a.composer.area.Height() + len(a.composer.offered)
	sent, cmd := a.composer.Update(msg)
	cmd = tea.Batch(cmd, a.hush())
	if sent != nil {
		cmd = tea.Batch(cmd, a.submit(sent))
	}
	if a.composer.area.Height()+len(a.composer.offered) != before || sent != nil {
		cmd = tea.Batch(cmd, a.layOut())
	}
	return cmd
}

// submit runs a command, or says a prompt.
func (a *app) submit(s *submitted) tea.Cmd {
	if name, args, ok := slash(s.text); ok {
		return a.command(name, args)
	}
	switch {
	case a.opening():
		a.held = append(a.held, s)
		return a.transcript.end()
	case a.run == nil:
		a.composer.restore(s)
		a.transcript.notify(a.whyNot())
		return a.transcript.end()
	case a.working():
		run := a.run
		return tea.Batch(a.transcript.end(), func() tea.Msg {
			if _, err := run.Queue(a.ctx, s.parts...); err != nil {
				return printed{text: "The prompt could not be kept: " + err.Error()}
			}
			return queued{s.text}
		})
	}
	if at := a.editing; at != (history.ID{}) {
		a.editing = history.ID{}
		a.stale = true // the path goes on elsewhere
		a.transcript.cutBefore(at)
		return a.work(func(ctx context.Context) agent.Events { return a.run.Edit(ctx, at, s.parts...) })
	}
	return a.work(func(ctx context.Context) agent.Events { return a.run.Prompt(ctx, s.parts...) })
}

// show puts a screen in the place of the chat.
func (a *app) show(s screen) tea.Cmd {
	a.screens = append(a.screens, s)
	a.screen = s
	return tea.Batch(s.Init(), s.Update(tea.WindowSizeMsg{Width: a.width, Height: a.height}))
}

// leave goes back to what was there before the screen.
func (a *app) leave() tea.Cmd {
	if len(a.screens) == 0 {
		return nil
	}
	last := len(a.screens) - 1
	cmd := closed(a.screens[last])
	a.screens = a.screens[:last]
	if a.screen = nil; last > 0 {
		a.screen = a.screens[last-1]
		return tea.Batch(cmd, a.screen.Update(tea.WindowSizeMsg{Width: a.width, Height: a.height}))
	}
	return tea.Batch(cmd, a.layOut())
}

// moved goes on from where the tip stands now.
func (a *app) moved(c history.Conversation) tea.Cmd {
	if a.working() {
		a.stale = true // once it is done
		return nil
	}
	a.conversation, a.transcript.conversation = c, c
	cmds := []tea.Cmd{a.drop(), a.transcript.readNewest()}
	if run := a.run; run != nil {
		a.status.billed = false
		cmds = append(cmds, a.work(func(ctx context.Context) agent.Events {
			return func(yield func(agent.Event, error) bool) {
				if err := run.Reload(ctx); err != nil {
					yield(nil, err)
				}
			}
		}))
	}
	return tea.Batch(cmds...)
}

// resume opens another conversation.
func (a *app) resume(c history.Conversation) tea.Cmd {
	a.interrupt()
	a.rest()
	a.stopOpening()
	cmds := []tea.Cmd{a.takeBack(), a.drop()}
	a.conversation, a.run, a.closed = c, nil, nil
	a.editing, a.stale, a.typed = history.ID{}, false, false
	a.transcript = newTranscript(a.ctx, a.Store, c, a.markdown, a.transcript.album, a.Draw)
	a.status = status{}
	return tea.Batch(append(cmds, a.layOut(), a.transcript.readNewest())...)
}

// edit puts a prompt into the editor, to be run again as a sibling.
func (a *app) edit(e history.Entry) {
	a.editing = e.ID
	a.composer.set(e.Message.PlainText())
}

// lastPrompt finds the last prompt of the path, however far above it stands.
func (a *app) lastPrompt() tea.Cmd {
	c := a.conversation
	return func() tea.Msg {
		for newest := 50; ; newest *= 10 {
			entries, err := history.Collect(a.Store.Path(a.ctx, history.PathQuery{Conversation: c.ID, Tip: c.Tip, Newest: newest}))
			if err != nil {
				return printed{text: err.Error()}
			}
			for _, e := range slices.Backward(entries) {
				if e.Message != nil && e.Message.Role == message.User && e.Author() == message.ByPerson {
					return editPrompt{e}
				}
			}
			if len(entries) < newest {
				return printed{text: "There is no prompt to edit."}
			}
		}
	}
}

// promptsOf returns what people said, the oldest first.
func promptsOf(entries []history.Entry) []string {
	var texts []string
	for i := range entries {
		if e := &entries[i]; e.Message != nil && e.Author() == message.ByPerson {
			if text := e.Message.PlainText(); text != "" {
				texts = append(texts, text)
			}
		}
	}
	return texts
}
