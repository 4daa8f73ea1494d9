package tui

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// A PanicError is a fault of the app that ended it, after the terminal was
// restored.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("a fault in the terminal app: %v; what was said is stored\n\n%s", e.Value, e.Stack)
}

// A guard lets the app end in order, whatever ends it. A panic, of the app or of
// what it does beside, becomes an error: Bubble Tea would tell of one in a batch
// while the screen is still its own, where nobody reads it, and one in another
// goroutine would leave the terminal raw. And nothing that the app has begun goes
// on when the store is closed.
type guard struct {
	quit func() // ends the program; called by any goroutine

	lock   sync.Mutex
	ended  bool
	fault  *PanicError    // the first
	beside sync.WaitGroup // commands under way
}

// catch is deferred.
func (g *guard) catch() {
	if v := recover(); v != nil {
		g.lock.Lock()
		if g.fault == nil {
			g.fault = &PanicError{v, debug.Stack()}
		}
		g.lock.Unlock()
		go g.quit() // which waits for the goroutine that may have panicked
	}
}

func (g *guard) failed() error {
	g.lock.Lock()
	defer g.lock.Unlock()
	if g.fault == nil {
		return nil
	}
	return g.fault
}

// command guards a command. It does nothing once the app has ended.
func (g *guard) command(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		g.lock.Lock()
		if g.ended {
			g.lock.Unlock()
			return nil
		}
		g.beside.Add(1)
		g.lock.Unlock()
		defer g.beside.Done()
		defer g.catch()
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i := range batch {
				batch[i] = g.command(batch[i])
			}
		}
		return msg
	}
}

// end waits for the commands under way. No other begins any more.
func (g *guard) end() {
	g.lock.Lock()
	g.ended = true
	g.lock.Unlock()
	g.beside.Wait()
}

// A guarded is a model under guard.
type guarded struct {
	tea.Model
	guard *guard
	last  tea.View // what was drawn before the fault
}

func (m *guarded) Init() (cmd tea.Cmd) {
	defer m.guard.catch()
	return m.guard.command(m.Model.Init())
}

func (m *guarded) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	return m, m.guard.command(m.update(msg))
}

func (m *guarded) update(msg tea.Msg) (cmd tea.Cmd) {
	defer m.guard.catch()
	if m.guard.failed() == nil {
		_, cmd = m.Model.Update(msg)
	}
	return cmd
}

func (m *guarded) View() tea.View {
	m.draw()
	return m.last
}

func (m *guarded) draw() {
	defer m.guard.catch()
	if m.guard.failed() == nil {
		m.last = m.Model.View()
	}
}

// after brings a message when some time has passed, or nothing where the app ends
// before.
func after(ctx context.Context, d time.Duration, msg tea.Msg) tea.Cmd {
	return func() tea.Msg {
		wait := time.NewTimer(d)
		defer wait.Stop()
		select {
		case <-wait.C:
			return msg
		case <-ctx.Done():
			return nil
		}
	}
}
