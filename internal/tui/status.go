package tui

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/agent"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/reclaim"
)

// A status is what the line at the bottom says of the conversation.
type status struct {
	size
	usage history.Usage // of this session
}

// A size is how full a model's window is. Its zero value is not known.
type size struct {
	model     string
	filled    int  // tokens of the view, by the last bill or else estimated
	billed    bool // by the last bill
	window    int
	threshold int
}

// take follows what entries say that were saved.
func (s *size) take(entries []history.Entry) {
	for i := range entries {
		e := &entries[i]
		if e.Compaction != nil && e.Compaction.Reason.After > 0 {
			s.filled, s.billed = int(e.Compaction.Reason.After), false
		}
		if e.Usage == nil {
			continue
		}
		if e.Usage.Prompt() > 0 {
			s.filled, s.billed = int(e.Usage.Prompt()+e.Usage.Output), true
		}
		s.model = e.Message.Model
	}
}

// measure looks at the view of a run that rests. Where no bill says how large it
// is, the whole path is counted: that takes longer than a frame.
func (s *size) measure(run *agent.Run) {
	p := run.Problem()
	s.window, s.threshold, s.model = p.Budget.Window, p.Budget.Threshold, p.Frame.Model
	if !s.billed {
		s.filled = p.Meter.Tokens(reclaim.CostOf(p))
	}
}

// take counts what entries cost.
func (s *status) take(entries []history.Entry) {
	s.size.take(entries)
	for i := range entries {
		if u := entries[i].Usage; u != nil {
			s.usage.Add(*u)
		}
	}
}

func (a *app) viewStatus() string {
	s := &a.status
	title := words.OneLine(a.conversation.Title)
	if title == "" {
		title = "new conversation"
	}
	state := ""
	switch {
	case len(a.asking) > 0:
		state = "asks you"
	case a.working():
		state = "works · esc interrupts"
	case a.editing != (history.ID{}):
		state = "edits a prompt · esc leaves it"
	case !a.transcript.following:
		state = "reads above · ctrl+end goes to the end"
	}
	var right []string // what may be left out first comes last
	switch {
	case a.opening():
		right = append(right, faint.Render("counting…"))
	case s.window > 0:
		right = append(right, meter(s.filled, s.threshold, s.window))
	}
	if s.model != "" {
		right = append(right, words.OneLine(s.model))
	}
	if s.usage.CostUSD > 0 {
		right = append(right, fmt.Sprintf("$%.2f", s.usage.CostUSD))
	}
	if p := s.usage.Prompt(); p > 0 && s.usage.CacheRead > 0 {
		right = append(right, fmt.Sprintf("%d%% cached", s.usage.CacheRead*100/p))
	}
	return statusLine(title, state, right, a.width)
}

// leastTitle is how much of a title stays before the right side loses parts.
const leastTitle = 12

// statusLine lays the line out: the title gets what is left, and where there is
// no room for all, the last parts go.
func statusLine(title, state string, right []string, width int) string {
	if state != "" {
		state = yellow.Render(" · " + state)
	}
	var r string
	for ; ; right = right[:len(right)-1] {
		r = strings.Join(right, faint.Render(" · "))
		if len(right) == 0 || lipgloss.Width(r)+lipgloss.Width(state)+leastTitle < width {
			break
		}
	}
	l := ansi.Truncate(title, max(width-lipgloss.Width(state)-lipgloss.Width(r)-1, min(leastTitle, width)), "…") + state
	if r == "" {
		return ansi.Truncate(l, width, "…")
	}
	return l + strings.Repeat(" ", max(width-lipgloss.Width(l)-lipgloss.Width(r), 1)) + r
}

// meter is how full the window is.
func meter(filled, threshold, window int) string {
	const cells = 10
	full := min(max(filled*cells/max(window, 1), 0), cells)
	look := green
	switch {
	case filled > threshold:
		look = red
	case filled > threshold*3/4:
		look = yellow
	}
	return look.Render(strings.Repeat("█", full)) + faint.Render(strings.Repeat("░", cells-full)) + fmt.Sprintf(" %s of %s", thousandsShort(filled), thousandsShort(window))
}

// thousandsShort is a number of tokens in few characters: 940, 12k, 1.0M.
func thousandsShort(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 999_500:
		return fmt.Sprintf("%dk", (n+500)/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}
