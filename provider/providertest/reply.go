package providertest

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire/anthropic"
	"github.com/stemma-history/stemma/wire/gemini"
	"github.com/stemma-history/stemma/wire/openai"
)

// A reply is an answer on its way: with ids, signatures and a bill.
type reply struct {
	id      string
	model   string
	created int64 // seconds
	prompt  *prompt
	dialect Dialect
	parts   []message.Part
	stop    message.Stop
	used    used
	left    []leftOut
}

// used is what the answer says that it cost, in tokens.
type used struct {
	prompt   int // all of it
	cached   cached
	output   int // thinking included
	thinking int
}

// leftOut is thinking of the request that the model did not read.
type leftOut struct {
	path   string // messages.1.content.0
	id     string // of the item, or that it would have
	reason string
}

// stopWindow says that the answer ended where the window did.
const stopWindow message.Stop = anthropic.StopWindow

// compose makes a reply of what a script says.
func (s *Server) compose(q *request, a Answer) *reply {
	r := &reply{
		id: q.id("msg"), model: q.model.ID, created: s.config.Now().Unix(),
		prompt: q.prompt, dialect: q.dialect, stop: a.Stop, left: q.leftOut(),
		used: used{prompt: q.bill.tokens, cached: q.cached},
	}
	room := q.model.Window - q.bill.tokens
	limit := q.prompt.maxOutput
	if q.model.MaxOutput > 0 && (limit == 0 || limit > q.model.MaxOutput) {
		limit = q.model.MaxOutput
	}
	ended := message.StopLength
	if room > 0 && (limit == 0 || room < limit) {
		if limit = room; q.wire.name == anthropic.Wire {
			ended = stopWindow
		}
	}
	if limit == 0 {
		limit = math.MaxInt // a server that does not mind its window
	}
	calls := 0
	for _, p := range a.Parts {
		if _, thinks := p.(message.Thinking); thinks && q.prompt.thinkingOff {
			continue
		}
		p, tokens, cut := q.meter.within(p, limit-r.used.output)
		r.used.output += tokens
		switch part := p.(type) {
		case message.Thinking:
			r.used.thinking += tokens
		case message.ToolCall:
			if part.ID == "" {
				part.ID = s.callID(q, calls)
			}
			p = part
			calls++
		}
		r.parts = append(r.parts, p)
		if cut {
			r.stop = ended
			break
		}
	}
	if r.stop == "" {
		r.stop = message.StopEnd
		if calls > 0 {
			r.stop = message.StopTools
		}
	}
	s.seal(q, r)
	return r
}

// callID returns the id of the nth call of an answer.
func (s *Server) callID(q *request, n int) string {
	switch ids := q.dialect.IDs; {
	case s.config.RepeatIDs:
		return fmt.Sprintf("call_%d", n)
	case ids.MaxLen > 0:
		return q.hash(n)[:ids.MaxLen]
	case q.wire.name == anthropic.Wire:
		return "toolu_" + q.hash(n)[:24]
	}
	return "call_" + q.hash(n)[:24]
}

// seal signs the thinking of a reply, bound to what stands before it.
func (s *Server) seal(q *request, r *reply) {
	switch q.wire.name {
	case anthropic.Wire:
		s.sealAnthropic(q, r)
	case openai.WireResponses:
		s.sealResponses(q, r)
	case openai.WireChat:
		if q.dialect.Details {
			s.sealDetails(q, r)
		}
	case gemini.Wire:
		if q.limits.CallSignatures {
			signFirstCall(r.parts, s.binder.sign(q.model.ID, q.bound(), ""))
		}
	}
}

func (s *Server) sealAnthropic(q *request, r *reply) {
	var thinks bool
	for _, p := range r.parts {
		_, ok := p.(message.Thinking)
		thinks = thinks || ok
	}
	if !thinks {
		return
	}
	before := anthropic.PrefixOf(q.body)
	previous := ""
	for i, b := range q.prompt.blocks {
		if _, out := q.left[i]; b.sealed && !out {
			previous = signatureOf(b.json)
		}
	}
	for i, p := range r.parts {
		if t, ok := p.(message.Thinking); ok {
			t.Signature = s.binder.sign(q.model.ID, before.Last(), previous)
			previous, r.parts[i] = t.Signature, t
		}
		before.Add("assistant", encode(blockAnthropic(r.parts[i])))
	}
	s.binder.remember(before.Hashes())
}

func (s *Server) sealResponses(q *request, r *reply) {
	bound := q.bound()
	for i, p := range r.parts {
		switch p := p.(type) {
		case message.Thinking:
			p.Signature = s.binder.sign(q.model.ID, bound, "")
			r.parts[i] = p
		case message.Text:
			bound = chained(bound, "assistant", s.scales.weigh(encode(object{"text": p.Text})).hash)
		case message.ToolCall:
			bound = chained(bound, "function_call", s.scales.weigh(encode(callItem(p, ""))).hash)
		}
	}
}

// sealDetails signs thinking over Chat Completions, where it stands before all
// else of its answer.
func (s *Server) sealDetails(q *request, r *reply) {
	for i, p := range r.parts {
		if t, ok := p.(message.Thinking); ok {
			t.Signature = s.binder.sign(q.model.ID, q.bound(), "")
			r.parts[i] = t
		}
	}
}

func signFirstCall(parts []message.Part, signature string) {
	for i, p := range parts {
		if c, ok := p.(message.ToolCall); ok {
			c.Signature = signature
			parts[i] = c
			return
		}
	}
}

// within returns as much of a part as a number of tokens allows, what it costs,
// and whether it was cut. The arguments of a call may end anywhere then.
func (m meter) within(p message.Part, tokens int) (message.Part, int, bool) {
	switch part := p.(type) {
	case message.Text:
		text, n, cut := m.cut(part.Text, tokens)
		part.Text = text
		return part, n, cut
	case message.Thinking:
		text, n, cut := m.cut(part.Text, tokens)
		part.Text = text
		return part, n, cut
	case message.ToolCall:
		name := m.text(part.Name)
		arguments, n, cut := m.cut(string(part.Arguments), max(tokens-name, 0))
		part.Arguments = []byte(arguments)
		return part, name + n, cut
	}
	return p, 0, false
}

func (m meter) cut(text string, tokens int) (kept string, n int, cut bool) {
	n = m.text(text)
	if n <= tokens {
		return text, n, false
	}
	kept = text
	for n > tokens && kept != "" {
		end := min(len(kept)*max(tokens, 0)/n, len(kept)-1)
		for end > 0 && !utf8.RuneStart(kept[end]) {
			end--
		}
		kept = kept[:end]
		n = m.text(kept)
	}
	return strings.TrimRight(kept, " "), n, true
}
