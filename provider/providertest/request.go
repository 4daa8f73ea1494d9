package providertest

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"maps"
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

// A request is what was asked, and what is known of it so far.
type request struct {
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
func (s *Server) check(q *request, r *http.Request) *wire.Refusal {
	q.model, q.known = s.config.model(q.modelName(), q.dialect)
	q.limits = s.limitsFor(q.wire, q.dialect, q.model)
	if beta := r.Header.Get("anthropic-beta"); beta != "" {
		for name := range strings.SplitSeq(beta, ",") {
			q.limits.Betas = append(q.limits.Betas, strings.TrimSpace(name))
		}
	}
	if most := q.limits.BodyBytes; most > 0 && len(q.body) > most {
		return q.wire.check(q.body, wire.Limits{BodyBytes: most})
	}
	for _, refusal := range []*wire.Refusal{s.unauthorised(q, r), unsigned(q, r), unknownModel(q)} {
		switch {
		case refusal == nil:
		case !rawjson.Valid(q.body):
			return q.wire.check(q.body, wire.Limits{})
		default:
			return refusal
		}
	}
	q.prompt = q.wire.read(q.body)
	q.prompt.stream = q.prompt.stream || q.to.stream
	q.left = map[int]string{}
	q.limits.Thinking = s.binder.forged
	if q.wire.name == anthropic.Wire {
		j := &judge{binder: s.binder, model: q.model.ID, checks: q.model.ChecksThinking, frame: q.prompt.frame, left: q.left}
		q.limits.Thinking = j.look
	}
	if q.to.action != generates {
		q.limits.MaxOutput = 0 // it is not asked for
	}
	if refusal := q.wire.check(q.body, q.limits); refusal != nil {
		return refusal
	}
	s.measure(q)
	return cmp.Or(quirk(q), s.moved(q), blind(q))
}

func (q *request) modelName() string {
	if q.to.model != "" {
		return q.to.model
	}
	return textAt(q.body, "model")
}

// measure bills the prompt, without the thinking that is not read.
func (s *Server) measure(q *request) {
	q.meter = meter{scales: s.scales, factor: s.config.Factor, model: q.model}
	if q.wire.name == wireOllama {
		q.ollamaWindow(s.config.Window)
	}
	q.bill = q.meter.measure(q.prompt, q.left)
	if q.wire.name == openai.WireResponses && since(q.model.ID) >= 5.6 {
		q.left = s.binder.leave(q.prompt, q.bill.bound, q.model.ID)
	}
	if q.wire.name == anthropic.Wire {
		q.dropOn()
	}
	if len(q.left) > 0 {
		q.bill = q.meter.measure(q.prompt, q.left)
	}
}

// dropOn leaves out all thinking behind the first that is bound elsewhere, as
// drop_block says.
func (q *request) dropOn() {
	dropping := false
	for i, b := range q.prompt.blocks {
		if q.left[i] == prefixMismatch {
			dropping = true
		}
		if dropping && b.sealed && q.left[i] == "" {
			q.left[i] = prefixMismatch
		}
	}
}

// ollamaWindow is what the request sets, what the server is set to, or little;
// never more than the model has.
func (q *request) ollamaWindow(configured int) {
	window := q.prompt.window
	if window == 0 {
		window = configured
	}
	if window == 0 {
		window = ollamaWindow
	}
	q.model.Window = min(window, q.model.Window)
}

// A tooLong is the refusal of a prompt that is longer than the window.
type tooLong struct {
	status int
	body   []byte
}

// fits refuses a prompt that is too long for the model, or says which silence
// the server keeps about it.
func (q *request) fits() (refusal *tooLong, silence Silence) {
	d := q.dialect
	counted := q.bill.tokens
	withOutput := d.WithOutput || q.wire.name == anthropic.Wire && since(q.model.ID) < 4.5
	if withOutput {
		counted += q.prompt.maxOutput
	}
	switch {
	case counted <= q.model.Window:
		return nil, Speaks
	case d.Silent != Speaks:
		return nil, d.Silent
	case q.wire.name == wireOllama && !q.prompt.whole:
		return nil, CutsOldest
	case d.Name == "anthropic" && q.bill.tokens <= q.model.Window:
		d, _ = DialectNamed("anthropic-older") // it is there
	}
	return q.tooLong(d, q.model.Window), Speaks
}

// tooLong refuses the prompt in the words of a server.
func (q *request) tooLong(d Dialect, limit int) *tooLong {
	words := strings.NewReplacer(
		"{used}", strconv.Itoa(q.bill.tokens),
		"{limit}", strconv.Itoa(limit),
		"{output}", strconv.Itoa(q.prompt.maxOutput),
		"{total}", strconv.Itoa(q.bill.tokens+q.prompt.maxOutput),
		"{excess}", strconv.Itoa(q.bill.tokens-limit),
		"{bytes}", strconv.Itoa(len(q.body)),
	).Replace(d.Body)
	if strings.HasPrefix(words, "{") || words == "" {
		return &tooLong{d.Status, []byte(words)}
	}
	r := q.invalid(words)
	r.Status = d.Status
	return &tooLong{d.Status, q.wire.envelope(r, q.id("req"))}
}

// cutSilently is why a block is not read of which nothing is said.
const cutSilently = "too long"

// cutOldest leaves out the oldest messages until the rest fits, and keeps the
// system prompt and the last message.
func (q *request) cutOldest() {
	last := len(q.prompt.said) - 1
	for n := 0; n < last && q.bill.tokens > q.model.Window; n++ {
		if role := q.prompt.said[n].role; role == "system" || role == "developer" {
			continue
		}
		for i, b := range q.prompt.blocks {
			if b.message == n {
				q.left[i] = cutSilently
			}
		}
		q.bill = q.meter.measure(q.prompt, q.left)
	}
	if q.bill.tokens > q.model.Window {
		q.bill.tokens = q.model.Window // the last message itself is cut
	}
	maps.DeleteFunc(q.left, func(_ int, why string) bool { return why == cutSilently })
}

// leftOut lists the thinking that was not read, in order.
func (q *request) leftOut() []leftOut {
	var all []leftOut
	k, message := 0, -1
	for i, b := range q.prompt.blocks {
		if b.message != message {
			k, message = 0, b.message
		}
		if why, out := q.left[i]; out {
			all = append(all, leftOut{path: fmt.Sprintf("messages.%d.content.%d", b.message, k), id: textAt(b.json, "id"), reason: why})
		}
		k++
	}
	return all
}

// bound is the hash of the whole prompt without thinking.
func (q *request) bound() message.Hash {
	if n := len(q.bill.bound); n > 0 {
		return q.bill.bound[n-1]
	}
	return message.Hash{}
}

// hash returns hexadecimal digits that no other answer has, the same in each
// run: of the body, the number of the request, and n.
func (q *request) hash(n int) string {
	sum := message.HashOf(append([]byte(strconv.Itoa(q.number)+" "+strconv.Itoa(n)+" "), q.body...))
	return hex.EncodeToString(sum[:])
}

func (q *request) id(prefix string) string { return prefix + "_" + q.hash(-1)[:24] }
