package gemini

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/internal/body"
	"github.com/stemma-history/stemma/wire/internal/verdict"
)

// toolIDs are the ids of calls. The API pairs by order where there are none.
var toolIDs = wire.IDRule{MaxLen: 256, Punctuation: wire.AnyPunctuation, Prefix: "call_", Optional: true}

const (
	maxNameLen = 64
	// namePunctuation may stand in the name of a function. (SDK v1.77.0, 2026-10.)
	namePunctuation = "_.:-"
	// noSignature stands for the signature of a call that no model of Google's
	// has signed. (Vendor's documentation, 2025-11.)
	noSignature = "skip_thought_signature_validator"
)

// Limits returns what the API holds every model's requests to. (Vendor's
// documentation, 2026.)
func Limits() wire.Limits {
	return wire.Limits{BodyBytes: 20 << 20, Media: 3600}
}

// NewSession returns a session of the generateContent API.
func NewSession() wire.Session { return body.NewSession(format()) }

// Encode returns the body of a generateContent request, checked. The model is
// named by the request's URL. The same request gives the same bytes, and a
// longer view the same parts before its new ones. An error is a [*wire.Refusal]
// where no body of this view would be accepted.
func Encode(r wire.Request) (wire.Body, error) { return NewSession().Encode(r) }

func format() body.Format[progress] {
	return body.Format[progress]{
		Wire:     Wire,
		Provider: "gemini",
		Rules:    wire.Rules{Wire: Wire, IDs: toolIDs, SignedTexts: true},
		Limits: func(r *wire.Request) wire.Limits {
			limits := r.Limits.In(Limits())
			limits.CallSignatures = limits.CallSignatures || signs(r.Frame.Model)
			return limits
		},
		Frame: func(w *body.Writer) { encoderOf(w).frame() },
		Step:  func(w *body.Writer, s *wire.Step, _ body.Mark) { encoderOf(w).step(s) },
		End: func(w *body.Writer) {
			encoderOf(w).end()
			w.Raw(`]`)
			if n := w.Request.MaxOutput; n > 0 {
				w.Raw(`,"generationConfig":{"maxOutputTokens":` + strconv.Itoa(n) + `}`)
			}
			w.Raw(`}`)
		},
		Check: check,
	}
}

// signs reports whether a model signs its calls, wants the signatures back, and
// takes media in results: all since Gemini 3.
func signs(model string) bool {
	generation, ok := strings.CutPrefix(model, "gemini-")
	return ok && !strings.HasPrefix(generation, "1") && !strings.HasPrefix(generation, "2")
}

// An encoder writes contents. Writer.Open says what is open: user, model, or
// results; empty if nothing is.
type encoder struct {
	*body.Writer
	signs bool // the model wants signatures
}

func encoderOf(w *body.Writer) *encoder {
	return &encoder{Writer: w, signs: signs(w.Request.Frame.Model)}
}

func (e *encoder) frame() {
	e.Raw(`{`)
	e.system(body.Said(e.Request.Frame.System))
	e.tools(e.Request.Frame.Tools)
	e.Next()
	e.Raw(`"contents":[`)
}

func (e *encoder) system(texts []string) {
	if len(texts) == 0 {
		return
	}
	e.Raw(`"systemInstruction":{"parts":[`)
	for _, t := range texts {
		e.Next()
		e.Block(func() { e.text(t) })
	}
	e.Raw(`]}`)
}

func (e *encoder) tools(tools []wire.Tool) {
	if len(tools) == 0 {
		return
	}
	e.Next()
	e.Raw(`"tools":[{"functionDeclarations":[`)
	for _, t := range tools {
		e.Next()
		e.Block(func() {
			e.Raw(`{"name":`)
			e.Text(name(t.Name))
			if t.Description != "" {
				e.Raw(`,"description":`)
				e.Text(t.Description)
			}
			e.Raw(`,"parametersJsonSchema":`)
			e.Schema(t.Schema)
			e.Raw(`}`)
		})
	}
	e.Raw(`]}]`)
}

