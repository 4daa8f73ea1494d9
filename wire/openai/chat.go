package openai

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/internal/body"
)

// NewChatSession returns a session of Chat Completions with OpenAI.
func NewChatSession() wire.Session { return OpenAI().NewSession() }

// NewSession is [NewChatSession] for a server that speaks the dialect.
func (d Dialect) NewSession() wire.Session { return body.NewSession(d.format()) }

// EncodeChat returns the body of a Chat Completions request to OpenAI, checked.
// The same request gives the same bytes, and a longer view the same blocks
// before its new ones. An error is a [*wire.Refusal] where no body of this view
// would be accepted.
func EncodeChat(r wire.Request) (wire.Body, error) { return OpenAI().Encode(r) }

// Encode is [EncodeChat] for a server that speaks the dialect.
func (d Dialect) Encode(r wire.Request) (wire.Body, error) { return d.NewSession().Encode(r) }

func (d Dialect) format() body.Format[chatProgress] {
	return body.Format[chatProgress]{
		Wire:     WireChat,
		Provider: d.Provider,
		Rules:    wire.Rules{Wire: WireChat, IDs: d.IDs},
		Limits:   limitsOf,
		Frame:    func(w *body.Writer) { chatOf(w, &d).frame() },
		Step: func(w *body.Writer, s *wire.Step, end body.Mark) {
			c := chatOf(w, &d)
			c.step(s, c.marks && end&body.EndOfHead != 0)
		},
		End: func(w *body.Writer) {
			w.Raw(`]`)
			if n := w.Request.MaxOutput; n > 0 {
				w.Raw(`,"` + cmp.Or(d.MaxTokens, "max_tokens") + `":` + strconv.Itoa(n))
			}
			w.Raw(`}`)
		},
		Check: checkChat,
	}
}

func limitsOf(r *wire.Request) wire.Limits { return r.Limits.In(Limits()) }

// results is what is open behind a result.
const results = "results"

type chat struct {
	*body.Writer
	dialect *Dialect
	marks   bool // the model takes cache marks
}

func chatOf(w *body.Writer, d *Dialect) *chat {
	return &chat{Writer: w, dialect: d, marks: d.Cached && marked(w.Request.Frame.Model)}
}

func (c *chat) frame() {
	f := c.Request.Frame
	c.Raw(`{"model":`)
	c.Text(f.Model)
	if key := c.Request.CacheKey; c.dialect.Cached && key != "" {
		c.Raw(`,"prompt_cache_key":`)
		c.Text(key)
	}
	c.tools(f.Tools)
	c.Raw(`,"messages":[`)
	c.system(body.Said(f.System))
}

func (c *chat) tools(tools []wire.Tool) {
	if len(tools) == 0 {
		return
	}
	c.Raw(`,"tools":[`)
	for _, t := range tools {
		c.Next()
		c.Block(func() {
			c.Raw(`{"type":"function","function":{"name":`)
			c.Text(body.Name(t.Name, maxNameLen, "_-"))
			if t.Description != "" {
				c.Raw(`,"description":`)
				c.Text(t.Description)
			}
			c.Raw(`,"parameters":`)
			c.Schema(t.Schema)
			c.Raw(`}}`)
		})
	}
	c.Raw(`]`)
}

func (c *chat) system(texts []string) {
	if len(texts) == 0 {
		return
	}
	var parts []wire.Part
	for _, t := range texts {
		parts = append(parts, wire.Part{Part: message.Text{Text: t}})
	}
	c.contents(cmp.Or(c.dialect.SystemRole, "system"), parts, c.marks)
}

func (c *chat) step(s *wire.Step, mark bool) {
	switch s.Role {
	case message.User:
		c.user(s.Parts, mark)
	case message.Assistant:
		c.answer(s)
	case message.Tool:
		c.resultsOf(s.Parts)
	}
}

