package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
)

// opened says that the conversation is open for a run, or why it is not.
type opened struct {
	Opened
	conversation history.ID
	size         size
	err          error
}

type filesFound struct{ files []string }

// takeRead shows what was read of the path. Behind the first screen, what takes
// longer begins: a run needs the whole path.
func (a *app) takeRead(r chunkRead) tea.Cmd {
	a.transcript.take(r)
	if !r.fresh || r.conversation != a.conversation.ID {
		return a.transcript.fill()
	}
	a.composer.offerEarlier(promptsOf(r.entries))
	if a.run != nil || a.closed != nil || a.giveUp != nil {
		return a.transcript.fill()
	}
	return tea.Batch(a.transcript.fill(), a.open(), a.findFiles())
}

func (a *app) findFiles() tea.Cmd {
	if a.Files == nil {
		return nil
	}
	return func() tea.Msg { return filesFound{a.Files(a.ctx)} }
}

// open opens the conversation for a run.
func (a *app) open() tea.Cmd {
	a.stopOpening()
	ctx, cancel := context.WithCancel(a.ctx)
	a.giveUp, a.closed = cancel, nil
	c := a.conversation
	return func() tea.Msg {
		found, err := a.Open(ctx, c, a.permit)
		if ctx.Err() != nil {
			return nil // it was given up, maybe for another try
		}
		o := opened{Opened: found, conversation: c.ID, err: err}
		if err == nil {
			o.size.measure(found.Run)
		}
		return o
	}
}

// opening reports whether it is not known yet if a model can be asked.
func (a *app) opening() bool { return a.run == nil && a.closed == nil }

// whyNot says why there is no run.
func (a *app) whyNot() string {
	if a.opening() {
		return "The conversation is still being opened."
	}
	return "No model can be asked: " + a.closed.Error()
}

func (a *app) stopOpening() {
	if a.giveUp != nil {
		a.giveUp()
		a.giveUp = nil
	}
}

// takeOpened takes a run, or the reason why there is none.
func (a *app) takeOpened(o opened) tea.Cmd {
	if o.conversation != a.conversation.ID || a.giveUp == nil {
		return nil
	}
	a.stopOpening()
	if a.run, a.closed = o.Run, o.err; o.err != nil {
		back := a.takeBack()
		if welcome := a.Welcome; welcome != nil && a.conversation.Entries == 0 {
			a.Welcome = nil
			return tea.Batch(back, func() tea.Msg { return printed{text: welcome(a.ctx)} })
		}
		a.transcript.notify(a.whyNot())
		return back
	}
	a.status.size = o.size
	for _, notice := range o.Notices {
		a.transcript.notify(notice)
	}
	if o.Resumed.Trimmed > 0 {
		a.transcript.notify(fmt.Sprintf("This run is held to the newest messages: %s stand behind one line.", words.Count(o.Resumed.Trimmed, "entry")))
	}
	a.tellDropped(o.Resumed.Dropped)
	if len(o.Resumed.Drafts) > 0 {
		a.transcript.notify("A run broke off in the middle of a turn. /retry goes on with what it had done; /retry discard leaves that out.")
	}
	held := a.held
	a.held = nil
	cmds := []tea.Cmd{a.layOut()}
	for _, s := range held {
		cmds = append(cmds, a.submit(s))
	}
	return tea.Batch(cmds...)
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

// takeBack puts prompts that were sent before there was a run back into the
// editor.
func (a *app) takeBack() tea.Cmd {
	held := a.held
	a.held = nil
	for i := len(held) - 1; i >= 0; i-- {
		a.composer.restore(held[i])
	}
	return a.layOut()
}

// heldLines are prompts that wait for the run.
func (a *app) heldLines() []string {
	var lines []string
	for _, s := range a.held {
		lines = append(lines, faint.Render(ansi.Truncate("> "+words.OneLine(s.typed)+" (sent when the conversation is open)", max(a.width, 1), "…")))
	}
	return lines
}