// name makes the name of a function fit: it begins with a letter or _.
func name(n string) string {
	n = body.Name(n, maxNameLen, namePunctuation)
	if c := n[0]; c != '_' && !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') {
		n = "_" + n[:min(len(n), maxNameLen-1)]
	}
	return n
}

func (e *encoder) step(s *wire.Step) {
	switch s.Role {
	case message.User:
		for _, p := range s.Parts {
			e.part("user", func() { e.said(p) })
		}
	case message.Assistant:
		e.answer(s)
	case message.Tool:
		e.results(s.Parts)
	}
}

// part writes one part, into a new content where none of the kind is open: the
// content with results holds nothing else.
func (e *encoder) part(content string, write func()) {
	if e.Open != content {
		e.end()
		e.Element()
		e.Open = content
		role := content
		if content == "results" {
			role = "user"
		}
		e.Role(content)
		e.Raw(`{"role":"` + role + `","parts":[`)
	}
	e.Next()
	e.Block(write)
}

// end closes the content that is open.
func (e *encoder) end() {
	if e.Open != "" {
		e.Raw(`]}`)
	}
	e.Open = ""
}

func (e *encoder) text(text string) {
	e.Raw(`{"text":`)
	e.Text(text)
	e.Raw(`}`)
}

// said writes a part of a user's content.
func (e *encoder) said(p wire.Part) {
	switch part := p.Part.(type) {
	case message.Text:
		e.text(part.Text)
	case message.Opaque:
		if damaged(part.Raw) {
			e.text(e.Instead(p.At, "data that cannot be read"))
			return
		}
		e.Value(part.Raw)
	default:
		m, words := e.look(p)
		if words != "" {
			e.text(words)
			return
		}
		e.medium(m)
	}
}

// answer writes a model's content. Texts, thoughts and calls carry their
// signatures while they may.
func (e *encoder) answer(s *wire.Step) {
	first := true // of the calls
	for _, p := range s.Parts {
		switch part := p.Part.(type) {
		case message.Text:
			signature := ""
			if isSignature(part.Signature) && e.Keeps(p, s.Message) {
				signature = part.Signature
			}
			if signature != "" || strings.TrimSpace(part.Text) != "" {
				e.part("model", func() { e.signed(`{"text":`, part.Text, signature) })
			}
		case message.Thinking:
			if says := part.Text != "" || isSignature(part.Signature); says && e.KeepsThinking(p, s.Message) {
				e.part("model", func() { e.thought(part) })
			}
		case message.ToolCall:
			e.part("model", func() { e.call(p, part, e.signature(p, part, s.Message, first)) })
			first = false
		case message.Opaque:
			if damaged(part.Raw) {
				e.Note(p.At, "data that cannot be read is left out")
				continue
			}
			e.part("model", func() { e.Value(part.Raw) })
		}
	}
}

// damaged reports whether a block holds media that could not be decoded.
func damaged(block []byte) bool { return rawjson.Get(block, "inlineData") != nil }

// isSignature reports whether s can be one: the API reads no other than base64.
func isSignature(s string) bool { return s != "" && verdict.IsBase64([]byte(s)) }

func (e *encoder) signed(head, text, signature string) {
	e.Raw(head)
	e.Text(text)
	if signature != "" {
		e.Raw(`,"thoughtSignature":`)
		e.Text(signature)
	}
	e.Raw(`}`)
}

func (e *encoder) thought(t message.Thinking) {
	if t.Raw != nil {
		e.Value(t.Raw)
		return
	}
	signature := t.Signature
	if !isSignature(signature) {
		signature = ""
	}
	e.signed(`{"thought":true,"text":`, t.Text, signature)
}

// signature returns the signature that a call is sent with. The first call of
// an answer must have one; where the model did not sign it, the word for that
// stands in. It does so in old turns too, so that a turn does not change when it
// is no longer the current one (P9).
func (e *encoder) signature(p wire.Part, c message.ToolCall, answer int, first bool) string {
	switch {
	case isSignature(c.Signature) && e.Keeps(p, answer):
		return c.Signature
	case first && e.signs:
		return noSignature
	}
	return ""
}