func (c *chat) user(parts []wire.Part, mark bool) {
	parts = slices.DeleteFunc(slices.Clone(parts), func(p wire.Part) bool {
		o, ok := p.Part.(message.Opaque)
		return ok && !isContent(o.Raw)
	})
	if len(parts) == 0 {
		return
	}
	if c.Open == results && c.dialect.AnswerAfterResults {
		c.message(func() {
			c.Raw(`{"role":"assistant","content":`)
			c.Text(resultsRead)
			c.Raw(`}`)
		})
	}
	c.contents("user", parts, mark)
}

// isContent reports whether a block of this wire may stand in a user's content.
func isContent(block []byte) bool {
	switch rawjson.Text(rawjson.Get(block, "type")) {
	case "text", "image_url", "input_audio", "file":
		return true
	}
	return false
}

// message writes one message that is one block.
func (c *chat) message(write func()) {
	c.Element()
	c.Block(write)
	c.Open = ""
}

// contents writes a message of content parts; a lone text as a string, which
// every server understands.
func (c *chat) contents(role string, parts []wire.Part, mark bool) {
	c.Element()
	c.Open = ""
	c.Role(role)
	c.Raw(`{"role":"` + role + `","content":`)
	if len(parts) == 1 && !mark {
		if t, ok := parts[0].Part.(message.Text); ok {
			c.Block(func() { c.Text(t.Text) })
			c.Raw(`}`)
			return
		}
	}
	c.Raw(`[`)
	for i, p := range parts {
		c.Next()
		c.Block(func() { c.part(p) })
		if mark && i == len(parts)-1 {
			c.JSON = c.JSON[:len(c.JSON)-1]
			c.Raw(markBlock)
		}
	}
	c.Raw(`]}`)
}

// part writes one part of a user's content.
func (c *chat) part(p wire.Part) {
	switch part := p.Part.(type) {
	case message.Text:
		c.text(part.Text)
	case message.Opaque:
		c.Value(part.Raw)
	default:
		m, words := c.look(p)
		c.medium(m, words)
	}
}

// look returns what can be sent of an image or a document, or the words that
// stand for it.
func (c *chat) look(p wire.Part) (m body.Medium, words string) {
	switch part := p.Part.(type) {
	case message.Image:
		m, words = c.Image(p.At, part, imageTypes())
	case message.Document:
		m, words = c.Document(p.At, part, []string{pdf})
		switch {
		case words != "":
		case m.URL != "":
			words = c.Unfetched(p.At, "document", m)
		case m.IsText():
			words = m.TextOf(p.At)
		}
	}
	return m, words
}

func (c *chat) text(text string) {
	c.Raw(`{"type":"text","text":`)
	c.Text(text)
	c.Raw(`}`)
}

// medium writes an image or a PDF, or the words that stand for it.
func (c *chat) medium(m body.Medium, words string) {
	switch {
	case words != "":
		c.text(words)
	case m.URL != "":
		c.Raw(`{"type":"image_url","image_url":{"url":`)
		c.Text(m.URL)
		c.Raw(`}}`)
	case m.Type == pdf:
		c.Raw(`{"type":"file","file":{"filename":`)
		c.Text(cmp.Or(m.Name, unnamed))
		c.Raw(`,"file_data":`)
		c.dataURL(m)
		c.Raw(`}}`)
	default:
		c.Raw(`{"type":"image_url","image_url":{"url":`)
		c.dataURL(m)
		c.Raw(`}}`)
	}
}

func (c *chat) dataURL(m body.Medium) {
	c.Raw(`"data:` + m.Type + `;base64,`)
	c.Base64(m.Data)
	c.Raw(`"`)
}

// answer writes an answer: thinking, where the server wants it back, texts, then
// calls. This wire has no other order.
func (c *chat) answer(s *wire.Step) {
	var texts, refusals []string
	var calls []wire.Part
	for _, p := range s.Parts {
		switch part := p.Part.(type) {
		case message.Text:
			texts = append(texts, part.Text)
		case message.Opaque:
			if refusal := rawjson.Text(rawjson.Get(part.Raw, "refusal")); refusal != "" {
				refusals = append(refusals, refusal)
			}
		case message.ToolCall:
			calls = append(calls, p)
		}
	}
	thoughts, details := c.thoughts(s, len(calls) > 0)
	if len(texts)+len(refusals)+len(calls) == 0 {
		return
	}
	c.message(func() {
		c.Raw(`{"role":"assistant"`)
		c.details(details)
		c.joined(c.dialect.Reasoning, thoughts)
		if len(texts) == 0 {
			c.Raw(`,"content":null`)
		}
		c.joined("content", texts)
		c.joined("refusal", refusals)
		c.calls(calls)
		c.Raw(`}`)
	})
}

