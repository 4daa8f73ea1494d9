package tui

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/provider/providertest"
)

// A paper is a terminal that keeps all that is written to it.
type paper struct {
	lock    sync.Mutex
	written bytes.Buffer
}

func (p *paper) Write(data []byte) (int, error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.written.Write(data)
}

func (p *paper) String() string {
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.written.String()
}

// faulty panics in one place.
type faulty struct {
	at   string
	keys int
}

func (f *faulty) fail(at string) {
	if f.at == at {
		panic("out of ink")
	}
}

func (f *faulty) Init() tea.Cmd {
	f.fail("init")
	return nil
}

func (f *faulty) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(tea.KeyPressMsg); !ok {
		return f, nil
	}
	f.keys++
	f.fail("update")
	fails := func() tea.Msg {
		f.fail("command")
		return nil
	}
	rests := func() tea.Msg { return nil }
	return f, tea.Batch(rests, func() tea.Msg {
		return tea.Batch(rests, fails)()
	})
}

func (f *faulty) View() tea.View {
	if f.keys > 0 {
		f.fail("view")
	}
	v := tea.NewView("all is well")
	v.AltScreen = true
	return v
}

// onPaper are the options of a program that a person types keys into.
func onPaper(t *testing.T, keys string) (*paper, []tea.ProgramOption) {
	in, typed := io.Pipe()
	go func() { _, _ = io.WriteString(typed, keys) }() // it ends with the pipe
	t.Cleanup(func() { _ = in.Close() })
	p := &paper{}
	return p, []tea.ProgramOption{tea.WithInput(in), tea.WithOutput(p), tea.WithWindowSize(80, 24), tea.WithoutSignalHandler(), tea.WithEnvironment([]string{"TERM=xterm-256color"})}
}

const leavesScreen = "\x1b[?1049l"

func TestAFaultEndsTheProgramInOrder(t *testing.T) {
	for _, at := range []string{"init", "update", "view", "command"} {
		t.Run(at, func(t *testing.T) {
			screen, options := onPaper(t, "x")
			g := &guard{}
			program := tea.NewProgram(&guarded{Model: &faulty{at: at}, guard: g}, options...)
			g.quit = program.Quit
			_, err := program.Run()
			g.end()
			var fault *PanicError
			if err != nil || !errors.As(g.failed(), &fault) || fault.Value != "out of ink" || !bytes.Contains(fault.Stack, []byte("guard_test.go")) {
				t.Errorf("the program ended with %v, and the fault is %v", err, g.failed())
			}
			if out := screen.String(); strings.Contains(out, "\x1b[?1049h") && !strings.Contains(out, leavesScreen) || strings.Contains(out, "out of ink") {
				t.Errorf("the screen is not as it was: %q", out)
			}
		})
	}
}

// A storeWithout is a store that breaks where it is to keep something.
type storeWithout struct{ history.Store }

func (storeWithout) Append(context.Context, history.AppendRequest) ([]history.Entry, error) {
	panic("out of paper")
}

func TestAFaultOfARunRestoresTheTerminal(t *testing.T) {
	s := newStory(t)
	s.store = storeWithout{s.store}
	options := s.open(providertest.Config{}).app.Options
	screen, program := onPaper(t, "Hello.\r")
	_, err := Run(t.Context(), options, program...)
	var fault *PanicError
	if !errors.As(err, &fault) || fault.Value != "out of paper" || !strings.Contains(err.Error(), "guard_test.go") {
		t.Errorf("the app ended with %v", err)
	}
	if !strings.Contains(screen.String(), leavesScreen) {
		t.Errorf("the screen is not as it was: %q", screen.String())
	}
}

func TestTheAppWaitsForWhatItHasBegun(t *testing.T) {
	s := newStory(t)
	options := s.open(providertest.Config{}).app.Options
	begun, ended := make(chan struct{}), false
	options.Open = func(ctx context.Context, _ history.Conversation, _ Permit) (Opened, error) {
		close(begun)
		<-ctx.Done()
		ended = true
		return Opened{}, ctx.Err()
	}
	_, program := onPaper(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if _, err := Run(ctx, options, program...); !errors.Is(err, context.Canceled) {
		t.Errorf("the app ended with %v", err)
	}
	if !ended { // the race detector looks too
		t.Error("the app ended before what it had begun")
	}
}

func TestATickEndsWithTheApp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if msg := after(ctx, time.Hour, "late")(); msg != nil {
		t.Errorf("it brought %v", msg)
	}
	if msg := after(t.Context(), 0, "now")(); msg != "now" {
		t.Errorf("it brought %v", msg)
	}
}
