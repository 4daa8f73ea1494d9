package tui

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/reclaim"
)

// A status is what the line at the bottom says of the conversation.
type status struct {
	model     string
	filled    int // tokens of the view, by the last bill or else estimated
	measured  bool
	window    int
	threshold int
	usage     history.Usage // of this session
}

// take counts what entries cost.
func (s *status) take(entries []history.Entry) {
	for i := range entries {
		e := &entries[i]
		if e.Compaction != nil && e.Compaction.Reason.After > 0 {
			s.filled, s.measured = int(e.Compaction.Reason.After), false
		}
		if e.Usage == nil {
			continue
		}
		s.usage.Input += e.Usage.Input
		s.usage.CacheRead += e.Usage.CacheRead
		s.usage.CacheWrite += e.Usage.CacheWrite
		s.usage.Output += e.Usage.Output
		s.usage.CostUSD += e.Usage.CostUSD
		if e.Usage.Prompt() > 0 {
			s.filled, s.measured = int(e.Usage.Prompt()+e.Usage.Output), true
		}
		s.model = e.Message.Model
	}
}

// measure looks at the window, while the run rests.
func (a *app) measure() {
	if a.run == nil || a.working() {
		return
	}
	p := a.run.Problem()
	a.status.window, a.status.threshold, a.status.model = p.Budget.Window, p.Budget.Threshold, p.Frame.Model
	if !a.status.measured {
		a.status.filled = p.Meter.Tokens(reclaim.CostOf(p))
	}
}

func (a *app) viewStatus() string {
	s := &a.status
	var left, right []string
	title := words.OneLine(a.conversation.Title)
	if title == "" {
		title = "new conversation"
	}
	left = append(left, ansi.Truncate(title, max(a.width/3, 10), "…"))
	switch {
	case a.working() && len(a.asking) == 0:
		left = append(left, yellow.Render("works · esc interrupts"))
	case a.editing != (history.ID{}):
		left = append(left, yellow.Render("edits a prompt · esc leaves it"))
	case !a.transcript.following:
		left = append(left, yellow.Render("reads above · ctrl+end goes to the end"))
	}
	if s.model != "" {
		right = append(right, words.OneLine(s.model))
	}
	if s.window > 0 {
		right = append(right, meter(s.filled, s.threshold, s.window))
	}
	if s.usage.CostUSD > 0 {
		right = append(right, fmt.Sprintf("$%.2f", s.usage.CostUSD))
	}
	if p := s.usage.Prompt(); p > 0 && s.usage.CacheRead > 0 {
		right = append(right, fmt.Sprintf("%d%% cached", s.usage.CacheRead*100/p))
	}
	l, r := strings.Join(left, faint.Render(" · ")), strings.Join(right, faint.Render(" · "))
	room := a.width - lipgloss.Width(l) - lipgloss.Width(r)
	if room < 1 {
		return ansi.Truncate(l+" "+r, a.width, "…")
	}
	return l + strings.Repeat(" ", room) + r
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

// prompts returns what people said on the path, the oldest first, for the
// editor to offer again.
func prompts(blocks []block) []string {
	var texts []string
	for _, b := range blocks {
		if len(b.entries) > 0 && b.entries[0].Message != nil && b.entries[0].Author() == message.ByPerson {
			texts = append(texts, b.entries[0].Message.PlainText())
		}
	}
	return texts
}
