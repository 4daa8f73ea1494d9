package providertest

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/anthropic"
	"github.com/stemma-history/stemma/wire/openai"
)

// An exchange is one request and what becomes of it.
type exchange struct {
	to      route
	number  int
	body    []byte
	wire    speaker
	dialect Dialect
	model   catalog.Model
	known   bool // the model is served
	limits  wire.Limits

	// What follows is known once the checkers have passed the body.

	prompt *prompt
	meter  meter
	left   map[int]string // blocks that are not read, and why
	bill   bill
	cached cached
}

// check refuses what the body shows, in the order in which the APIs do.
func (s *Server) check(e *exchange, r *http.Request) *wire.Refusal {
	e.model, e.known = s.config.model(e.modelName(), e.dialect)
	e.limits = s.limitsFor(e.wire, e.dialect, e.model)
	if beta := r.Header.Get("anthropic-beta"); beta != "" {
		for name := range strings.SplitSeq(beta, ",") {
			e.limits.Betas = append(e.limits.Betas, strings.TrimSpace(name))
		}
	}
	if most := e.limits.BodyBytes; most > 0 && len(e.body) > most {
		return e.wire.check(e.body, wire.Limits{BodyBytes: most})
	}
	if rawjson.Valid(e.body) {
		for _, refusal := range []*wire.Refusal{s.unauthorised(e, r), unsigned(e, r), unknownModel(e)} {
			if refusal != nil {
				return refusal
			}
		}
		e.prompt = e.wire.read(e.body)
		e.prompt.stream = e.prompt.stream || e.to.stream
	}
	e.left = map[int]string{}
	e.limits.Thinking = s.binder.forged
	if e.wire.name == anthropic.Wire && e.prompt != nil {
		j := &judge{binder: s.binder, model: e.model.ID, checks: e.model.ChecksThinking, frame: e.prompt.frame, left: e.left}
		e.limits.Thinking = j.judge
	}
	if e.to.action != generates {
		e.limits.MaxOutput = 0 // it is not asked for
	}
	if refusal := e.wire.check(e.body, e.limits); refusal != nil {
		return refusal
	}
	s.measure(e)
	if refusal := quirk(e); refusal != nil {
		return refusal
	}
	return blind(e)
}

func (e *exchange) modelName() string {
	if e.to.model != "" {
		return e.to.model
	}
	return textAt(e.body, "model")
}

// measure bills the prompt, without the thinking that is not read.
func (s *Server) measure(e *exchange) {
	e.meter = meter{scales: s.scales, factor: s.config.Factor, model: e.model}
	if e.wire.name == wireOllama {
		e.ollamaWindow(s.config.Window)
	}
	e.bill = e.meter.measure(e.prompt, e.left)
	if e.wire.name == openai.WireResponses && since(e.model.ID) >= 5.6 {
		e.left = s.binder.leave(e.prompt, e.bill.bound, e.model.ID)
	}
	if e.wire.name == anthropic.Wire {
		e.dropOn()
	}
	if len(e.left) > 0 {
		e.bill = e.meter.measure(e.prompt, e.left)
	}
}

// dropOn leaves out all thinking behind the first that is bound elsewhere, as
// drop_block says.
func (e *exchange) dropOn() {
	dropping := false
	for i, b := range e.prompt.blocks {
		if e.left[i] == prefixMismatch {
			dropping = true
		}
		if dropping && b.sealed && e.left[i] == "" {
			e.left[i] = prefixMismatch
		}
	}
}

// ollamaWindow is what the request sets, what the server is set to, or little;
// never more than the model has.
func (e *exchange) ollamaWindow(configured int) {
	window := e.prompt.window
	if window == 0 {
		window = configured
	}
	if window == 0 {
		window = ollamaWindow
	}
	e.model.Window = min(window, e.model.Window)
}

// A tooLong is the refusal of a prompt that is longer than the window.
type tooLong struct {
	status int
	body   []byte
}

// fits refuses a prompt that is too long for the model, or says which silence
// the server keeps about it.
func (e *exchange) fits() (refusal *tooLong, silence Silence) {
	d := e.dialect
	counted := e.bill.tokens
	withOutput := d.WithOutput || e.wire.name == anthropic.Wire && since(e.model.ID) < 4.5
	if withOutput {
		counted += e.prompt.maxOutput
	}
	switch {
	case counted <= e.model.Window:
		return nil, Speaks
	case d.Silent != Speaks:
		return nil, d.Silent
	case e.wire.name == wireOllama && !e.prompt.whole:
		return nil, CutsOldest
	case d.Name == "anthropic" && e.bill.tokens <= e.model.Window:
		d, _ = DialectNamed("anthropic-older") // it is there
	}
	return e.tooLong(d, e.model.Window), Speaks
}

// tooLong refuses the prompt in the words of a server.
func (e *exchange) tooLong(d Dialect, limit int) *tooLong {
	words := overflow{used: e.bill.tokens, limit: limit, output: e.prompt.maxOutput, bytes: len(e.body), model: e.model.ID}.words(d.Body)
	if strings.HasPrefix(words, "{") || words == "" {
		return &tooLong{d.Status, []byte(words)}
	}
	r := e.invalid(words)
	r.Status = d.Status
	return &tooLong{d.Status, e.wire.envelope(r, e.id("req"))}
}

// cutOldest leaves out the oldest messages until the rest fits, and keeps the
// system prompt and the last message.
func (e *exchange) cutOldest() {
	last := len(e.prompt.said) - 1
	for n := 0; n < last && e.bill.tokens > e.model.Window; n++ {
		if role := e.prompt.said[n].role; role == "system" || role == "developer" {
			continue
		}
		for i, b := range e.prompt.blocks {
			if b.message == n {
				e.left[i] = "too long"
			}
		}
		e.bill = e.meter.measure(e.prompt, e.left)
	}
	if e.bill.tokens > e.model.Window {
		e.bill.tokens = e.model.Window // the last message itself is cut
	}
	for i, why := range e.left {
		if why == "too long" {
			delete(e.left, i) // nothing is said about it
		}
	}
}

// leftOut lists the thinking that was not read, in order.
func (e *exchange) leftOut() []leftOut {
	var all []leftOut
	k, message := 0, -1
	for i, b := range e.prompt.blocks {
		if b.message != message {
			k, message = 0, b.message
		}
		if why, out := e.left[i]; out {
			all = append(all, leftOut{path: fmt.Sprintf("messages.%d.content.%d", b.message, k), id: textAt(b.json, "id"), reason: why})
		}
		k++
	}
	return all
}

// bound is the hash of the whole prompt without thinking.
func (e *exchange) bound() message.Hash {
	if n := len(e.bill.bound); n > 0 {
		return e.bill.bound[n-1]
	}
	return message.Hash{}
}

// hash returns hexadecimal digits that no other answer has, the same in each
// run: of the body, the number of the request, and n.
func (e *exchange) hash(n int) string {
	sum := message.HashOf(append([]byte(strconv.Itoa(e.number)+" "+strconv.Itoa(n)+" "), e.body...))
	return hex.EncodeToString(sum[:])
}

func (e *exchange) id(prefix string) string { return prefix + "_" + e.hash(-1)[:24] }
