package body

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/internal/verdict"
)

// A Session is the [wire.Session] of a format.
type Session[S any] struct {
	format Format[S]
	last   *written[S] // nil before the first request, and after one that failed
}

// NewSession returns a session that has written nothing.
func NewSession[S any](f Format[S]) *Session[S] { return &Session[S]{format: f} }

// written is a body, and where the next one may go on from it.
type written[S any] struct {
	request wire.Request
	json    []byte
	at      joint
	known   S // to the checker, of the elements before at.element
}

// A joint is the state of a writer before a step. Nothing before it changes
// as the conversation grows.
type joint struct {
	steps   wire.Point
	length  int // of the JSON
	open    string
	element verdict.Place
	sealer  *wire.Sealer
	notes   []wire.Note
}

// Encode implements [wire.Session].
func (s *Session[S]) Encode(r wire.Request) (wire.Body, error) {
	w, last := s.begin(r)
	if s.last = nil; last != nil {
		w.JSON = make([]byte, last.at.length, last.at.length+size(r.View.Messages[last.at.steps.Messages:]))
		copy(w.JSON, last.json)
	}
	at := s.format.write(w, last)
	if w.err != nil {
		return wire.Body{}, w.err
	}
	t := verdict.Thread[S]{Keep: at.element}
	if last != nil {
		t.From, t.State = last.at.element, last.known
	}
	if refusal := s.format.Check(w.JSON, w.limits, &t); refusal != nil {
		return wire.Body{}, fmt.Errorf("%s would refuse the request: %w", s.format.Provider, refusal)
	}
	// What judges thinking wants to see all of it, each time. The body is the
	// caller's too, who does not write into it.
	if at.element.Offset > 0 && w.limits.Thinking == nil {
		s.last = &written[S]{request: w.Request, json: w.JSON, at: at, known: t.Kept}
	}
	return wire.Body{JSON: slices.Clip(w.JSON), Seal: w.sealer.Seal(), Notes: w.notes}, nil
}

// Seals implements [wire.Session].
func (s *Session[S]) Seals(r wire.Request, answer message.Message) ([]message.Hash, error) {
	if !slices.ContainsFunc(answer.Parts, isThinking) {
		return nil, nil
	}
	at := history.Handle{Depth: 1}
	if n := len(r.View.Messages); n > 0 {
		at.Depth = r.View.Messages[n-1].At.Depth + 1
	}
	w, last := s.begin(r)
	if last != nil { // what is before it is not copied to put the answer behind it
		w.Request.View.Messages = r.View.Messages[last.at.steps.Messages:]
		w.Request.View.Head -= last.at.steps.Messages
		alone := *last
		alone.at.steps = last.at.steps.Alone()
		last = &alone
	}
	w.fresh, w.seals = len(w.Request.View.Messages), map[history.Handle]message.Hash{}
	answer.Wire, answer.Model = w.Request.Frame.Wire, w.Request.Frame.Model
	w.Request.View.Messages = append(w.Request.View.Messages[:w.fresh:w.fresh], wire.Message{Message: answer, At: at})
	s.format.write(w, last)
	var seals []message.Hash
	for i, p := range answer.Parts {
		if isThinking(p) {
			seals = append(seals, w.seals[history.Handle{Depth: at.Depth, Part: i + 1}])
		}
	}
	return seals, w.err
}

func isThinking(p message.Part) bool {
	switch p.(type) {
	case message.Thinking, message.RedactedThinking:
		return true
	}
	return false
}

// begin returns a writer of r. It stands where the body before can be taken up,
// which is last, and has only the end of what is before; or it stands at the
// beginning, and last is nil.
func (s *Session[S]) begin(r wire.Request) (w *Writer, last *written[S]) {
	r.Frame.Wire = s.format.Wire
	w = &Writer{Request: r, limits: s.format.Limits(&r), fresh: -1}
	if last = s.last; last == nil || !last.leadsTo(&r) {
		w.JSON, w.sealer = make([]byte, 0, size(r.View.Messages)), wire.NewSealer()
		return w, nil
	}
	at := &last.at
	w.JSON = slices.Clone(last.json[at.length-1 : at.length])
	w.Open, w.element, w.sealer, w.notes = at.open, at.element, at.sealer.Clone(), at.notes
	return w, last
}

// leadsTo reports whether the body of r begins as this one does up to its
// joint: its view begins with the whole view of this one, as what is marked
// behind the joint would be marked before it otherwise.
func (l *written[S]) leadsTo(r *wire.Request) bool {
	before := &l.request
	return before.CacheKey == r.CacheKey && before.ChecksThinking == r.ChecksThinking && before.Limits == r.Limits &&
		before.View.Head == r.View.Head && before.Frame.Equal(&r.Frame) &&
		beginsWith(r.View.Messages, before.View.Messages)
}

// beginsWith reports whether a view begins with an older one: with the same
// values in memory, as what a view holds does not change.
func beginsWith(messages, older []wire.Message) bool {
	if len(messages) < len(older) {
		return false
	}
	if unsafe.SliceData(messages) == unsafe.SliceData(older) {
		return true
	}
	for i := range older {
		x, y := &messages[i], &older[i]
		if x.At != y.At || x.Role != y.Role || x.Author != y.Author || x.Wire != y.Wire || x.Model != y.Model || x.Stop != y.Stop || x.Settled != y.Settled ||
			!sameSlice(x.Parts, y.Parts) || !slices.Equal(x.Seals, y.Seals) {
			return false
		}
	}
	return true
}

func sameSlice(a, b []message.Part) bool {
	return len(a) == len(b) && unsafe.SliceData(a) == unsafe.SliceData(b)
}

// write writes what comes behind last, and returns where the next body may go on.
func (f *Format[S]) write(w *Writer, last *written[S]) (at joint) {
	var from wire.Point
	if last == nil {
		f.Frame(w)
	} else {
		from = last.at.steps
	}
	steps := wire.NormaliseFrom(w.Request.View, f.Rules, from)
	marks := marksOf(steps, w.Request.View)
	keep := marks.lastPoint(steps)
	for i := range steps {
		if i == keep {
			point, _ := steps[i].Point()
			at = joint{steps: point, length: len(w.JSON), open: w.Open, element: w.element, sealer: w.sealer.Clone(), notes: slices.Clip(w.notes)}
		}
		f.Step(w, &steps[i], marks.at(i))
	}
	f.End(w)
	return at
}

// lastPoint returns the last step that a body may be taken up at, -1 if there is
// none. The mark of what is newest moves: it stands behind.
func (m marks) lastPoint(steps []wire.Step) int {
	for i := m.newest; i >= 0; i-- {
		if _, ok := steps[i].Point(); ok {
			return i
		}
	}
	return -1
}
