// Package tui is the terminal app: a chat with a model, and the tree of the
// conversation. It holds no logic of its own: what it does are calls of public
// packages.
package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/agent"
	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/graphics"
	"github.com/stemma-history/stemma/internal/words"
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
	Open  func(ctx context.Context, c history.Conversation, permit Permit) (*agent.Run, agent.Resumed, error)
	Model func(name string) (agent.Model, error)
	// New stores an empty conversation.
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

// A Permit asks a person about a call.
type Permit = func(context.Context, tool.Tool, tool.Call) bool

// Run runs the app until the person leaves.
func Run(ctx context.Context, o Options, options ...tea.ProgramOption) (history.Conversation, error) {
	a := newApp(ctx, o)
	program := tea.NewProgram(a, append([]tea.ProgramOption{tea.WithContext(ctx)}, options...)...)
	a.send = program.Send
	_, err := program.Run()
	a.interrupt()
	a.idle.Wait()
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
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
	a := &app{ctx: ctx, Options: o, conversation: o.Conversation, markdown: &markdown{}, display: newDisplay(o.Images), always: map[string]bool{}, send: func(tea.Msg) {}}
	var commands []completion
	for _, c := range slashCommands {
		commands = append(commands, completion{"/" + c.name, c.about})
	}
	a.composer = newComposer(o.Conversation.Directory, commands)
	a.transcript = newTranscript(ctx, o.Store, o.Conversation, a.markdown, newAlbum(ctx, a.display), o.Draw)
	return a
}

// opened says that the conversation is open for a run, or why it is not.
type opened struct {
	conversation history.ID
	run          *agent.Run
	resumed      agent.Resumed
	err          error
}

type filesFound struct{ files []string }

func (a *app) Init() tea.Cmd {
	return tea.Batch(a.transcript.readNewest(), a.open(), tea.RequestBackgroundColor, a.display.ask(), func() tea.Msg {
		if a.Files == nil {
			return nil
		}
		return filesFound{a.Files(a.ctx)}
	})
}

