package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/internal/words"
)

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
		above := extra
		if len(a.asking) > 0 { // nobody answers a question that is not seen
			above = min(above, a.transcript.height+1)
		}
		lines = lines[above : above+a.height]
	}
	return strings.Join(lines, "\n")
}

// liveLines are those of the turn under way.
func (a *app) liveLines() []string {
	if a.live == nil {
		return a.heldLines()
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
	about := tool.About(q.tool, q.call)
	if about == "" {
		about = string(q.call.Arguments)
	}
	lines := wrap(emphasis.Render("Let the model use "+q.tool.Definition().Name+"? ")+words.OneLine(clip(about, 1000)), a.width)
	if most := max(min(a.height/3, 5), 1); len(lines) > most {
		lines[most-1] = ansi.Truncate(lines[most-1], max(a.width-1, 0), "") + "…"
		lines = lines[:most]
	}
	answers := "in a moment y, n and a answer · esc interrupts"
	switch {
	case a.composer.area.Value() != "":
		answers = "send or clear what is typed: then y, n and a answer · esc interrupts"
	case a.takesAnswers():
		answers = "y yes · n no · a always in this session · esc interrupts"
	}
	return strings.Join(append(lines, faint.Render(ansi.Truncate(answers, a.width, "…"))), "\n")
}
