package history

import (
	"fmt"
	"strings"
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

// clip makes one line of at most PreviewLen bytes, cut between characters.
func clip(s string) string {
	if len(s) > 8*PreviewLen { // the rest cannot show, however much space is folded
		s = s[:8*PreviewLen]
	}
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return -1
		}
		return r
	}, s)
	if len(s) <= PreviewLen {
		return s
	}
	end := PreviewLen - len("…")
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