func (a *app) open() tea.Cmd {
	c := a.conversation
	return func() tea.Msg {
		run, resumed, err := a.Open(a.ctx, c, a.permit)
		return opened{c.ID, run, resumed, err}
	}
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
		cmd := a.layOut()
		if a.screen != nil {
			cmd = tea.Batch(cmd, a.screen.Update(msg))
		}
		return a, cmd
	case tea.BackgroundColorMsg:
		a.markdown.light = !msg.IsDark()
		return a, nil
	case filesFound:
		a.composer.files = msg.files
		return a, nil
	case opened:
		return a, a.takeOpened(msg)
	case chunkRead:
		a.transcript.take(msg)
		if msg.fresh && msg.conversation == a.conversation.ID {
			a.composer.offerEarlier(promptsOf(msg.entries))
		}
		return a, a.transcript.fill()
	case worked:
		return a, a.takeWork(msg)
	case asked:
		a.asking = append(a.asking, msg)
		return a, a.layOut()
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
		return a.layOut()
	}
	switch key.String() {
	case "ctrl+c":
		switch {
		case a.working():
			a.interrupt()
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
		a.transcript.bottom()
		return nil
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
	a.transcript.bottom()
	if a.run == nil {
		a.composer.set(s.text)
		why := "the conversation is not open yet"
		if a.closed != nil {
			why = a.closed.Error()
		}
		a.transcript.notify("No model can be asked: " + why)
		return nil
	}
	if a.working() {
		run := a.run
		return func() tea.Msg {
			if _, err := run.Queue(a.ctx, s.parts...); err != nil {
				return printed{text: "The prompt could not be kept: " + err.Error()}
			}
			return printed{text: "Queued: " + ansi.Truncate(words.OneLine(s.text), 60, "…")}
		}
	}
	if at := a.editing; at != (history.ID{}) {
		a.editing = history.ID{}
		a.stale = true // the path goes on elsewhere
		a.transcript.cutBefore(at)
		return a.work(func(ctx context.Context) agent.Events { return a.run.Edit(ctx, at, s.parts...) })
	}
	return a.work(func(ctx context.Context) agent.Events { return a.run.Prompt(ctx, s.parts...) })
}

// takeOpened takes a run, or the reason why there is none.
func (a *app) takeOpened(o opened) tea.Cmd {
	if o.conversation != a.conversation.ID {
		return nil
	}
	if a.run, a.closed = o.run, o.err; o.err != nil {
		if welcome := a.Welcome; welcome != nil && a.conversation.Entries == 0 {
			a.Welcome = nil
			return func() tea.Msg { return printed{text: welcome(a.ctx)} }
		}
		return a.say("No model can be asked: " + o.err.Error())
	}
	if o.resumed.Trimmed > 0 {
		a.transcript.notify(fmt.Sprintf("This run is held to the newest messages: %s stand behind one line.", words.Count(o.resumed.Trimmed, "entry")))
	}
	a.tellDropped(o.resumed.Dropped)
	if len(o.resumed.Drafts) > 0 {
		a.transcript.notify("A run broke off in the middle of a turn. /retry goes on with what it had done; /retry discard leaves that out.")
	}
	a.measure()
	return nil
}

func (a *app) tellDropped(marks []history.Checkpoint) {
	if len(marks) == 0 {
		return
	}
	var names []string
	for _, m := range marks {
		names = append(names, m.Name)
	}
	a.transcript.notify("Checkpoints dropped from this run, since their place is not whole in the view: " + strings.Join(names, ", "))
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
	a.conversation, a.transcript.conversation = c, c
	run := a.run
	return tea.Batch(a.drop(), a.transcript.readNewest(), func() tea.Msg {
		if run == nil {
			return nil
		}
		if err := run.Reload(a.ctx); err != nil {
			return printed{text: err.Error()}
		}
		return nil
	})
}

// resume opens another conversation.
func (a *app) resume(c history.Conversation) tea.Cmd {
	a.interrupt()
	cmd := a.drop()
	a.conversation, a.run, a.closed = c, nil, nil
	a.transcript = newTranscript(a.ctx, a.Store, c, a.markdown, a.transcript.album, a.Draw)
	a.status = status{}
	return tea.Batch(cmd, a.layOut(), a.transcript.readNewest(), a.open())
}

// edit puts a prompt into the editor, to be run again as a sibling.
func (a *app) edit(e history.Entry) {
	a.editing = e.ID
	a.composer.set(e.Message.PlainText())
}

// layOut gives each part of the chat its size.
func (a *app) layOut() tea.Cmd {
	if a.width == 0 {
		return nil
	}
	below := strings.Count(a.viewBelow(), "\n") + 1
	return a.transcript.resize(a.width, max(a.height-below-2, 1))
}

func (a *app) View() tea.View {
	v := tea.NewView(a.view())
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = "stemma: " + words.OneLine(a.conversation.Title)
	return v
}

func (a *app) view() string {
	if a.width == 0 {
		return ""
	}
	if a.screen != nil {
		return a.screen.View()
	}
	lines := a.transcript.view(a.liveLines())
	lines = append(lines, faint.Render(strings.Repeat("─", a.width)))
	lines = append(lines, strings.Split(a.viewBelow(), "\n")...)
	lines = append(lines, a.viewStatus())
	if extra := len(lines) - a.height; extra > 0 {
		lines = lines[extra:]
	}
	return strings.Join(lines, "\n")
}

// liveLines are those of the turn under way.
func (a *app) liveLines() []string {
	if a.live == nil {
		return nil
	}
	lines := a.live.render(a.transcript)
	if a.waiting != "" {
		lines = append(lines, yellow.Render(ansi.Truncate("· "+a.waiting, max(a.width, 1), "…")))
	}
	if len(lines) == 0 {
		lines = []string{faint.Render("…")}
	}
	return lines
}

// viewBelow is what stands below the transcript: the editor, and a question
// above it.
func (a *app) viewBelow() string {
	if len(a.asking) > 0 {
		return a.viewAsked() + "\n" + a.composer.View(a.width)
	}
	return a.composer.View(a.width)
}

func (a *app) viewAsked() string {
	q := a.asking[0]
	about := tool.Subject(q.call)
	if about == "" {
		about = string(q.call.Arguments)
	}
	lines := wrap(emphasis.Render("Let the model use "+q.tool.Definition().Name+"? ")+words.OneLine(clip(about, 1000)), a.width)
	if len(lines) > 5 {
		lines = append(lines[:5], "…")
	}
	answers := "y yes · n no · a always in this session · esc interrupt"
	if a.composer.area.Value() != "" {
		answers = "send or clear what is typed, then y yes · n no · a always in this session"
	}
	return strings.Join(append(lines, faint.Render(ansi.Truncate(answers, a.width, "…"))), "\n")
}

// promptOf returns the last prompt of the path, as far as it is held.
func (a *app) promptOf() (history.Entry, bool) {
	for i := len(a.transcript.blocks) - 1; i >= 0; i-- {
		if b := a.transcript.blocks[i]; len(b.entries) > 0 {
			if e := b.entries[0]; e.Message != nil && e.Message.Role == message.User && e.Author() == message.ByPerson {
				return e, true
			}
		}
	}
	return history.Entry{}, false
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
