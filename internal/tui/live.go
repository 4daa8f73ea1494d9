package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/message"
)

// A live is the turn under way: what has come of the answer, and how far its
// calls are. Nothing of it is saved yet.
type live struct {
	parts []livePart
}

// A livePart is a text, thinking or a call that is still coming.
type livePart struct {
	kind liveKind
	text strings.Builder // of a call: its arguments

	// Of a text: the lines of what is settled, up to byte done.
	lines []string
	width int
	done  int

	name     string // of a call
	progress string // the last line that a running call has printed
	running  bool
	result   *message.ToolResult
}

type liveKind int

const (
	liveText liveKind = iota
	liveThinking
	liveCall
)

// part returns the part at an index; those before it are there too.
func (l *live) part(i int, kind liveKind) *livePart {
	for len(l.parts) <= i {
		l.parts = append(l.parts, livePart{kind: kind})
	}
	return &l.parts[i]
}

// call returns the n-th call, counted from 0; nil where it has not begun.
func (l *live) call(n int) *livePart {
	for i := range l.parts {
		if l.parts[i].kind != liveCall {
			continue
		}
		if n == 0 {
			return &l.parts[i]
		}
		n--
	}
	return nil
}

// render returns the lines of the turn as far as it has come.
func (l *live) render(t *transcript) []string {
	var lines []string
	for i := range l.parts {
		p := &l.parts[i]
		switch p.kind {
		case liveText:
			lines = append(lines, p.renderText(t)...)
		case liveThinking:
			lines = append(lines, t.renderThinking(lastWords(p.text.String()), t.open)...)
		case liveCall:
			lines = append(lines, p.renderCall(t)...)
		}
	}
	for i, line := range lines {
		if ansi.StringWidth(line) > t.width {
			lines[i] = ansi.Truncate(line, t.width, "")
		}
	}
	return lines
}

// renderText renders what is settled once, and the rest as it stands.
func (p *livePart) renderText(t *transcript) []string {
	text := p.text.String()
	if p.width != t.width {
		p.lines, p.done, p.width = nil, 0, t.width
	}
	if end := p.done + settled(text[p.done:]); end > p.done {
		if len(p.lines) > 0 {
			p.lines = append(p.lines, "")
		}
		p.lines = append(p.lines, t.markdown.render(text[p.done:end], t.width)...)
		p.done = end
	}
	rest := strings.TrimSpace(text[p.done:])
	if rest == "" {
		return p.lines
	}
	lines := append([]string(nil), p.lines...)
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	return append(lines, wrap(words.Printable(rest), t.width)...)
}

func (p *livePart) renderCall(t *transcript) []string {
	call := message.ToolCall{Name: p.name, Arguments: []byte(p.text.String())}
	lines := t.renderCall(call, p.result, t.open)
	if p.result == nil && len(lines) > 0 {
		state := "…"
		if p.running {
			state = "runs"
		}
		lines[0] = strings.Replace(lines[0], "no result", state, 1)
		if p.progress != "" {
			lines = append(lines, faint.Render("  "+ansi.Truncate(words.OneLine(p.progress), max(t.width-2, 1), "…")))
		}
	}
	return lines
}

// lastWords is the end of a long text: what is being thought now.
func lastWords(text string) string {
	const most = 300
	if len(text) <= most {
		return text
	}
	return "… " + strings.ToValidUTF8(text[len(text)-most:], "")
}
