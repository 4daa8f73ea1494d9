package history

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stemma-history/stemma/message"
)

// PreviewLen is the longest preview in bytes: a line of a terminal.
const PreviewLen = 96

// Preview returns one line that tells an entry from its neighbours: the first
// words of its text, the tools it calls, or what it answers.
func Preview(e *Entry) string {
	if e.Compaction != nil {
		return clip(e.Compaction.Describe())
	}
	m := e.Message
	if text := strings.TrimSpace(firstText(m)); text != "" && m.Role != message.Tool {
		return clip(text)
	}
	var words []string
	for _, p := range m.Parts {
		if w := describePart(p); w != "" {
			words = append(words, w)
		}
	}
	return clip(strings.Join(words, ", "))
}

func firstText(m *message.Message) string {
	for _, p := range m.Parts {
		if t, ok := p.(message.Text); ok && t.Text != "" {
			return t.Text
		}
	}
	return ""
}

func describePart(p message.Part) string {
	switch p := p.(type) {
	case message.ToolCall:
		return p.Name + " " + string(p.Arguments)
	case message.ToolResult:
		text := p.PlainText()
		for _, c := range p.Content {
			if _, isText := c.(message.Text); text == "" && !isText {
				text = describePart(c)
			}
		}
		if p.IsError() {
			return string(p.Outcome) + ": " + text
		}
		return text
	case message.Thinking:
		return p.Text
	case message.RedactedThinking:
		return "[thinking, hidden by the provider]"
	case message.Image:
		return describeMedia("image", p.Media)
	case message.Document:
		return describeMedia("document", p.Media)
	case message.Opaque:
		return "[" + p.Format + " record]"
	}
	return ""
}

func describeMedia(kind string, m message.Media) string {
	name := m.Name
	if name == "" {
		name = m.Type
	}
	return fmt.Sprintf("[%s %s]", kind, name)
}

// clip makes one line of at most PreviewLen bytes, cut between characters. It
// reads no more of s than shows.
func clip(s string) string {
	line := make([]byte, 0, PreviewLen+utf8.UTFMax)
	gap := false
	for _, r := range s {
		if unicode.IsSpace(r) {
			gap = len(line) > 0
			continue
		}
		if unicode.IsControl(r) { // U+009B, too, begins a command to a terminal
			continue
		}
		if gap {
			line, gap = append(line, ' '), false
		}
		if line = utf8.AppendRune(line, r); len(line) > PreviewLen {
			return cutLine(line)
		}
	}
	return string(line)
}

// cutLine shortens a line that is too long, and says so.
func cutLine(line []byte) string {
	end := PreviewLen - len("…")
	for !utf8.RuneStart(line[end]) {
		end--
	}
	return string(line[:end]) + "…"
}
