package body

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

// A Writer writes one body. The same request gives the same bytes.
type Writer struct {
	Request wire.Request
	JSON    []byte

	limits wire.Limits
	sealer *wire.Sealer
	notes  []wire.Note
	err    error // of fetching a blob

	// fresh is the message whose thinking is taken unseen, to learn its seals;
	// -1 for none.
	fresh int
	seals map[history.Handle]message.Hash
}

// NewWriter returns a writer of r for a wire, whose limits apply where r has none.
func NewWriter(r wire.Request, wireName string, limits wire.Limits) *Writer {
	r.Frame.Wire = wireName
	return &Writer{Request: r, JSON: make([]byte, 0, size(&r)), limits: r.Limits.In(limits), sealer: wire.NewSealer(), fresh: -1}
}

// size guesses how long a body will be, a little too long rather than too short.
func size(r *wire.Request) int {
	const most = 64 << 20 // sizes of blobs are only said
	n := 1 << 10
	for i := range r.View.Messages {
		for _, p := range r.View.Messages[i].Parts {
			n += sizeOf(p)
		}
	}
	return min(n+n/16, most)
}

func sizeOf(p message.Part) int {
	const syntax = 128 // of a block
	switch p := p.(type) {
	case message.Text:
		return syntax + len(p.Text) + len(p.Signature)
	case message.Thinking:
		return syntax + len(p.Text) + len(p.Signature) + len(p.Raw)
	case message.ToolCall:
		return syntax + len(p.Arguments) + len(p.Signature)
	case message.ToolResult:
		n := syntax
		for _, c := range p.Content {
			n += sizeOf(c)
		}
		return n
	case message.Image:
		return syntax + mediumSize(p.Media)
	case message.Document:
		return syntax + mediumSize(p.Media)
	case message.Opaque:
		return syntax + len(p.Raw)
	}
	return syntax
}

func mediumSize(m message.Media) int {
	const most = 16 << 20
	return base64.StdEncoding.EncodedLen(len(m.Data) + int(min(max(m.Size-int64(len(m.Data)), 0), most)))
}

// Finish checks what was written. An error is a [*wire.Refusal] where the
// provider would not take the body.
func (w *Writer) Finish(provider string, check func([]byte, wire.Limits) *wire.Refusal) (wire.Body, error) {
	if w.err != nil {
		return wire.Body{}, w.err
	}
	if refusal := check(w.JSON, w.limits); refusal != nil {
		return wire.Body{}, fmt.Errorf("%s would refuse the request: %w", provider, refusal)
	}
	return wire.Body{JSON: w.JSON, Seal: w.sealer.Seal(), Notes: w.notes}, nil
}

// Raw writes JSON as it is.
func (w *Writer) Raw(json string) { w.JSON = append(w.JSON, json...) }

// Value writes a value that came from elsewhere byte for byte, except what is
// no Unicode text (half a surrogate pair), which providers refuse to read.
func (w *Writer) Value(json []byte) {
	if !utf8.Valid(json) {
		json = bytes.ToValidUTF8(json, []byte("\uFFFD"))
	}
	w.JSON = append(w.JSON, rawjson.Paired(json)...)
}

// Text writes a string. What is no Unicode text becomes U+FFFD.
func (w *Writer) Text(s string) {
	w.JSON = rawjson.AppendString(w.JSON, strings.ToValidUTF8(s, "\uFFFD"))
}

// Next writes the comma that a further element or member needs.
func (w *Writer) Next() {
	switch w.JSON[len(w.JSON)-1] {
	case '{', '[', ',', ':':
	default:
		w.JSON = append(w.JSON, ',')
	}
}

// Block seals what write appends.
func (w *Writer) Block(write func()) {
	start := len(w.JSON)
	write()
	w.sealer.Add(w.JSON[start:])
}

// Role seals a role, where it is not written with each block.
func (w *Writer) Role(role string) { w.sealer.Add([]byte(role)) }

// Note tells people what could not be sent as it stands in the view.
func (w *Writer) Note(at history.Handle, what string) {
	w.notes = append(w.notes, wire.Note{At: at, What: what})
}

// Keeps reports whether a part of an answer, thinking or what carries a
// signature of it, may be sent back behind what has been written.
func (w *Writer) Keeps(p wire.Part, answer int) bool {
	if answer == w.fresh {
		w.seals[p.At] = w.sealer.Seal()
		return true
	}
	m := &w.Request.View.Messages[answer].Message
	return w.Request.KeepsThinking(m, p.Seal, w.sealer.Seal())
}

// KeepsThinking is Keeps for thinking; it leaves a note where the answer is no.
func (w *Writer) KeepsThinking(p wire.Part, answer int) bool {
	if w.Keeps(p, answer) {
		return true
	}
	w.Note(p.At, "thinking is left out: it belongs to another model, or what stands before it has changed")
	return false
}

// Seals returns the seals of the thinking in an answer to r, in order: what
// [wire.Request.KeepsThinking] compares when the answer is sent back. encode
// writes a body without checking it.
func Seals(w *Writer, answer message.Message, encode func(*Writer)) ([]message.Hash, error) {
	at := history.Handle{Depth: 1}
	if n := len(w.Request.View.Messages); n > 0 {
		at.Depth = w.Request.View.Messages[n-1].At.Depth + 1
	}
	w.fresh, w.seals = len(w.Request.View.Messages), map[history.Handle]message.Hash{}
	answer.Wire, answer.Model = w.Request.Frame.Wire, w.Request.Frame.Model
	w.Request.View.Messages = append(w.Request.View.Messages[:w.fresh:w.fresh], wire.Message{Message: answer, At: at})
	encode(w)
	var seals []message.Hash
	for i, p := range answer.Parts {
		switch p.(type) {
		case message.Thinking, message.RedactedThinking:
			seals = append(seals, w.seals[history.Handle{Depth: at.Depth, Part: i + 1}])
		}
	}
	return seals, w.err
}
