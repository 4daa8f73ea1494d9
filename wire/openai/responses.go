package openai

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/internal/body"
)

// responseIDs are the ids that the API takes for calls.
var responseIDs = wire.IDRule{MaxLen: maxCallIDLen, Punctuation: wire.AnyPunctuation, Prefix: "call_"}

// NewResponsesSession returns a session of the Responses API.
func NewResponsesSession() wire.Session { return body.NewSession(responsesFormat()) }

// EncodeResponses returns the body of a Responses request, checked: the whole
// conversation, nothing of which the provider is asked to store. The same
// request gives the same bytes, and a longer view the same items before its new
// ones. An error is a [*wire.Refusal] where no body of this view would be
// accepted.
func EncodeResponses(r wire.Request) (wire.Body, error) { return NewResponsesSession().Encode(r) }

func responsesFormat() body.Format[responsesProgress] {
	return body.Format[responsesProgress]{
		Wire:     WireResponses,
		Provider: "openai",
		Rules:    wire.Rules{Wire: WireResponses, IDs: responseIDs},
		Limits:   limitsOf,
		Frame:    func(w *body.Writer) { (&responses{w}).frame() },
		Step: func(w *body.Writer, step *wire.Step, end body.Mark) {
			(&responses{w}).step(step, end&body.EndOfHead != 0 && marked(w.Request.Frame.Model))
		},
		End: func(w *body.Writer) {
			(&responses{w}).end()
			w.Raw(`]`)
			if n := w.Request.MaxOutput; n > 0 {
				w.Raw(`,"max_output_tokens":` + strconv.Itoa(max(n, minOutput)))
			}
			w.Raw(`}`)
		},
		Check: checkResponses,
	}
}

// minOutput is the least that max_output_tokens may be. (Vendor's error body,
// 2025.)
const minOutput = 16

// responses writes items. Writer.Open is the role of the message item that is
// open, empty if none is.
type responses struct{ *body.Writer }

func (s *responses) frame() {
	f := s.Request.Frame
	s.Raw(`{"model":`)
	s.Text(f.Model)
	if key := s.Request.CacheKey; key != "" {
		s.Raw(`,"prompt_cache_key":`)
		s.Text(key)
	}
	s.Raw(`,"store":false`)
	if reasons(f.Model) {
		s.Raw(`,"include":["reasoning.encrypted_content"]`)
	}
	s.tools(f.Tools)
	s.Raw(`,"input":[`)
	s.system(body.Said(f.System), marked(f.Model))
}

func (s *responses) tools(tools []wire.Tool) {
	if len(tools) == 0 {
		return
	}
	s.Raw(`,"tools":[`)
	for _, t := range tools {
		s.Next()
		s.Block(func() {
			s.Raw(`{"type":"function","name":`)
			s.Text(body.Name(t.Name, maxNameLen, "_-"))
			if t.Description != "" {
				s.Raw(`,"description":`)
				s.Text(t.Description)
			}
			s.Raw(`,"parameters":`)
			s.Schema(t.Schema)
			s.Raw(`,"strict":false}`) // the API rewrites the schema otherwise
		})
	}
	s.Raw(`]`)
}

func (s *responses) system(texts []string, mark bool) {
	for i, t := range texts {
		s.content("developer", "", mark && i == len(texts)-1, func() { s.text("input_text", t) })
	}
}

// content writes a part of a message item, and opens one where none of the role
// is. extra is an object of further members of the item.
func (s *responses) content(role, extra string, mark bool, write func()) {
	if s.Open != role {
		s.end()
		s.Element()
		s.Open = role
		s.Role(role + extra)
		s.Raw(`{"type":"message","role":"` + role + `"`)
		s.Members(extra)
		s.Raw(`,"content":[`)
	}
	s.Next()
	s.Block(write)
	if mark {
		s.JSON = s.JSON[:len(s.JSON)-1]
		s.Raw(markBlock)
	}
}

// end closes the message item.
func (s *responses) end() {
	if s.Open != "" {
		s.Raw(`]}`)
	}
	s.Open = ""
}

// item writes an item that is one block.
func (s *responses) item(write func()) {
	s.end()
	s.Element()
	s.Block(write)
}

func (s *responses) text(kind, text string) {
	s.Raw(`{"type":"` + kind + `","text":`)
	s.Text(text)
	s.Raw(`}`)
}

func (s *responses) step(step *wire.Step, mark bool) {
	last := len(step.Parts) - 1
	for i, p := range step.Parts {
		switch part := p.Part.(type) {
		case message.Thinking, message.RedactedThinking:
			s.thinking(p, step, i)
		case message.ToolCall:
			s.item(func() { s.call(p, part) })
		case message.ToolResult:
			s.item(func() { s.result(p, part) })
		case message.Opaque:
			s.opaque(step.Role, part.Raw)
		case message.Text:
			if step.Role == message.Assistant {
				s.end() // a model's messages stay apart, as they came
				s.content("assistant", part.Extra, false, func() { s.text("output_text", part.Text) })
				continue
			}
			s.content("user", "", mark && i == last, func() { s.part(p) })
		default:
			s.content("user", "", mark && i == last, func() { s.part(p) })
		}
	}
}

