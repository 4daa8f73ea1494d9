package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/agent"
	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/graphics"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/provider/providers"
	"github.com/stemma-history/stemma/provider/providertest"
	"github.com/stemma-history/stemma/wire"
)

// A chat is the app without a terminal, a person who types into it, and a fake
// model. What the app does beside comes back as messages, one at a time.
type chat struct {
	*story
	app      *app
	fake     *providertest.Server
	tools    []tool.Tool
	messages chan tea.Msg
	pending  int           // commands whose message has not come
	left     bool          // the app was asked to end
	passed   time.Duration // by the clock of the app
	raw      []string      // what was written to the terminal as it is
	images   graphics.Terminal
	commands [][]string // that the app gave to the program
}

const modelName = "claude-sonnet-5"

// open opens the app on a story.
func (s *story) open(config providertest.Config, tools ...tool.Tool) *chat {
	s.Helper()
	c := &chat{story: s, fake: providertest.New(config), tools: tools, messages: make(chan tea.Msg, 1000)}
	server := httptest.NewServer(c.fake)
	s.Cleanup(server.Close)
	named := func(name string) (agent.Model, error) {
		known, _, ok := catalog.Default().Find(name)
		if !ok {
			return agent.Model{}, fmt.Errorf("model %s: not known", name)
		}
		p, err := providers.Named("anthropic", provider.Settings{BaseURL: server.URL, Key: func(context.Context) (string, error) { return "any", nil }})
		return agent.Model{Provider: p, Name: name, Known: known, Window: config.Window}, err
	}
	c.begin(Options{
		Open: func(ctx context.Context, conv history.Conversation, permit Permit) (Opened, error) {
			m, err := named(modelName)
			if err != nil {
				return Opened{}, err
			}
			run, resumed, err := agent.Open(ctx, agent.Config{
				Store: s.store, Conversation: conv.ID, Model: m, System: []string{"You are careful."}, Tools: c.tools, Permit: permit, Now: s.now,
				Rules:    []tool.Rule{{Tool: "*", Permission: tool.Ask}},
				Patience: provider.Retry{Sleep: func(context.Context, time.Duration) error { return nil }},
			})
			return Opened{Run: run, Resumed: resumed}, err
		},
		Model: named,
	})
	return c
}

// openWithoutModel opens the app of a person who has set up no model.
func (s *story) openWithoutModel() *chat { return s.openOn(graphics.Terminal{}) }

// openOn is openWithoutModel on a terminal that shows images so.
func (s *story) openOn(images graphics.Terminal) *chat {
	c := &chat{story: s, messages: make(chan tea.Msg, 1000), images: images}
	c.begin(Options{
		Open: func(context.Context, history.Conversation, Permit) (Opened, error) {
			return Opened{}, fmt.Errorf("no model is chosen")
		},
		Model:   func(name string) (agent.Model, error) { return agent.Model{}, fmt.Errorf("model %s: no key", name) },
		Welcome: func(context.Context) string { return "Welcome, stranger." },
	})
	return c
}

func (s *story) now() time.Time { return s.clock }

func (c *chat) begin(o Options) {
	c.Helper()
	o.Images = c.images
	o.Store, o.Conversation, o.Now, o.Models = c.store, c.conversation(), func() time.Time { return c.clock.Add(c.passed) }, []string{modelName, "claude-haiku-5-5"}
	o.Command = func(_ context.Context, _ int, args ...string) (string, error) {
		c.commands = append(c.commands, args)
		return "printed by " + args[0], nil
	}
	o.New = func(ctx context.Context) (history.Conversation, error) {
		made := history.Conversation{ID: history.NewID(), Created: c.clock}
		return made, c.store.Create(ctx, made)
	}
	ctx, cancel := context.WithCancel(context.Background())
	c.app = newApp(ctx, o)
	c.app.display.later = func(tea.Msg) tea.Cmd { return nil } // tests say when it is time
	c.app.after = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	c.app.send = func(m tea.Msg) { c.messages <- m }
	c.Cleanup(func() {
		c.app.interrupt()
		cancel()
		c.app.idle.Wait()
	})
	c.do(c.app.Init())
	c.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	c.settle()
}

func (c *chat) send(msg tea.Msg) {
	_, cmd := c.app.Update(msg)
	c.do(cmd)
}

// do starts a command.
func (c *chat) do(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	c.pending++
	go func() { c.messages <- finished{cmd()} }()
}

