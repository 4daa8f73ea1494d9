package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/agent"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/provider"
)

// An app is the model of the program.
type app struct {
	Options
	ctx          context.Context
	send         func(tea.Msg)
	conversation history.Conversation
	run          *agent.Run         // nil where no model can be asked
	closed       error              // why not; nil while it is not known
	giveUp       context.CancelFunc // stops what finds it out
	held         []*submitted       // prompts that wait for it

	transcript *transcript
	composer   *composer
	markdown   *markdown
	display    *display
	screen     screen   // in the place of the chat, the last of screens; nil: none
	screens    []screen // below it
	guard      *guard
	after      func(time.Duration, tea.Msg) tea.Cmd // brings a message later

	under   *work          // nil where the run rests
	live    *live          // the turn under way; nil where the run rests
	idle    sync.WaitGroup // of the work under way
	waiting string         // for what the run waits
	typed   bool           // prompts were queued that the work under way may not take
	stale   bool           // the path is another than the transcript's
	asking  []asked
	quiet   time.Time       // since when the first stands, and nothing was typed
	always  map[string]bool // tools that the person allowed for good
	lock    sync.Mutex      // guards always, which a run reads
	editing history.ID      // the prompt that is run again as a sibling
	status  status

	width, height int
}

// A work is something that a run does.
type work struct{ stop context.CancelFunc }

// worked brings what a run did.
type worked struct {
	of     *work
	size   size // of the view, when it is done
	events []agent.Event
	err    error
	done   bool
	next   tea.Cmd
}

// printed is something for the person that no model gets.
type printed struct {
	text  string
	after tea.Cmd
}

// queued says that a prompt waits in the store for the run.
type queued struct{ text string }

func (a *app) working() bool { return a.under != nil }

// interrupt stops the work under way. What is done is kept.
func (a *app) interrupt() {
	if a.under != nil {
		a.under.stop()
	}
	for _, q := range a.asking {
		q.reply <- false
	}
	a.asking = nil
}

// eventsAtOnce is how many events are shown with one drawing of the screen.
const eventsAtOnce = 256

// work runs something that a run does, and shows it.
func (a *app) work(start func(context.Context) agent.Events) tea.Cmd {
	type step struct {
		event agent.Event
		err   error
	}
	ctx, cancel := context.WithCancel(a.ctx)
	of, run, size, steps := &work{cancel}, a.run, a.status.size, make(chan step, eventsAtOnce)
	a.under, a.live = of, &live{}
	events := start(ctx)
	a.idle.Go(func() {
		defer a.guard.catch()
		defer close(steps)
		for e, err := range events {
			if saved, ok := e.(agent.Saved); ok {
				size.take(saved.Entries)
			}
			select {
			case steps <- step{e, err}:
			case <-a.ctx.Done(): // nobody looks any more
			}
		}
		size.measure(run)
	})
	var next tea.Cmd
	next = func() tea.Msg {
		w := worked{of: of, next: next}
		s, ok := <-steps
		for ok {
			if s.err != nil {
				w.err = s.err
			} else {
				w.events = append(w.events, s.event)
			}
			if len(w.events) >= eventsAtOnce {
				return w
			}
			select {
			case s, ok = <-steps:
			default:
				return w
			}
		}
		w.done, w.size = true, size
		return w
	}
	return tea.Batch(a.transcript.end(), next)
}

// takeWork shows what a run did.
func (a *app) takeWork(w worked) tea.Cmd {
	switch {
	case w.of == a.under:
	case w.done:
		return nil
	default: // of a conversation that was left
		return w.next
	}
	untitled := a.conversation.Title == ""
	for _, e := range w.events {
		a.event(e)
	}
	var named tea.Cmd
	if untitled && a.conversation.Title != "" {
		named = a.describe(a.conversation.ID, a.conversation.Title)
	}
	if w.err != nil {
		a.transcript.notify(problem(w.err))
	}
	if !w.done {
		return tea.Batch(named, w.next)
	}
	a.rest()
	a.status.size = w.size
	cmds := []tea.Cmd{named, a.layOut()}
	switch {
	case a.stale:
		a.stale = false
		cmds = append(cmds, a.reload())
	case a.typed && w.err == nil:
		cmds = append(cmds, a.goOn())
	}
	return tea.Batch(cmds...)
}

