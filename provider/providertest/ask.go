package providertest

import (
	"slices"
	"strings"

	"github.com/stemma-history/stemma/message"
)

// An Ask is a request as a script sees it.
type Ask struct {
	Wire, Model string
	Number      int // of the request, from 1, refused ones counted
	Tokens      int // of the prompt, as billed
	Window      int // of the model
	MaxOutput   int // most tokens of the answer; 0 where the request does not say
	Stream      bool
	Body        []byte

	prompt *prompt
}

// Messages returns what was said, in order. Results of tools are messages of
// their own.
func (a Ask) Messages() []message.Message {
	var all []message.Message
	for _, s := range a.prompt.said {
		for _, m := range a.prompt.decode(s) {
			all = joined(all, m)
		}
	}
	return all
}

// joined puts a message behind others; pieces of one answer become one.
func joined(all []message.Message, m message.Message) []message.Message {
	if n := len(all); n > 0 && m.Role == message.Assistant && all[n-1].Role == message.Assistant {
		all[n-1].Parts = append(all[n-1].Parts, m.Parts...)
		return all
	}
	return append(all, m)
}

// New returns what was said since the last answer.
func (a Ask) New() []message.Message {
	var late []message.Message
	for _, s := range slices.Backward(a.prompt.said) {
		messages := a.prompt.decode(s)
		if len(messages) > 0 && messages[0].Role == message.Assistant {
			break
		}
		late = append(messages, late...)
	}
	return late
}

// Prompt returns the text that a user said last.
func (a Ask) Prompt() string {
	for _, s := range slices.Backward(a.prompt.said) {
		for _, m := range slices.Backward(a.prompt.decode(s)) {
			if text := m.PlainText(); m.Role == message.User && text != "" {
				return text
			}
		}
	}
	return ""
}

// Results returns the results of tools since the last answer, unless a user has
// said something after them.
func (a Ask) Results() []message.ToolResult {
	var results []message.ToolResult
	for _, m := range a.New() {
		if m.Role == message.User && strings.TrimSpace(m.PlainText()) != "" {
			results = nil
		}
		for _, r := range m.Results {
			results = append(results, r)
		}
	}
	return results
}

// System returns the system prompt.
func (a Ask) System() string { return strings.Join(a.prompt.system, "\n\n") }

// Tools returns the names of the tools that may be called.
func (a Ask) Tools() []string { return a.prompt.tools }
