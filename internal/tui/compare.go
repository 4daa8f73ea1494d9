package tui

import (
	"context"
	"fmt"
	"path"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/reclaim"
)

// A comparison shows side by side what two branches did since they parted.
type comparison struct {
	ctx          context.Context
	store        history.Store
	conversation history.Conversation
	a, b         history.ID

	found *history.Difference // nil until it is read
	err   error
	top   int // first line on the screen

	width, height int
}

// leaveComparison closes the comparison.
type leaveComparison struct{}

type differenceRead struct {
	found history.Difference
	err   error
}

func newComparison(ctx context.Context, store history.Store, c history.Conversation, a, b history.ID) *comparison {
	return &comparison{ctx: ctx, store: store, conversation: c, a: a, b: b}
}

func (c *comparison) Init() tea.Cmd {
	return func() tea.Msg {
		d, err := history.Diff(c.ctx, c.store, c.conversation.ID, c.a, c.b, reclaim.ChangedFile)
		return differenceRead{d, err}
	}
}

func (c *comparison) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		c.width, c.height = msg.Width, msg.Height
	case differenceRead:
		if c.err = msg.err; msg.err == nil {
			c.found = &msg.found
		}
	case tea.MouseWheelMsg:
		if msg.Button == tea.MouseWheelUp {
			c.top -= 3
		} else {
			c.top += 3
		}
	case tea.KeyPressMsg:
		switch msg.String() {
		case "q", "esc", "d":
			return func() tea.Msg { return leaveComparison{} }
		case "up", "k":
			c.top--
		case "down", "j":
			c.top++
		case "pgup":
			c.top -= c.height
		case "pgdown", "space":
			c.top += c.height
		case "home", "g":
			c.top = 0
		}
	}
	return nil
}

// View returns the screen.
func (c *comparison) View() string {
	if c.width == 0 || c.height == 0 {
		return ""
	}
	lines := c.lines()
	height := c.height - 1
	c.top = max(min(c.top, len(lines)-height), 0)
	lines = lines[c.top:min(c.top+height, len(lines))]
	for len(lines) < height {
		lines = append(lines, "")
	}
	return strings.Join(append(lines, faint.Render(ansi.Truncate("↑ ↓ scroll · esc back", c.width, "…"))), "\n")
}

func (c *comparison) lines() []string {
	switch {
	case c.err != nil:
		return strings.Split(red.Render(ansi.Wrap(words.Printable(c.err.Error()), c.width, "")), "\n")
	case c.found == nil:
		return []string{faint.Render("Comparing …")}
	}
	shared := "The two paths share no entry."
	if c.found.Depth > 0 {
		shared = fmt.Sprintf("The two paths share %s.", words.Count(c.found.Depth, "entry"))
	}
	column := (c.width - 3) / 2
	a, b := c.column("this", &c.found.A, c.found.ADepth, column), c.column("the tip", &c.found.B, c.found.BDepth, column)
	lines := []string{ansi.Truncate(shared, c.width, "…"), ""}
	for i := range max(len(a), len(b)) {
		lines = append(lines, ansi.Truncate(cell(a, i, column)+faint.Render(" │ ")+strings.TrimRight(cell(b, i, column), " "), c.width, ""))
	}
	return lines
}

// cell is line i of a column, filled up to its width.
func cell(lines []string, i, width int) string {
	line := ""
	if i < len(lines) {
		line = ansi.Truncate(lines[i], max(width, 0), "…")
	}
	return line + strings.Repeat(" ", max(width-lipgloss.Width(line), 0))
}

// column is what one branch did.
func (c *comparison) column(name string, w *history.Work, depth, width int) []string {
	lines := []string{bold.Render(name) + faint.Render(fmt.Sprintf("  up to %d: %s, %s", depth, words.Count(w.Entries, "entry"), words.Count(w.Answers, "answer")))}
	add := func(title string, items []string) {
		if len(items) == 0 {
			return
		}
		lines = append(lines, "", faint.Render(title))
		for _, item := range items {
			lines = append(lines, strings.Split(ansi.Wrap(item, max(width, 1), ""), "\n")...)
		}
	}
	var calls, files []string
	for _, t := range w.Calls {
		line := words.OneLine(t.Name) + " × " + words.Thousands(t.Count)
		if t.Failed > 0 {
			line += red.Render(fmt.Sprintf("  %d failed", t.Failed))
		}
		calls = append(calls, line)
	}
	directory := path.Clean(c.conversation.Directory) + "/"
	for _, t := range w.Files {
		files = append(files, words.OneLine(strings.TrimPrefix(t.Name, directory))+faint.Render(" × "+words.Thousands(t.Count)))
	}
	add("prompts", quoted(w.Prompts, green))
	add("answers", quoted(w.Replies, cyan))
	add("calls", calls)
	add("files changed", files)
	add("tokens", []string{spent(w)})
	return lines
}

// quotedBytes is how much of a text a comparison quotes: some lines of a column.
const quotedBytes = 600

func quoted(said []history.Quote, style lipgloss.Style) []string {
	var lines []string
	for _, q := range said {
		lines = append(lines, style.Render(q.At.String())+" "+strings.Join(strings.Fields(words.Printable(clip(q.Text, quotedBytes))), " "))
	}
	return lines
}

// spent says what a branch has cost.
func spent(w *history.Work) string {
	if w.Billed == 0 {
		return "about " + words.Thousands((w.Bytes+3)/4) + ", a token for four bytes: no bill is known"
	}
	text := words.Thousands(w.Usage.Prompt()) + " in, " + words.Thousands(w.Usage.Output) + " out"
	if w.Usage.CostUSD > 0 {
		text += fmt.Sprintf(", $%.2f", w.Usage.CostUSD)
	}
	if w.Billed < w.Answers {
		text += fmt.Sprintf(" (%d of %d answers billed)", w.Billed, w.Answers)
	}
	return text
}