func (e *encoder) call(p wire.Part, c message.ToolCall, signature string) {
	e.Raw(`{"functionCall":{`)
	e.id(c.ID)
	e.Raw(`"name":`)
	e.Text(name(c.Name))
	e.Raw(`,"args":`)
	e.Value(e.Arguments(p.At, c.Arguments))
	e.Raw(`}`)
	if signature != "" {
		e.Raw(`,"thoughtSignature":`)
		e.Text(signature)
	}
	e.Raw(`}`)
}

func (e *encoder) id(id string) {
	if id != "" {
		e.Raw(`"id":`)
		e.Text(id)
		e.Raw(`,`)
	}
}

// results writes the content with the answers to all calls of a turn, and,
// where the model takes no media in them, a user's content with what they show.
func (e *encoder) results(parts []wire.Part) {
	var shown []wire.Part
	for _, p := range parts {
		r := p.Part.(message.ToolResult)
		texts, media := e.result(p, r)
		if len(media) > 0 && !e.signs {
			texts = append(texts, "[what it shows follows the results]")
			label := fmt.Sprintf("[From the result %v:]", p.At)
			shown = append(shown, wire.Part{Part: message.Text{Text: label}, At: p.At})
			for _, m := range media {
				shown = append(shown, wire.Part{Part: m.Part(), At: p.At})
			}
			media = nil
		}
		e.part("results", func() { e.response(r, strings.Join(texts, "\n"), media) })
	}
	for _, p := range shown {
		e.part("user", func() { e.said(p) })
	}
}

// result returns the words of a result, and what it shows.
func (e *encoder) result(p wire.Part, r message.ToolResult) (texts []string, media []body.Medium) {
	for _, content := range r.Content {
		switch content := content.(type) {
		case message.Text:
			texts = append(texts, content.Text)
		case message.Image, message.Document:
			if m, words := e.look(wire.Part{Part: content, At: p.At}); words != "" {
				texts = append(texts, words)
			} else {
				media = append(media, m)
			}
		}
	}
	return texts, media
}

func (e *encoder) response(r message.ToolResult, text string, media []body.Medium) {
	e.Raw(`{"functionResponse":{`)
	e.id(r.CallID)
	e.Raw(`"name":`)
	e.Text(name(r.Name))
	e.Raw(`,"response":{"`)
	if r.IsError() {
		e.Raw(`error":`)
	} else {
		e.Raw(`output":`)
	}
	e.Text(text)
	e.Raw(`}`)
	if len(media) > 0 {
		e.Raw(`,"parts":[`)
		for _, m := range media {
			e.Next()
			e.medium(m)
		}
		e.Raw(`]`)
	}
	e.Raw(`}}`)
}

// imageTypes are those the API takes. (Vendor's documentation, 2026.)
func imageTypes() []string {
	return []string{"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"}
}

// look returns what can be sent of an image or a document, or the words that
// stand for it. Links are sent only where they lead to Google's own storage.
func (e *encoder) look(p wire.Part) (m body.Medium, words string) {
	kind := "image"
	switch part := p.Part.(type) {
	case message.Image:
		m, words = e.Image(p.At, part, imageTypes())
	case message.Document:
		kind = "document"
		m, words = e.Document(p.At, part, []string{"application/pdf"})
		if words == "" && m.URL == "" && m.IsText() {
			words = m.TextOf(p.At)
		}
	}
	if words == "" && m.URL != "" && (m.Type == "" || !isGoogles(m.URL)) {
		words = e.Unfetched(p.At, kind, m)
	}
	return m, words
}

func isGoogles(url string) bool {
	return strings.HasPrefix(url, "gs://") || strings.HasPrefix(url, "https://generativelanguage.googleapis.com/")
}

func (e *encoder) medium(m body.Medium) {
	if m.URL != "" {
		e.Raw(`{"fileData":{"mimeType":`)
		e.Text(m.Type)
		e.Raw(`,"fileUri":`)
		e.Text(m.URL)
		e.Raw(`}}`)
		return
	}
	e.Raw(`{"inlineData":{"mimeType":"` + m.Type + `","data":"`)
	e.Base64(m.Data)
	e.Raw(`"}}`)
}