// doInOrder starts commands, each when the one before has ended.
func (c *chat) doInOrder(cmds []tea.Cmd) {
	c.pending++
	go func() {
		for _, cmd := range cmds {
			if cmd != nil {
				c.messages <- cmd()
			}
		}
		c.messages <- finished{nil}
	}()
}

// sequence returns the commands of a tea.Sequence, nil for any other message.
func sequence(msg tea.Msg) []tea.Cmd {
	v := reflect.ValueOf(msg)
	if v.Kind() != reflect.Slice || !v.CanConvert(reflect.TypeFor[[]tea.Cmd]()) {
		return nil
	}
	return v.Convert(reflect.TypeFor[[]tea.Cmd]()).Interface().([]tea.Cmd)
}

// finished is what came of a command.
type finished struct{ msg tea.Msg }

// take hands the next message to the app.
func (c *chat) take() {
	c.Helper()
	select {
	case <-time.After(20 * time.Second):
		c.Fatalf("nothing happens any more:\n%s", c.screen())
	case msg := <-c.messages:
		if done, ok := msg.(finished); ok {
			c.pending--
			msg = done.msg
		}
		switch m := msg.(type) {
		case nil:
		case tea.QuitMsg:
			c.left = true
		case tea.RawMsg:
			c.raw = append(c.raw, fmt.Sprint(m.Msg))
		case tea.BatchMsg:
			for _, cmd := range m {
				c.do(cmd)
			}
		default:
			if cmds := sequence(msg); cmds != nil {
				c.doInOrder(cmds)
				return
			}
			if reflect.TypeOf(msg).PkgPath() == reflect.TypeOf(c.app).Elem().PkgPath() {
				c.send(msg) // others are for the terminal
			}
		}
	}
}

// until runs the app until something is so.
func (c *chat) until(so func() bool) {
	c.Helper()
	for !so() {
		c.take()
	}
}

// shows runs the app until words stand on the screen.
func (c *chat) shows(words string) {
	c.Helper()
	c.until(func() bool { return strings.Contains(c.screen(), words) })
}

// settle runs the app until it rests.
func (c *chat) settle() {
	c.Helper()
	c.until(func() bool { return c.pending == 0 && len(c.messages) == 0 })
}

// screen is what the person sees. Each screen has to fit.
func (c *chat) screen() string {
	c.Helper()
	shown := c.app.view()
	if c.app.width == 0 {
		return shown
	}
	lines := strings.Split(shown, "\n")
	if len(lines) != c.app.height && c.app.screen == nil {
		c.Errorf("the screen has %d lines of %d", len(lines), c.app.height)
	}
	for _, line := range lines {
		if w := ansi.StringWidth(line); w > c.app.width {
			c.Errorf("a line is %d wide: %q", w, ansi.Strip(line))
		}
	}
	return ansi.Strip(shown)
}

// press presses keys without hurry.
func (c *chat) press(keys ...string) {
	for _, k := range keys {
		c.pause()
		c.send(keyPress(k))
	}
}

// pause lets a moment pass.
func (c *chat) pause() { c.passed += questionTime }

// types types a text and sends it.
func (c *chat) types(text string) {
	c.Helper()
	c.app.composer.set(text)
	c.press("enter")
}

// says types a text, and waits until all that comes of it is done.
func (c *chat) says(text string) {
	c.Helper()
	c.types(text)
	c.settle()
}

// path is who said what on the path.
func (c *chat) path() []string {
	c.Helper()
	var said []string
	for e, err := range c.store.Path(c.Context(), history.PathQuery{Conversation: c.app.conversation.ID}) {
		switch {
		case err != nil:
			c.Fatal(err)
		case e.Compaction != nil:
			said = append(said, "compaction")
		default:
			text := e.Message.PlainText()
			e.Message.Results(func(_ int, r toolResult) bool {
				text += string(r.Outcome) + r.PlainText()
				return true
			})
			said = append(said, fmt.Sprintf("%s: %s", e.Message.Role, text))
		}
	}
	return said
}

// A bell is a tool that a test listens to.
type bell struct {
	started chan struct{} // closed by the first call, which then waits to be interrupted; nil: no call waits
}

func (b *bell) Definition() wire.Tool {
	return wire.Tool{Name: "ring", Description: "Rings a bell.", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}
}
func (b *bell) ReadOnly() bool { return false }
func (b *bell) Run(ctx context.Context, _ tool.Call) tool.Result {
	if b.started != nil {
		close(b.started)
		b.started = nil
		<-ctx.Done()
		return tool.Fail("stopped")
	}
	return tool.Text("dong")
}

var _ testing.TB = (*chat)(nil)
