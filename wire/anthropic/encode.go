package anthropic

import (
	"slices"
	"strconv"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/internal/body"
)

// NewSession returns a session of the Messages API.
func NewSession() wire.Session { return body.NewSession(format()) }

// Encode returns the body of a Messages API request, checked. The same request
// gives the same bytes, and a longer view the same blocks before its new ones.
// An error is a [*wire.Refusal] where no body of this view would be accepted.
func Encode(r wire.Request) (wire.Body, error) { return NewSession().Encode(r) }

// format writes what stays the same from request to request first.
func format() body.Format[progress] {
	return body.Format[progress]{
		Wire:     Wire,
		Provider: "anthropic",
		Rules:    wire.Rules{Wire: Wire, IDs: toolIDs, Paused: paused},
		Limits:   func(r *wire.Request) wire.Limits { return r.Limits.In(Limits()) },
		Frame: func(w *body.Writer) {
			e := encoder{Writer: w}
			f := w.Request.Frame
			e.Raw(`{"model":`)
			e.Text(f.Model)
			e.tools(f.Tools)
			e.system(f.System)
			e.Raw(`,"messages":[`)
		},
		Step: func(w *body.Writer, s *wire.Step, end body.Mark) {
			e := encoder{Writer: w}
			e.step(s, end != 0)
		},
		End: func(w *body.Writer) {
			if w.Open != "" {
				w.Raw(`]}`)
			}
			w.Raw(`],"max_tokens":`)
			w.Raw(strconv.Itoa(max(w.Request.MaxOutput, 1)))
			w.Raw(`}`)
		},
		Check: check,
	}
}

// An encoder writes into a message whose role is Writer.Open.
type encoder struct {
	*body.Writer
	mark bool // the next block ends with a cache mark
}

func (e *encoder) tools(tools []wire.Tool) {
	if len(tools) == 0 {
		return
	}
	e.Raw(`,"tools":[`)
	for i, t := range tools {
		e.Next()
		e.mark = i == len(tools)-1 && len(body.Said(e.Request.Frame.System)) == 0
		e.block(func() {
			e.Raw(`{"name":`)
			e.Text(body.Name(t.Name, maxNameLen, "_-"))
			if t.Description != "" {
				e.Raw(`,"description":`)
				e.Text(t.Description)
			}
			e.Raw(`,"input_schema":`)
			e.Schema(t.Schema)
			e.Raw(`}`)
		})
	}
	e.Raw(`]`)
}

func (e *encoder) system(texts []string) {
	texts = body.Said(texts)
	if len(texts) == 0 {
		return
	}
	e.Raw(`,"system":[`)
	for i, text := range texts {
		e.Next()
		e.mark = i == len(texts)-1
		e.block(func() { e.text(text) })
	}
	e.Raw(`]`)
}

// paused reports whether an answer stopped inside a tool of the server's. It is
// sent back as it stands, and the model goes on. (Vendor's SDK, 2026-11.)
func paused(answer *message.Message) bool {
	if answer.Wire != Wire || answer.Stop != "pause_turn" || len(answer.Parts) == 0 {
		return false
	}
	last, ok := answer.Parts[len(answer.Parts)-1].(message.Opaque)
	return ok && last.Format == Wire && rawjson.Text(rawjson.Get(last.Raw, "type")) == "server_tool_use"
}

func (e *encoder) step(s *wire.Step, markEnd bool) {
	role := "user"
	if s.Role == message.Assistant {
		role = "assistant"
	}
	marked := -1
	if markEnd {
		marked = lastMarkable(s.Parts)
	}
	for i, p := range s.Parts {
		switch p.Part.(type) {
		case message.Thinking, message.RedactedThinking:
			if !signed(p.Part) {
				e.Note(p.At, "thinking is left out: it has no signature")
				continue
			}
			if !e.KeepsThinking(p, s.Message) {
				continue
			}
		}
		e.mark = i == marked
		e.open(role)
		e.block(func() { e.part(p) })
	}
}

// signed reports whether thinking carries what the API knows it by.
func signed(p message.Part) bool {
	switch p := p.(type) {
	case message.Thinking:
		return p.Signature != "" || rawjson.Text(rawjson.Get(p.Raw, "signature")) != ""
	case message.RedactedThinking:
		return p.Data != ""
	}
	return false
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

// open begins a message, unless one of the same role is open.
func (e *encoder) open(role string) {
	if e.Open == role {
		e.Next()
		return
	}
	if e.Open != "" {
		e.Raw(`]}`)
	}
	e.Element()
	e.Open = role
	e.Role(role)
	e.Raw(`{"role":"` + role + `","content":[`)
}

// block seals what write appends, and puts the cache mark in it.
func (e *encoder) block(write func()) {
	e.Block(write)
	if e.mark {
		e.JSON = e.JSON[:len(e.JSON)-1]
		e.Raw(`,"cache_control":{"type":"ephemeral"}}`)
		e.mark = false
	}
}

func (e *encoder) text(text string) {
	e.Raw(`{"type":"text","text":`)
	e.Text(text)
	e.Raw(`}`)
}
