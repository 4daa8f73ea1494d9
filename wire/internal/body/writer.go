package body

import (
	"bytes"
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/internal/verdict"
)

// A Writer writes one body. The same request gives the same bytes.
type Writer struct {
	Request wire.Request
	JSON    []byte
	// Open is what a wire has begun and not yet ended, such as the role of a
	// message: a note to itself, empty at first.
	Open string

	limits  wire.Limits
	sealer  *wire.Sealer
	notes   []wire.Note
	err     error         // of fetching a blob
	element verdict.Place // begun last

	// fresh is the message whose thinking is taken unseen, to learn its seals;
	// -1 for none.
	fresh int
	seals map[history.Handle]message.Hash
}

// size guesses how long the body of messages will be, a little too long rather
// than too short.
func size(messages []wire.Message) int {
	const most = 64 << 20 // sizes of blobs are only said
	n := 1 << 10
	for i := range messages {
		for _, p := range messages[i].Parts {
			n += sizeOf(p)
		}
	}
	return min(n+n/16, most)
}

func sizeOf(p message.Part) int {
	const syntax, inside = 96, 32 // of a block, and of what a result holds
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
			n += sizeOf(c) - syntax + inside
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

// Members writes the members of an object behind those that are there.
func (w *Writer) Members(object string) {
	inside := strings.TrimSpace(strings.TrimPrefix(object, "{"))
	if inside = strings.TrimSpace(strings.TrimSuffix(inside, "}")); inside != "" {
		w.Next()
		w.Value([]byte(inside))
	}
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

// Element begins an element of the conversation: a message, an item, a content.
func (w *Writer) Element() {
	w.Next()
	if w.element.Offset > 0 {
		w.element.Index++
	}
	w.element.Offset = len(w.JSON)
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
