// Package draft builds answers out of the pieces in which they come.
package draft

import (
	"unicode/utf8"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider"
)

// A Draft is an answer that is coming in.
type Draft struct {
	// Answer has what is known of the answer beside its parts: wire, stop, bill.
	provider.Answer
	// Shown says that a piece has been shown.
	Shown bool

	show   func(provider.Delta)
	pieces []piece
}

// piece is a part, and what has come of its text or its arguments.
type piece struct {
	part  message.Part
	grown []byte
}

// New returns an answer of which nothing has come. show is told of each piece;
// nil is not.
func New(show func(provider.Delta)) *Draft { return &Draft{show: show} }

// Begin adds a part and returns its index. The part is the draft's own.
func (d *Draft) Begin(p message.Part) int {
	d.pieces = append(d.pieces, piece{part: p})
	i := len(d.pieces) - 1
	if c, ok := p.(message.ToolCall); ok {
		d.tell(provider.Delta{Kind: provider.CallBegins, Part: i, Text: c.Name})
	}
	return i
}

// Grow adds to the text or the arguments of a part.
func (d *Draft) Grow(i int, text string) {
	if text == "" {
		return
	}
	p := &d.pieces[i]
	p.grown = append(p.grown, text...)
	kind := provider.TextDelta
	switch p.part.(type) {
	case message.Thinking:
		kind = provider.ThinkingDelta
	case message.ToolCall:
		kind = provider.ArgumentsDelta
	}
	d.tell(provider.Delta{Kind: kind, Part: i, Text: text})
}

func (d *Draft) tell(delta provider.Delta) {
	if d.show != nil {
		d.Shown = true
		d.show(delta)
	}
}

// Set replaces a part by what it has become. What had grown is in it.
func (d *Draft) Set(i int, p message.Part) { d.pieces[i] = piece{part: p} }

// Amend replaces a part by one of its kind of which more is known. What has grown
// stays.
func (d *Draft) Amend(i int, p message.Part) { d.pieces[i].part = p }

// Part returns a part with what has come of it.
func (d *Draft) Part(i int) message.Part {
	p := d.pieces[i]
	if len(p.grown) == 0 {
		return p.part
	}
	switch part := p.part.(type) {
	case message.Text:
		part.Text += text(p.grown)
		return part
	case message.Thinking:
		part.Text += text(p.grown)
		return part
	case message.ToolCall:
		part.Arguments = p.grown
		return part
	}
	return p.part
}

// Parts returns all parts. An opaque one that has not come whole is left out:
// nobody can tell what its half means.
func (d *Draft) Parts() []message.Part {
	parts := make([]message.Part, 0, len(d.pieces))
	for i := range d.pieces {
		p := d.Part(i)
		if o, ok := p.(message.Opaque); !ok || len(o.Raw) > 0 {
			parts = append(parts, p)
		}
	}
	return parts
}

// text joins characters whose halves came in two pieces: some servers cut where
// UTF-16 can be cut.
func text(grown []byte) string {
	s := string(grown)
	if utf8.ValidString(s) {
		return s
	}
	return rawjson.Text(rawjson.AppendString(nil, s))
}
