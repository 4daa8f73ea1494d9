package opencode

import (
	"fmt"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/native"
)

// tool splits a tool part into the call and, where it has ended, its result.
func (s *step) tool(p *part) {
	state, err := native.ReadObject(p.Raw("state"))
	if err != nil {
		s.parts = append(s.parts, message.Opaque{Format: tool, Raw: p.raw})
		return
	}
	call := message.ToolCall{ID: p.Text("callID"), Name: p.Text("tool"), Arguments: state.Raw("input"), Signature: s.signature(p)}
	if raw := state.Text("raw"); raw != "" { // while the model writes it
		call.Arguments = []byte(raw)
	}
	s.parts = append(s.parts, call)
	if session := state.Text("metadata", "sessionId"); session != "" {
		s.tasks = append(s.tasks, session)
	}
	result := message.ToolResult{CallID: call.ID, Name: call.Name}
	switch state.Text("status") {
	case "completed":
		result.Content = outputOf(state)
	case "error":
		result.Outcome, result.Content = failureOf(state)
	default: // pending or running: perhaps for ever, then the view answers it
		return
	}
	s.results = append(s.results, result)
	if at := state.Int("time", "compacted"); at > 0 {
		s.elided = append(s.elided, elided{at: at, part: len(s.results), text: fmt.Sprintf("[opencode cleared this old output of %s, %d bytes; the original is kept]", call.Name, len(state.Text("output")))})
	}
}

func outputOf(state native.Object) []message.Content {
	var content []message.Content
	if text := state.Text("output"); text != "" {
		content = append(content, message.Text{Text: text})
	}
	files, _ := state.Elements("attachments") // what is damaged is not sent by opencode either
	for _, file := range files {
		if o, err := native.ReadObject(file); err == nil {
			content = append(content, fileOf(o))
		}
	}
	return content
}

// failureOf tells how a tool failed. One that was stopped with the whole answer
// may have had its effect.
func failureOf(state native.Object) (message.Outcome, []message.Content) {
	text := state.Text("error")
	outcome := message.Failed
	switch {
	case state.Bool("metadata", "interrupted"): // it was told to stop, and did
		outcome = message.Aborted
		if output := state.Text("metadata", "output"); output != "" {
			text = output
		}
	case text == "Tool execution aborted":
		outcome = message.Unknown
	case isDenied(text):
		outcome = message.Denied
	}
	if text == "" {
		return outcome, nil
	}
	return outcome, []message.Content{message.Text{Text: text}}
}

// costOf returns a price in dollars.
func costOf(o native.Object) float64 {
	if rawjson.IsNull(o.Raw("cost")) {
		return 0
	}
	return transcript.Number(o.Raw("cost"))
}
