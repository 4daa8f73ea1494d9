package tui

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/message"
)

// resultLines is how many lines of a result an opened call shows.
const resultLines = 200

// render lays a block out. A blank line stands behind each.
func (t *transcript) render(b *block) []string {
	if len(b.entries) == 0 {
		if b.notice == "" {
			return nil
		}
		return append(indent(wrap(words.Printable(b.notice), t.width-2), yellow.Render("· "), "  "), "")
	}
	e := &b.entries[0]
	b.placed = nil
	var lines []string
	switch {
	case e.Compaction != nil:
		lines = t.renderCompaction(e, b.open)
	case e.Message.Role == message.Assistant:
		lines = t.renderAnswer(b, e.Message, b.entries[1:])
	case isResults(e):
		lines = t.renderAnswer(b, &message.Message{}, b.entries)
	default:
		lines = t.renderPrompt(b, e)
	}
	if len(lines) == 0 {
		return []string{}
	}
	for i, line := range lines { // in a very narrow terminal marks alone are too wide
		if lipgloss.Width(line) > t.width {
			lines[i] = ansi.Truncate(line, t.width, "")
		}
	}
	return append(lines, "")
}

func (t *transcript) renderPrompt(b *block, e *history.Entry) []string {
	mark := green.Render("> ")
	style := bold
	if e.Author() != message.ByPerson {
		mark, style = purple.Render(words.Speaker(e.Message.Role, e.Author())+" "), faint
	}
	var texts []string
	for _, p := range e.Message.Parts {
		texts = append(texts, clip(describePart(p), previewBytes))
	}
	lines := wrap(words.Printable(strings.Join(texts, "\n")), t.width-lipgloss.Width(mark))
	for i := range lines {
		lines[i] = style.Render(lines[i])
	}
	rest := blank(lipgloss.Width(mark))
	return t.place(b, indent(lines, mark, rest), len(rest), picturesOf(t.store, t.draw, t.conversation.ID, e))
}

func (t *transcript) renderCompaction(e *history.Entry, open bool) []string {
	line := purple.Render("◇ " + ansi.Truncate(words.OneLine(e.Compaction.Describe()), max(t.width-2, 1), "…"))
	if !open {
		return []string{line}
	}
	return append([]string{line}, indent(wrap(words.Printable(describeCompaction(e.Compaction)), t.width-2), "  ", "  ")...)
}

// renderAnswer lays out an answer with the results of its calls.
func (t *transcript) renderAnswer(b *block, m *message.Message, results []history.Entry) []string {
	left := resultsOf(results)
	var lines []string
	for _, p := range m.Parts {
		switch p := p.(type) {
		case message.Text:
			lines = append(lines, t.markdown.render(p.Text, t.width)...)
		case message.Thinking:
			lines = append(lines, t.renderThinking(p.Text, b.open)...)
		case message.ToolCall:
			var result *message.ToolResult
			if i := answering(left, p.ID); i >= 0 {
				result = &left[i]
				left = append(left[:i:i], left[i+1:]...)
			}
			lines = append(lines, t.renderCall(p, result, b.open)...)
			if result != nil {
				lines = t.place(b, lines, 2, picturesIn(t.store, *result))
			}
		default:
			lines = append(lines, faint.Render(ansi.Truncate(words.OneLine(describePart(p)), max(t.width, 1), "…")))
			lines = t.place(b, lines, 0, picturesIn(t.store, p))
		}
	}
	for i := range left { // whose call is not here
		lines = append(lines, t.renderCall(message.ToolCall{Name: left[i].Name}, &left[i], b.open)...)
		lines = t.place(b, lines, 2, picturesIn(t.store, left[i]))
	}
	if why := stopped(m.Stop); why != "" {
		lines = append(lines, yellow.Render(ansi.Truncate(why, max(t.width, 1), "…")))
	}
	return lines
}

func resultsOf(entries []history.Entry) []message.ToolResult {
	var results []message.ToolResult
	for i := range entries {
		entries[i].Message.Results(func(_ int, r message.ToolResult) bool {
			results = append(results, r)
			return true
		})
	}
	return results
}

func answering(results []message.ToolResult, id string) int {
	for i := range results {
		if results[i].CallID == id {
			return i
		}
	}
	return -1
}

// stopped says why an answer ended, where that is not as it should be.
func stopped(s message.Stop) string {
	switch s {
	case message.StopLength:
		return "(cut: the answer had reached its longest)"
	case message.StopRefusal:
		return "(the model declined to go on)"
	case message.StopAborted:
		return "(interrupted)"
	case message.StopError:
		return "(the answer broke off)"
	}
	return ""
}

// renderThinking is one line, unless it is opened.
func (t *transcript) renderThinking(text string, open bool) []string {
	text = strings.TrimSpace(words.Printable(text))
	if text == "" {
		return nil
	}
	if open {
		lines := indent(wrap(text, t.width-2), "  ", "  ")
		for i := range lines {
			lines[i] = faint.Italic(true).Render(lines[i])
		}
		return lines
	}
	return []string{faint.Italic(true).Render(ansi.Truncate("▸ "+strings.Join(strings.Fields(clip(text, 1000)), " "), max(t.width, 1), "…"))}
}

// renderCall is one line with what came of the call, and what it printed where
// it is opened.
func (t *transcript) renderCall(c message.ToolCall, r *message.ToolResult, open bool) []string {
	glyph, outcome := faint.Render("○"), "no result"
	if r != nil {
		glyph, outcome = outcomeOf(r)
	}
	subject := tool.Subject(tool.Call{Arguments: c.Arguments})
	if subject == "" {
		subject = string(c.Arguments)
	}
	head := glyph + " " + cyan.Render(words.OneLine(c.Name)) + " "
	tail := faint.Render("  " + outcome)
	room := max(t.width-lipgloss.Width(head)-lipgloss.Width(tail), 8)
	line := head + ansi.Truncate(words.OneLine(clip(subject, 2000)), room, "…") + tail
	lines := []string{ansi.Truncate(line, max(t.width, 1), "…")}
	if !open {
		return lines
	}
	text := describePart(c)
	if r != nil {
		text += "\n" + r.PlainText()
	}
	detail := wrap(words.Printable(clip(text, previewBytes)), t.width-4)
	if len(detail) > resultLines {
		detail = append(detail[:resultLines], "…")
	}
	for i := range detail {
		detail[i] = faint.Render(detail[i])
	}
	rail := faint.Render("  │ ")
	return append(lines, indent(detail, rail, rail)...)
}

// outcomeOf says how a call ended, and how much came of it.
func outcomeOf(r *message.ToolResult) (glyph, words string) {
	size := ""
	if text := r.PlainText(); text != "" {
		size = linesOf(text)
	}
	for _, c := range r.Content {
		if img, ok := c.(message.Image); ok {
			size = strings.TrimPrefix(size+fmt.Sprintf(", image %d×%d", img.WidthPx, img.HeightPx), ", ")
		}
	}
	if r.IsError() {
		return red.Render("✗"), strings.TrimSuffix(string(r.Outcome)+", "+size, ", ")
	}
	return green.Render("✓"), size
}

func linesOf(text string) string {
	n := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	return words.Count(n, "line")
}

func blank(columns int) string { return strings.Repeat(" ", columns) }

// indent puts a mark before the first line, and another before the rest.
func indent(lines []string, first, rest string) []string {
	for i := range lines {
		if i == 0 {
			lines[i] = first + lines[i]
		} else {
			lines[i] = rest + lines[i]
		}
	}
	return lines
}
