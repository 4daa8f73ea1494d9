// Package tool has the tools that a model is given: their contract, and those
// that work on files, commands, pages of the web and the conversation itself.
package tool

import (
	"context"
	"encoding/json"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

// A Tool is something that a model can call. It is safe for concurrent use:
// calls of one answer run in parallel.
type Tool interface {
	// Definition is what the model is told. It stays the same as long as the
	// tool lives, since it is part of every request's prefix.
	Definition() wire.Tool
	// ReadOnly says that no call of the tool changes anything: a call that was
	// interrupted may be run again without asking.
	ReadOnly() bool
	// Run runs a call. It returns soon after ctx is cancelled, and kills what it
	// started. What goes wrong is a Result with an outcome, since a model reads
	// it; Run never panics on arguments, whatever the model wrote.
	Run(ctx context.Context, c Call) Result
}

// A Call is a tool call under way.
type Call struct {
	ID        string
	Arguments json.RawMessage
	// Progress, if set, is called with lines of output as they come. They are
	// shown, and not sent to the model.
	Progress func(line string)
}

// A Result is what a call came to.
type Result struct {
	Content []message.Content
	Outcome message.Outcome
	// Uneventful says that the call changed and decided nothing, so that its
	// result may be the first to leave the view when it is old.
	Uneventful bool
}

// Text returns a result of plain text.
func Text(text string) Result {
	return Result{Content: []message.Content{message.Text{Text: text}}}
}

// found returns the text that a look at something came to.
func found(text string) Result {
	r := Text(text)
	r.Uneventful = true
	return r
}

// Fail returns the result of a call that failed, in words for the model.
func Fail(text string) Result {
	r := Text(text)
	r.Outcome = message.Failed
	return r
}
