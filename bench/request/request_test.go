//go:build unix

package request

import (
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/snapshot"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/wires"
)

// models are what the wires are measured with.
func model(w wires.Wire) string {
	switch w.Name {
	case "gemini":
		return "gemini-3.1-pro"
	case "anthropic":
		return "claude-opus-5-5"
	}
	return "gpt-5.6-sol"
}

func frame(w wires.Wire) wire.Frame {
	return wire.Frame{
		System: []string{strings.Repeat("Work in small steps, and say what you did. ", 200)},
		Tools: []wire.Tool{{Name: "bash", Description: strings.Repeat("runs a command ", 500), Schema: []byte(`{"type":"object","properties":{"command":{"type":"string"}}}`)},
			{Name: "read"}, {Name: "grep"}, {Name: "edit"}},
		Model: model(w), Wire: w.Name,
	}
}

// A run is what an agent keeps between two requests.
type run struct {
	*testing.B
	*teller
	standing reclaim.Standing
	session  wire.Session
	window   int
	draw     reclaim.Draw
	limits   wire.Limits
	request  wire.Request
}

func newRun(b *testing.B, w wires.Wire, window int) *run {
	r := &run{B: b, teller: newTeller(w), session: w.NewSession(), window: window, draw: cached(), limits: w.Limits()}
	r.limits.BodyBytes = 0
	return r
}

// cached draws each page of one snapshot once.
func cached() reclaim.Draw {
	pages := map[int][]byte{}
	return func(shape snapshot.Shape, number int, text []snapshot.Segment) ([]byte, error) {
		if page, ok := pages[number]; ok {
			return page, nil
		}
		page, err := reclaim.DrawPage(shape, number, text)
		pages[number] = page
		return page, err
	}
}

func (r *run) problem() reclaim.Problem {
	m, _, _ := catalog.Default().Find(model(r.wire))
	return reclaim.ProblemFor(m, frame(r.wire), r.path, nil, r.window)
}

// ready is what a run does before it encodes.
func (r *run) ready() wire.Request {
	p := r.problem()
	path, plan, err := r.standing.Ready(p)
	if err != nil || plan != nil && plan.Compaction == nil {
		r.Fatal(err, plan)
	}
	if len(path) > len(r.path) {
		r.path = path
		r.path[len(path)-1].ID = history.NewID()
	}
	view, err := r.standing.View(r.path, r.draw)
	if err != nil {
		r.Fatal(err)
	}
	r.request = wire.Request{Frame: p.Frame, View: view, MaxOutput: 1000, ChecksThinking: true, Limits: &r.limits}
	return r.request
}

func (r *run) send() wire.Body {
	body, err := r.session.Encode(r.ready())
	if err != nil {
		r.Fatal(err)
	}
	return body
}

// think adds a turn that thought, with its seals.
func (r *run) think() {
	r.turn(message.Thinking{Text: r.prose(40), Signature: strings.Repeat("c2lnbmVk", 40)})
	answer := &r.path[len(r.path)-2]
	seals, err := r.session.Seals(r.request, *answer.Message)
	if err != nil {
		r.Fatal(err)
	}
	answer.Seals = seals
}

// history tells a million tokens; one answer in fifty has thought.
func (r *run) history() {
	for len(r.path) < entries {
		r.day(len(r.path) + 100)
		r.send()
		r.think()
	}
	r.add(message.Prompt("And now?"))
}

// measure runs f until the benchmark is settled, and reports the processor time
// that it takes too: the clock of a shared machine says little.
func (r *run) measure(b *testing.B, f func()) {
	r.B = b
	b.ReportAllocs()
	before := processorTime(b)
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(processorTime(b)-before)/1e6/float64(b.N), "cpu-ms/op")
}

func processorTime(b *testing.B) int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// forget makes the run one that has just been loaded.
func (r *run) forget() {
	r.standing, r.session = reclaim.Standing{}, r.wire.NewSession()
}

const noCompaction = 3_000_000

// BenchmarkFirstRequest is a request of a conversation of a million tokens that
// has just been loaded: all of it, and its parts.
func BenchmarkFirstRequest(b *testing.B) {
	for _, w := range wires.All() {
		r := newRun(b, w, noCompaction)
		r.history()
		body, p := r.send(), r.problem()
		million := float64(p.Meter.Tokens(r.standing.Cost(p))) / 1e6
		parts := []struct {
			name string
			do   func(*run)
		}{
			{"whole", func(r *run) { r.forget(); r.send() }},
			{"view", func(r *run) { _, _ = reclaim.View(r.path, r.draw) }},
			{"plan", func(r *run) { reclaim.Due(p) }},
			{"encode", func(r *run) { _, _ = w.Encode(r.request) }},
			{"check", func(r *run) { w.Check(body.JSON, r.limits) }},
		}
		for _, part := range parts {
			b.Run(w.Name+"/"+part.name, func(b *testing.B) {
				r.measure(b, func() { part.do(r) })
				b.ReportMetric(million, "Mtokens")
				b.ReportMetric(float64(len(body.JSON))/1e6, "MB")
			})
		}
		b.Run(w.Name+"/memory", func(b *testing.B) {
			r.B = b
			for b.Loop() {
				r.forget()
				before := live()
				r.send()
				b.ReportMetric(float64(live()-before)/float64(len(body.JSON)), "kept/request")
			}
			runtime.KeepAlive(r)
		})
	}
}

// live is how many bytes are in use.
func live() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkNextRequest is the turn behind a million tokens: what is new on the
// path, the request, and the seals of its answer. copy is what the copying of
// that many bytes alone takes.
func BenchmarkNextRequest(b *testing.B) {
	for _, w := range wires.All() {
		r := newRun(b, w, noCompaction)
		r.history()
		body := r.send()
		b.Run(w.Name, func(b *testing.B) {
			r.measure(b, func() {
				r.think()
				r.send()
			})
		})
		b.Run(w.Name+"/copy", func(b *testing.B) {
			r.measure(b, func() { sink = append(make([]byte, 0, len(body.JSON)+10_000), body.JSON...) })
		})
	}
}

var sink []byte

// BenchmarkCompacted is the first request of such a conversation in a smaller
// window, where it has outgrown it and its pages are at hand; and the one after
// it.
func BenchmarkCompacted(b *testing.B) {
	for _, w := range wires.All() {
		r := newRun(b, w, 1_000_000)
		r.history()
		r.send()
		b.Run(w.Name+"/first", func(b *testing.B) {
			r.measure(b, func() {
				r.forget()
				r.send()
			})
			b.ReportMetric(float64(len(r.send().JSON))/1e6, "MB")
		})
		b.Run(w.Name+"/next", func(b *testing.B) {
			r.measure(b, func() {
				r.think()
				r.send()
			})
		})
	}
}