// rest ends the work under way.
func (a *app) rest() {
	if a.under != nil {
		a.under.stop()
	}
	a.under, a.live, a.waiting = nil, nil, ""
}

// takeQueued says that a prompt waits, and has it taken where no work is under
// way that does.
func (a *app) takeQueued(q queued) tea.Cmd {
	a.transcript.notify("Queued: " + ansi.Truncate(words.OneLine(q.text), 60, "…"))
	if a.typed = true; a.working() || a.run == nil {
		return nil
	}
	return a.goOn()
}

// goOn takes the prompts that were queued, where the last work has left any.
func (a *app) goOn() tea.Cmd {
	a.typed = false
	return a.work(a.run.Continue)
}

// describe stores the title that the conversation got of its first prompt.
func (a *app) describe(id history.ID, title string) tea.Cmd {
	return func() tea.Msg {
		if err := a.Store.Describe(a.ctx, id, history.Description{Title: &title}); err != nil {
			return printed{text: err.Error()}
		}
		return nil
	}
}

// problem says what went wrong, and what to do.
func problem(err error) string {
	var refused *provider.Error
	switch {
	case errors.Is(err, context.Canceled):
		return "Interrupted. What was done is kept; /retry answers anew."
	case errors.Is(err, agent.ErrNothingToRetry):
		return "There is " + err.Error() + ". /retry again answers the last prompt anew, where there is one."
	case errors.As(err, &refused) && refused.Kind == provider.Auth:
		return err.Error() + ". Look at the key, then /retry."
	case errors.As(err, &refused):
		return err.Error() + ". /retry sends it again."
	}
	return err.Error()
}

// event shows one thing that a run did.
func (a *app) event(e agent.Event) {
	if a.live == nil {
		a.live = &live{}
	}
	if _, waits := e.(agent.Waiting); !waits {
		a.waiting = ""
	}
	switch e := e.(type) {
	case agent.Delta:
		a.delta(e.Delta)
	case agent.CallStarted:
		if p := a.live.call(e.Index); p != nil {
			p.running, p.name = true, e.Call.Name
			p.text.Reset()
			p.text.Write(e.Call.Arguments)
		}
	case agent.CallProgress:
		if p := a.live.call(e.Index); p != nil {
			p.progress = e.Line
		}
	case agent.CallEnded:
		if p := a.live.call(e.Index); p != nil {
			p.running, p.progress, p.result = false, "", &e.Result
		}
	case agent.Saved:
		a.live = &live{}
		a.transcript.add(e.Entries...)
		a.conversation.Entries += len(e.Entries)
		a.conversation.Tip = e.Entries[len(e.Entries)-1].ID
		a.transcript.conversation = a.conversation
		a.status.take(e.Entries)
		if len(e.Entries) > 0 && e.Entries[0].Message != nil && a.conversation.Title == "" {
			a.conversation.Title = history.TitleOf(e.Entries[0].Message)
		}
	case agent.Compacted:
		a.transcript.notify(rungsOf(e))
		a.tellDropped(e.Dropped)
	case agent.Waiting:
		a.waiting = fmt.Sprintf("%v; again in %s (%d of %d)", e.Err, e.For.Round(time.Second), e.Attempt, e.Attempts)
	case agent.Repeated:
		a.live = &live{}
		a.transcript.notify("That was too large for the provider; it is sent again, smaller.")
	case agent.Notice:
		a.transcript.notify(e.Text)
	}
}

// rungsOf says what each rung did; of a compaction that a person asked for, also
// why others did nothing.
func rungsOf(c agent.Compacted) string {
	var done, not []string
	for _, s := range c.Plan.Steps {
		if s.Applied {
			done = append(done, string(s.Rung)+": "+s.Why)
		} else if c.Entry.Compaction.Reason.Trigger == history.ByCommand {
			not = append(not, "not "+string(s.Rung)+": "+s.Why)
		}
	}
	return strings.Join(append(done, not...), "\n")
}

func (a *app) delta(d provider.Delta) {
	switch d.Kind {
	case provider.TextDelta:
		a.live.part(d.Part, liveText).text.WriteString(d.Text)
	case provider.ThinkingDelta:
		a.live.part(d.Part, liveThinking).text.WriteString(d.Text)
	case provider.CallBegins:
		a.live.part(d.Part, liveCall).name = d.Text
	case provider.ArgumentsDelta:
		a.live.part(d.Part, liveCall).text.WriteString(d.Text)
	}
}