// thoughts returns the thinking of an answer that may be sent back: as details
// where it came so and the server wants that, otherwise as texts.
func (c *chat) thoughts(s *wire.Step, hasCalls bool) (texts []string, details [][]byte) {
	for _, p := range s.Parts {
		t, ok := p.Part.(message.Thinking)
		if !ok {
			continue
		}
		switch asDetails := c.dialect.Details && isDetails(t.Raw); {
		case !asDetails && (c.dialect.Reasoning == "" || !hasCalls || t.Text == ""):
		case !c.KeepsThinking(p, s.Message):
		case asDetails:
			details = append(details, t.Raw)
		default:
			texts = append(texts, t.Text)
		}
	}
	return texts, details
}

// isDetails reports whether thinking came as reasoning_details.
func isDetails(raw []byte) bool { return len(raw) > 0 && raw[0] == '[' }

// details writes lists of details as one.
func (c *chat) details(lists [][]byte) {
	for i, list := range lists {
		if i == 0 {
			c.Raw(`,"reasoning_details":[`)
		}
		if inside := bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(list[1:]), []byte("]"))); len(inside) > 0 {
			c.Next()
			c.Value(inside)
		}
	}
	if len(lists) > 0 {
		c.Raw(`]`)
	}
}

func (c *chat) joined(name string, texts []string) {
	if len(texts) > 0 {
		c.Raw(`,"` + name + `":`)
		c.Text(strings.Join(texts, "\n\n"))
	}
}

func (c *chat) calls(calls []wire.Part) {
	if len(calls) == 0 {
		return
	}
	c.Raw(`,"tool_calls":[`)
	for _, p := range calls {
		call := p.Part.(message.ToolCall)
		c.Next()
		c.Raw(`{"id":`)
		c.Text(call.ID)
		c.Raw(`,"type":"function","function":{"name":`)
		c.Text(body.Name(call.Name, maxNameLen, "_-"))
		c.Raw(`,"arguments":`)
		c.Text(string(c.Arguments(p.At, call.Arguments)))
		c.Raw(`}`)
		c.Members(call.Extra)
		c.Raw(`}`)
	}
	c.Raw(`]`)
}

// resultsOf writes a message for each result, and behind them all one of a user
// with what they show: this wire takes no image in a result, and nothing
// between results.
func (c *chat) resultsOf(parts []wire.Part) {
	var shown []wire.Part
	for _, p := range parts {
		r := p.Part.(message.ToolResult)
		texts, media := c.result(p, r)
		if len(media) > 0 {
			label := fmt.Sprintf("[From the result %v:]", p.At)
			shown = append(append(shown, wire.Part{Part: message.Text{Text: label}, At: p.At}), media...)
		}
		c.message(func() {
			c.Raw(`{"role":"tool","tool_call_id":`)
			c.Text(r.CallID)
			c.Raw(`,"content":`)
			c.Text(cmp.Or(strings.Join(texts, "\n"), noOutput))
			c.Raw(`}`)
		})
		c.Open = results
	}
	if len(shown) > 0 {
		c.user(shown, false)
	}
}

// result returns the words of a result, and what it shows.
func (c *chat) result(p wire.Part, r message.ToolResult) (texts []string, media []wire.Part) {
	for _, content := range r.Content {
		switch content := content.(type) {
		case message.Text:
			texts = append(texts, content.Text)
		case message.Image, message.Document:
			m, words := c.look(wire.Part{Part: content, At: p.At})
			if words == "" {
				words = fmt.Sprintf("[%v: %s, shown in the message after the results]", p.At, cmp.Or(m.Type, "image"))
				media = append(media, wire.Part{Part: m.Part(), At: p.At})
			}
			texts = append(texts, words)
		}
	}
	return texts, media
}
