package snapshot

import (
	"strconv"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// SerialiseOptions are the settings of Serialise. The zero value is ready to
// use.
type SerialiseOptions struct {
	// Thinking includes what the model thought. Default: left out; it is the
	// longest part of many answers, and the answer holds its outcome.
	Thinking bool

	// Stub returns what stands for an entry (Part 0) or for a part of one.
	// An empty text leaves it out: something before it says so. ok is false
	// where it is written whole. Default: everything is.
	Stub func(history.Handle) (text string, ok bool)
}

// Serialise writes a path, or a range of one, as the text that pages show: a
// segment for each entry that has something to say. Every part stands whole
// behind a line that tells who speaks, by whose hand it came (P13), and its
// handle:
//
//	▶user 412          typed by a person
//	▶ai 413.1          answered by the model
//	▶call 413.2 bash   a tool call, and its arguments
//	▶out 414 bash      what the tool returned, or how it failed
//
// A result names its call (of 413.2) where its message made several. Nothing
// in a part's own text can be taken for such a line: a ▶ in it, and what looks
// like one, is written as its code (¬25B6;), and a ¬ is doubled.
//
// The text of an entry depends on it and on what stands before it, so a longer
// path only adds segments. Compactions and records that no model gets have no
// segment. Results are paired with the calls in path: a range should begin at
// a turn boundary.
func Serialise(path []*history.Entry, o SerialiseOptions) []Segment {
	w := serialiser{SerialiseOptions: o, calls: callNames(path)}
	segments := make([]Segment, 0, len(path))
	for i, e := range path {
		w.entry(i, e)
		if w.text.Len() > 0 {
			segments = append(segments, Segment{
				Handle: e.Handle().String(),
				Text:   w.text.String(),
				Grey:   e.Message.Role == message.Tool,
			})
			w.text = strings.Builder{}
		}
	}
	return segments
}

// A callName is what a result's line says of its call.
type callName struct {
	tool string
	of   string // the call's handle, where its message made several calls
}

// callNames maps results to their calls. Places count entries of path.
func callNames(path []*history.Entry) map[message.Place]callName {
	var nothing message.Message // stands for a compaction
	pairing := message.Pair(func(yield func(*message.Message) bool) {
		for _, e := range path {
			m := e.Message
			if m == nil {
				nothing = message.Message{Author: message.ByHarness, Parts: []message.Part{message.Opaque{}}}
				m = &nothing
			}
			if !yield(m) {
				return
			}
		}
	})
	perMessage := map[int]int{}
	for _, c := range pairing.Calls {
		perMessage[c.At.Message]++
	}
	names := make(map[message.Place]callName, len(pairing.Calls))
	for _, c := range pairing.Calls {
		if c.State != message.Answered {
			continue
		}
		name := callName{tool: c.Name}
		if perMessage[c.At.Message] > 1 {
			name.of = partHandle(path[c.At.Message], c.At.Part).String()
		}
		names[c.Result] = name
	}
	return names
}

// partHandle names the part of an entry with an index from 0. The only part of
// an entry is named by the entry.
func partHandle(e *history.Entry, part int) history.Handle {
	if len(e.Message.Parts) == 1 {
		return e.Handle()
	}
	return history.Handle{Depth: e.Depth, Part: part + 1}
}

type serialiser struct {
	SerialiseOptions
	calls map[message.Place]callName
	text  strings.Builder // of the entry under way
}

func (w *serialiser) entry(index int, e *history.Entry) {
	m := e.Message
	if m == nil || m.Silent() {
		return
	}
	if w.stubbed(e.Handle()) {
		return
	}
	for i, p := range m.Parts {
		if isThinking(p) && !w.Thinking || w.stubbed(history.Handle{Depth: e.Depth, Part: i + 1}) {
			continue
		}
		w.part(partHandle(e, i), p, m, w.calls[message.Place{Message: index, Part: i}])
	}
}

// stubbed writes the stub of a place, if it has one.
func (w *serialiser) stubbed(h history.Handle) bool {
	if w.Stub == nil {
		return false
	}
	text, ok := w.Stub(h)
	if ok && text != "" {
		w.scope(scopeStub, h, nil, text)
	}
	return ok
}

func isThinking(p message.Part) bool {
	switch p.(type) {
	case message.Thinking, message.RedactedThinking:
		return true
	}
	return false
}

func (w *serialiser) part(h history.Handle, p message.Part, m *message.Message, call callName) {
	switch p := p.(type) {
	case message.Text:
		if p.Text != "" {
			w.scope(speaker(m), h, nil, p.Text)
		}
	case message.Thinking:
		w.scope(scopeThink, h, nil, p.Text)
	case message.RedactedThinking:
		w.scope(scopeThink, h, []string{"hidden"}, "")
	case message.ToolCall:
		w.scope(scopeCall, h, []string{p.Name}, argumentText(p.Arguments))
	case message.ToolResult:
		w.result(h, p, m, call)
	case message.Image:
		w.scope(scopeImage, h, mediaWords(p.Media, p.WidthPx, p.HeightPx), "")
	case message.Document:
		w.scope(scopeDocument, h, mediaWords(p.Media, 0, 0), "")
	case message.Opaque:
		w.scope(scopeOpaque, h, []string{p.Format, strconv.Itoa(len(p.Raw)), "bytes"}, "")
	}
}

// result writes a line for the result and one for each thing in it that is no
// text. Text behind such a thing stands behind a line of its own again.
func (w *serialiser) result(h history.Handle, r message.ToolResult, m *message.Message, call callName) {
	words := []string{call.tool}
	if call.tool == "" {
		words[0] = r.Name
	}
	if call.of != "" {
		words = append(words, "of", call.of)
	}
	if r.IsError() {
		words = append(words, string(r.Outcome))
	}
	for i, c := range r.Content {
		text, isText := c.(message.Text)
		if i == 0 || isText {
			w.scope(scopeOut, h, words, text.Text)
		}
		if !isText {
			w.part(h, c, m, callName{})
		}
	}
	if len(r.Content) == 0 {
		w.scope(scopeOut, h, words, "")
	}
}

// mediaWords describes an image or a document: media type, size in pixels
// where there is one, bytes, name, address.
func mediaWords(m message.Media, widthPx, heightPx int) []string {
	words := []string{m.Type}
	if widthPx > 0 {
		words = append(words, strconv.Itoa(widthPx)+"x"+strconv.Itoa(heightPx))
	}
	if m.Size > 0 {
		words = append(words, strconv.FormatInt(m.Size, 10), "bytes")
	}
	if m.Name != "" {
		words = append(words, m.Name)
	}
	if m.URL != "" {
		words = append(words, m.URL)
	}
	return words
}
