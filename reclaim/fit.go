package reclaim

import (
	"fmt"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/tokens"
)

// capParts cuts every part that still stands as it is to an excerpt of at most
// about limit tokens: its beginning, its end, and between them how to get the
// rest back. It is the way out where the head or the tail alone is too large.
func capParts(d *draft, limit int) int {
	cut := 0
	for i := range d.entries {
		e := &d.entries[i]
		if e.cover != nil {
			continue
		}
		for j := range e.parts {
			if e.parts[j] != nil && e.parts[j].As != history.AsImages || d.problem.Meter.Tokens(e.whole[j]) <= limit {
				continue
			}
			at := history.Handle{Depth: d.problem.Path[i].Depth, Part: j + 1}
			if text := capped(d.problem.Meter, d.message(i).Parts[j], at, limit); text != "" {
				d.treat(history.Treatment{From: at, To: at, As: history.AsStub, Text: text})
				cut++
			}
		}
	}
	return cut
}

// capped returns the excerpt that stands for a part.
func capped(m tokens.Meter, p message.Part, at history.Handle, limit int) string {
	text := ""
	switch p := p.(type) {
	case message.Text:
		text = p.Text
	case message.ToolResult:
		text = p.PlainText()
	case message.ToolCall:
		text = string(p.Arguments)
	}
	note := fmt.Sprintf("[… %d bytes left out of the view, too large for it: recall %v …]", len(text), at)
	if text == "" {
		return fmt.Sprintf("[too large for the view, left out: recall %v]", at)
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	for n := limit * 4; n >= 32; n /= 2 {
		if n >= len(text) {
			continue
		}
		head, tail := cutText(text, n)
		excerpt := head + "\n" + note + "\n" + tail
		if m.Tokens(m.Text(excerpt)) <= limit {
			return excerpt
		}
	}
	return note
}
