package message

import "strings"

// Role is who a message speaks as towards the model.
type Role string

const (
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Author is who really wrote a message.
type Author string

const (
	ByPerson  Author = "person"  // typed by someone: their words are their own
	ByModel   Author = "model"   // answered by a model
	ByTool    Author = "tool"    // results of tools
	ByHarness Author = "harness" // written by a program: reminders, notices, repairs
	ByDigest  Author = "digest"  // what was explored on a branch that was left
)

// Message is one immutable step of a conversation.
type Message struct {
	Role   Role
	Author Author
	Parts  []Part

	// Wire and Model say which provider API and which model gave an answer;
	// only they may get its thinking back. Empty on all other messages.
	Wire  string
	Model string
	// Stop is why an answer ended.
	Stop Stop
	// Settled says that no result is awaited any more: the message was
	// imported, or its run was interrupted. Calls that no result follows are
	// unanswered then.
	Settled bool
}

// Stop is why an answer ended. Other values than these are a provider's own
// words, kept as they came.
type Stop string

const (
	StopEnd     Stop = "end"     // the model was done
	StopTools   Stop = "tools"   // the model wants tools run
	StopLength  Stop = "length"  // the output limit cut it
	StopRefusal Stop = "refusal" // the model or its provider declined
	StopError   Stop = "error"   // the request failed on the way
	StopAborted Stop = "aborted" // someone interrupted it
)

// Prompt returns a person's message of plain text.
func Prompt(text string) Message {
	return Message{Role: User, Author: ByPerson, Parts: []Part{Text{Text: text}}}
}

// Results returns a message that answers tool calls.
func Results(results ...ToolResult) Message {
	m := Message{Role: Tool, Author: ByTool, Parts: make([]Part, len(results))}
	for i, r := range results {
		m.Parts[i] = r
	}
	return m
}

// IsPrompt reports whether a person's message begins a new exchange.
func (m *Message) IsPrompt() bool { return m.Role == User && m.Author == ByPerson }

// Silent reports whether no model ever gets the message: a program's own
// record, all of whose parts are opaque. It neither closes a turn nor opens one.
func (m *Message) Silent() bool {
	if m.Author != ByHarness || len(m.Parts) == 0 {
		return false
	}
	for _, p := range m.Parts {
		if _, ok := p.(Opaque); !ok {
			return false
		}
	}
	return true
}

// Calls yields the tool calls of the message with their part index.
func (m *Message) Calls(yield func(int, ToolCall) bool) {
	for i, p := range m.Parts {
		if c, ok := p.(ToolCall); ok && !yield(i, c) {
			return
		}
	}
}

// Results yields the tool results of the message with their part index.
func (m *Message) Results(yield func(int, ToolResult) bool) {
	for i, p := range m.Parts {
		if r, ok := p.(ToolResult); ok && !yield(i, r) {
			return
		}
	}
}

// PlainText joins the text parts of the message with blank lines between.
func (m *Message) PlainText() string {
	var texts []string
	for _, p := range m.Parts {
		if t, ok := p.(Text); ok && t.Text != "" {
			texts = append(texts, t.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// PlainText joins the text of a result with newlines between its parts.
func (r ToolResult) PlainText() string {
	var texts []string
	for _, c := range r.Content {
		if t, ok := c.(Text); ok {
			texts = append(texts, t.Text)
		}
	}
	return strings.Join(texts, "\n")
}