// opaque writes a block of this wire: a part of a message, or an item.
func (s *responses) opaque(role message.Role, raw []byte) {
	switch kind := rawjson.Text(rawjson.Get(raw, "type")); {
	case isInput(raw):
		if role == message.User {
			s.content("user", "", false, func() { s.Value(raw) })
		}
	case kind == "output_text" || kind == "refusal":
		if role == message.Assistant {
			s.content("assistant", "", false, func() { s.Value(raw) })
		}
	default:
		s.item(func() { s.Value(raw) })
	}
}

// isInput reports whether a block of this wire is a part of a user's message or
// of a result.
func isInput(block []byte) bool {
	switch rawjson.Text(rawjson.Get(block, "type")) {
	case "input_text", "input_image", "input_file", "input_audio":
		return true
	}
	return false
}

// thinking writes a reasoning item. Without its encrypted content the provider
// would look for an item that it never stored; and it takes none that nothing
// of the same answer follows.
func (s *responses) thinking(p wire.Part, step *wire.Step, i int) {
	item := reasoning(p.Part)
	switch {
	case item == nil:
		s.Note(p.At, "thinking is left out: its encrypted content is not known")
	case !followed(step.Parts[i+1:]):
		s.Note(p.At, "thinking is left out: nothing of its answer follows")
	case s.KeepsThinking(p, step.Message):
		s.item(func() { s.Value(item) })
	}
}

// reasoning returns thinking as an item of the API, nil where it cannot be.
func reasoning(p message.Part) []byte {
	var summary, encrypted string
	switch p := p.(type) {
	case message.Thinking:
		if p.Raw != nil {
			if rawjson.Text(rawjson.Get(p.Raw, "encrypted_content")) == "" {
				return nil
			}
			return p.Raw
		}
		summary, encrypted = p.Text, p.Signature
	case message.RedactedThinking:
		encrypted = p.Data
	}
	if encrypted == "" {
		return nil
	}
	item := []byte(`{"type":"reasoning","summary":[`)
	if summary != "" {
		item = append(item, `{"type":"summary_text","text":`...)
		item = append(rawjson.AppendString(item, summary), '}')
	}
	item = append(item, `],"encrypted_content":`...)
	return append(rawjson.AppendString(item, encrypted), '}')
}

// followed reports whether anything but thinking comes.
func followed(parts []wire.Part) bool {
	for _, p := range parts {
		switch p.Part.(type) {
		case message.Thinking, message.RedactedThinking:
		default:
			return true
		}
	}
	return false
}

func (s *responses) call(p wire.Part, c message.ToolCall) {
	s.Raw(`{"type":"function_call","call_id":`)
	s.Text(c.ID)
	s.Raw(`,"name":`)
	s.Text(body.Name(c.Name, maxNameLen, "_-"))
	s.Raw(`,"arguments":`)
	s.Text(string(s.Arguments(p.At, c.Arguments)))
	s.Raw(`}`)
}

// result writes a result: one text as a string, anything else as a list.
func (s *responses) result(p wire.Part, r message.ToolResult) {
	s.Raw(`{"type":"function_call_output","call_id":`)
	s.Text(r.CallID)
	s.Raw(`,"output":`)
	content := slices.DeleteFunc(slices.Clone(r.Content), func(c message.Content) bool {
		o, ok := c.(message.Opaque)
		return ok && !isInput(o.Raw)
	})
	switch first, isText := only(content); {
	case len(content) == 0:
		s.Text(noOutput)
	case isText:
		s.Text(first)
	default:
		s.Raw(`[`)
		for _, c := range content {
			s.Next()
			s.part(wire.Part{Part: c, At: p.At})
		}
		s.Raw(`]`)
	}
	s.Raw(`}`)
}

// only returns the text of a result that is nothing else.
func only(content []message.Content) (string, bool) {
	if len(content) != 1 {
		return "", false
	}
	t, ok := content[0].(message.Text)
	return t.Text, ok
}

// part writes one part of a user's message or of a result.
func (s *responses) part(p wire.Part) {
	switch part := p.Part.(type) {
	case message.Text:
		s.text("input_text", part.Text)
	case message.Opaque:
		s.Value(part.Raw)
	case message.Image:
		m, words := s.Image(p.At, part, imageTypes())
		if words != "" {
			s.text("input_text", words)
			return
		}
		s.Raw(`{"type":"input_image","image_url":`)
		s.from(m)
		s.Raw(`,"detail":"auto"}`)
	case message.Document:
		s.document(p, part)
	}
}

func (s *responses) document(p wire.Part, d message.Document) {
	m, words := s.Document(p.At, d, []string{pdf})
	if words == "" && m.URL == "" && m.IsText() {
		words = m.TextOf(p.At)
	}
	switch {
	case words != "":
		s.text("input_text", words)
	case m.URL != "":
		s.Raw(`{"type":"input_file","file_url":`)
		s.from(m)
		s.Raw(`}`)
	default:
		s.Raw(`{"type":"input_file","filename":`)
		s.Text(cmp.Or(m.Name, unnamed))
		s.Raw(`,"file_data":`)
		s.from(m)
		s.Raw(`}`)
	}
}

// from writes where the bytes of a medium are: in a data URL, or elsewhere.
func (s *responses) from(m body.Medium) {
	if m.URL != "" {
		s.Text(m.URL)
		return
	}
	s.Raw(fmt.Sprintf(`"data:%s;base64,`, m.Type))
	s.Base64(m.Data)
	s.Raw(`"`)
}
