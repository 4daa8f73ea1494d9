package providertest

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/openai"
)

// A Server plays providers. Serve it with [net/http/httptest.NewServer]. It is
// safe for concurrent use.
type Server struct {
	config Config
	scales *scales
	binder *binder
	cache  *cache

	mu      sync.Mutex
	number  int
	journal Journal
}

// New returns a server.
func New(c Config) *Server {
	c = c.withDefaults()
	return &Server{config: c, scales: newScales(), binder: newBinder(c.Secret), cache: newCache(c.Now)}
}

// Journal returns what was asked so far, ended or not.
func (s *Server) Journal() Journal {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.journal)
}

// mostBytes is the longest body that is read: more than any wire takes.
const mostBytes = 600 << 20

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	to, ok := routeOf(r)
	if !ok {
		http.Error(w, fmt.Sprintf("%s %s is not served here", r.Method, r.URL.Path), http.StatusNotFound)
		return
	}
	if to.action == lists {
		s.listModels(w, to)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, mostBytes))
	if err != nil {
		return // the client is gone
	}
	s.mu.Lock()
	s.number++
	q := &request{to: to, number: s.number, body: body, wire: speakerOf(to.wire), dialect: s.config.Dialect.on(to.wire)}
	s.journal = append(s.journal, Record{})
	s.mu.Unlock()

	record := Record{Number: q.number, At: s.config.Now().UTC(), Action: string(to.action), Wire: to.wire, Body: message.HashOf(body), Bytes: len(body), Status: http.StatusOK}
	out := &output{ctx: r.Context(), to: w, chunk: s.config.Chunks.Bytes}
	w.Header().Set("request-id", q.id("req"))
	w.Header().Set("x-request-id", q.id("req"))
	s.serve(q, r, out, &record)

	s.mu.Lock()
	s.journal[q.number-1] = record
	s.mu.Unlock()
	s.config.Observe(record)
	if err := s.log(q, record, out); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	out.send()
}

// serve decides what is answered.
func (s *Server) serve(q *request, r *http.Request, out *output, record *Record) {
	refusal := s.check(q, r)
	record.Model, record.Window, record.Tokens, record.Images = q.model.ID, q.model.Window, q.bill.tokens, q.bill.images
	if refusal != nil {
		s.refuse(q, out, record, refusal)
		return
	}
	switch q.to.action {
	case counts:
		out.whole(http.StatusOK, s.counted(q))
		return
	case compacts:
		out.whole(http.StatusOK, s.compacted(q, record))
		return
	}
	refused, silence := q.fits()
	record.Overflow = refused != nil || silence != Speaks
	if refused != nil {
		s.overflow(q, out, record, refused)
		return
	}
	answer := Answer{Stop: message.StopLength}
	switch silence {
	case SaysNought:
		q.bill.tokens = q.model.Window
	case CutsOldest:
		q.cutOldest()
		fallthrough
	default:
		answer = s.config.Script(q.ask())
	}
	switch f := answer.Fault.(type) {
	case Refuse:
		s.refuseAsTold(q, out, record, f)
	case Overflow:
		record.Overflow, record.Fault = true, "refused as too long"
		d := q.dialect
		if d.Silent != Speaks {
			d = Dialect{}.on(q.wire.name)
		}
		s.overflow(q, out, record, q.tooLong(d, q.bill.tokens/2))
	default:
		s.answer(q, out, record, answer)
	}
}

// ask is the request as a script sees it.
func (q *request) ask() Ask {
	return Ask{Wire: q.wire.name, Model: q.model.ID, Number: q.number, Tokens: q.bill.tokens, Window: q.model.Window, MaxOutput: q.prompt.maxOutput, Stream: q.prompt.stream, Body: q.body, prompt: q.prompt}
}

// answer bills and sends what a script says.
func (s *Server) answer(q *request, out *output, record *Record, a Answer) {
	q.cached = s.cache.account(q.wire.name, q.model, q.prompt, q.bill)
	if q.cached.read+q.cached.write+q.cached.writeHour > q.bill.tokens {
		q.cached = cached{} // the prompt was cut behind what is counted
	}
	reply := s.compose(q, a)
	record.Usage = billed(q, reply)
	record.Dropped = len(reply.left)
	if f, ok := a.Fault.(Misbill); ok {
		reply.used.misbill(f.Factor)
	}
	if a.Fault != nil {
		record.Fault = fmt.Sprintf("%T%+v", a.Fault, a.Fault)
	}
	out.fault = a.Fault
	if !q.prompt.stream {
		out.whole(http.StatusOK, q.wire.whole(reply))
		return
	}
	frames := q.wire.stream(reply, s.config.Chunks)
	if f, ok := a.Fault.(Fail); ok {
		refusal := Refuse{Status: 529, Type: f.Type, Message: f.Message}.refusal(q.wire.name)
		frames = append(frames[:min(f.After, len(frames))], q.wire.failed(reply, refusal))
	}
	out.stream(q.wire.media, frames)
}

// billed is what an answer costs, with its price.
func billed(q *request, r *reply) history.Usage {
	c := r.used.cached
	return history.Usage{
		Input:      int64(r.used.prompt - c.read - c.write - c.writeHour),
		CacheRead:  int64(c.read),
		CacheWrite: int64(c.write + c.writeHour),
		Output:     int64(r.used.output),
		Reasoning:  int64(r.used.thinking),
		CostUSD:    price(q.model, r.used.prompt, c, r.used.output),
	}
}

func (u *used) misbill(factor float64) {
	u.prompt = int(float64(u.prompt) * factor)
	u.cached = cached{}
}

// refuse sends a refusal.
func (s *Server) refuse(q *request, out *output, record *Record, r *wire.Refusal) {
	record.Status, record.Refused = r.Status, cmp.Or(r.Message, http.StatusText(r.Status))
	out.whole(r.Status, q.wire.envelope(r, q.id("req")))
}

// overflow refuses a prompt that is too long: over the Responses API inside a
// stream that has begun well. (Vendor's documentation, 2026-10.)
func (s *Server) overflow(q *request, out *output, record *Record, r *tooLong) {
	record.Refused = cmp.Or(string(r.body), "(no body)")
	if q.wire.name != openai.WireResponses || !q.prompt.stream {
		record.Status = r.status
		out.whole(r.status, r.body)
		return
	}
	reply := s.compose(q, Answer{})
	begun := q.wire.stream(reply, s.config.Chunks)[:2]
	fault := &wire.Refusal{Code: textAt(r.body, "error", "code"), Message: textAt(r.body, "error", "message")}
	out.stream(q.wire.media, append(begun, q.wire.failed(reply, fault)))
}

// refuseAsTold refuses because a script says so.
func (s *Server) refuseAsTold(q *request, out *output, record *Record, f Refuse) {
	record.Fault = fmt.Sprintf("refused with %d", f.Status)
	r := f.refusal(q.wire.name)
	if f.RetryAfter > 0 {
		out.to.Header().Set("retry-after", strconv.Itoa(int(f.RetryAfter.Seconds())))
	}
	s.refuse(q, out, record, r)
	if f.Bare {
		out.whole(r.Status, nil)
	}
}
