package native

import (
	"strings"

	"github.com/stemma-history/stemma/message"
)

// Thought returns a piece of reasoning that a tool shows under a heading; nothing
// where both are empty.
func Thought(heading, text string) []message.Part {
	if heading != "" {
		text = strings.TrimSpace("**" + heading + "**\n\n" + text)
	}
	if text == "" {
		return nil
	}
	return []message.Part{message.Thinking{Text: text}}
}
