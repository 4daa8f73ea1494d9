package anthropic

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

// The API wants a user's message first and last. These stand in where a path
// begins or ends with an answer.
const (
	beginsWithAnswer = "(The conversation begins with an answer.)"
	goOn             = "Continue."
)

// Encode returns the body of a Messages API request, checked. The same request
// gives the same bytes, and a longer view the same blocks before its new ones.
// An error is a [*wire.Refusal] where no body of this view would be accepted.
func Encode(r wire.Request) (wire.Body, error) {
	e := encoder{request: r, sealer: wire.NewSealer()}
	if err := e.body(); err != nil {
		return wire.Body{}, err
	}
	body := wire.Body{JSON: e.buf, Seal: e.sealer.Seal(), Notes: e.notes}
	if refusal := Check(body.JSON); refusal != nil {
		return wire.Body{}, fmt.Errorf("anthropic would refuse the request: %w", refusal)
	}
	return body, nil
}

type encoder struct {
	request wire.Request
	buf     []byte
	sealer  *wire.Sealer
	notes   []wire.Note
	role    string // of the message being written, empty before the first
	mark    bool   // the next block ends with a cache mark
	err     error  // of fetching a blob
}

// body writes what stays the same from request to request first.
func (e *encoder) body() error {
	f := e.request.Frame
	e.buf = append(e.buf, `{"model":`...)
	e.buf = rawjson.AppendString(e.buf, f.Model)
	e.tools(f.Tools)
	e.system(f.System)
	e.buf = append(e.buf, `,"messages":[`...)
	e.messages()
	e.buf = append(e.buf, `],"max_tokens":`...)
	e.buf = strconv.AppendInt(e.buf, int64(max(e.request.MaxOutput, 1)), 10)
	e.buf = append(e.buf, '}')
	return e.err
}

func (e *encoder) tools(tools []wire.Tool) {
	if len(tools) == 0 {
		return
	}
	e.buf = append(e.buf, `,"tools":[`...)
	for i, t := range tools {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.mark = i == len(tools)-1 && len(e.request.Frame.System) == 0
		e.block(func() {
			e.buf = append(e.buf, `{"name":`...)
			e.buf = rawjson.AppendString(e.buf, t.Name)
			if t.Description != "" {
				e.buf = append(e.buf, `,"description":`...)
				e.buf = rawjson.AppendString(e.buf, t.Description)
			}
			e.buf = append(e.buf, `,"input_schema":`...)
			e.buf = append(append(e.buf, t.Schema...), '}')
		})
	}
	e.buf = append(e.buf, ']')
}

func (e *encoder) system(texts []string) {
	if len(texts) == 0 {
		return
	}
	e.buf = append(e.buf, `,"system":[`...)
	for i, text := range texts {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.mark = i == len(texts)-1
		e.block(func() { e.appendText(text) })
	}
	e.buf = append(e.buf, ']')
}

func (e *encoder) messages() {
	steps := wire.Normalise(e.request.View, wire.Rules{ValidID: validID, MakeID: makeID})
	headEnd := -1
	for i, s := range steps {
		if s.Message < e.request.View.Head {
			headEnd = i
		}
	}
	newest := len(steps) - 1
	if newest >= 0 && steps[newest].Role == message.Assistant {
		newest-- // a mark after it is the next request's: an answer is still to come
	}
	for i := range steps {
		e.step(&steps[i], i == headEnd || i == newest)
	}
	if e.role == "assistant" {
		e.text("user", goOn)
	}
	if e.role != "" {
		e.buf = append(e.buf, `]}`...)
	}
}

func (e *encoder) step(s *wire.Step, markEnd bool) {
	role := "user"
	if s.Role == message.Assistant {
		role = "assistant"
	}
	answer := &e.request.View.Messages[s.Message].Message
	marked := -1
	if markEnd {
		marked = lastMarkable(s.Parts)
	}
	for i, p := range s.Parts {
		if !e.takes(p, answer) {
			continue
		}
		e.mark = i == marked
		e.open(role)
		e.block(func() { e.part(p) })
	}
}

// lastMarkable returns the index of the last part that may carry a cache mark.
func lastMarkable(parts []wire.Part) int {
	for i, p := range slices.Backward(parts) {
		switch p.Part.(type) {
		case message.Thinking, message.RedactedThinking, message.Opaque:
		default:
			return i
		}
	}
	return -1
}

// takes reports whether a part is sent at all: thinking only where its seal
// still fits what was just written, blocks of other wires never.
func (e *encoder) takes(p wire.Part, answer *message.Message) bool {
	switch part := p.Part.(type) {
	case message.Text:
		return !wire.Blank(part)
	case message.Thinking, message.RedactedThinking:
		if e.request.KeepsThinking(answer, p.Seal, e.sealer.Seal()) {
			return true
		}
		e.note(p.At, "thinking is left out: it belongs to another model, or what stands before it has changed")
		return false
	case message.Opaque:
		return part.Format == Wire
	}
	return true
}

func (e *encoder) note(at history.Handle, what string) {
	e.notes = append(e.notes, wire.Note{At: at, What: what})
}

// open begins a message, unless one of the same role is open.
func (e *encoder) open(role string) {
	if e.role == role {
		e.buf = append(e.buf, ',')
		return
	}
	switch {
	case e.role != "":
		e.buf = append(e.buf, `]},`...)
	case role == "assistant":
		marked := e.mark
		e.mark = false
		e.text("user", beginsWithAnswer)
		e.buf = append(e.buf, `]},`...)
		e.mark = marked
	}
	e.role = role
	e.sealer.Add([]byte(role))
	e.buf = append(e.buf, `{"role":"`...)
	e.buf = append(e.buf, role...)
	e.buf = append(e.buf, `","content":[`...)
}

func (e *encoder) text(role, text string) {
	e.open(role)
	e.block(func() { e.appendText(text) })
}

// block seals what write appends, and puts the cache mark in it.
func (e *encoder) block(write func()) {
	start := len(e.buf)
	write()
	e.sealer.Add(e.buf[start:])
	if e.mark {
		e.buf = append(e.buf[:len(e.buf)-1], `,"cache_control":{"type":"ephemeral"}}`...)
		e.mark = false
	}
}

func (e *encoder) appendText(text string) {
	e.buf = append(e.buf, `{"type":"text","text":`...)
	e.buf = rawjson.AppendString(e.buf, text)
	e.buf = append(e.buf, '}')
}
