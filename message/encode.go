package message

import (
	"encoding/base64"
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/stemma-history/stemma/internal/rawjson"
)

// LargeText is the size in bytes from which the text of a tool result is kept
// as a blob: dumps of this size are often the same file read again.
const LargeText = 16 << 10

// pieceLen is the longest blob that a text becomes, in bytes. A longer text is
// several, wherever it stands, so that no store has to hold all of it in one row,
// and once more while it writes that: lines of hundreds of megabytes exist (Codex, 2026).
const pieceLen = 8 << 20

// A Blob is bytes that a body names by their hash instead of holding them. The
// bytes may be those of a string: they must not be changed.
type Blob struct {
	Hash Hash
	Type string // media type
	Data []byte
}

// NewBlob returns data as a blob.
func NewBlob(mediaType string, data []byte) Blob {
	return Blob{Hash: HashOf(data), Type: mediaType, Data: data}
}

// Encode returns the JSON body of m and the blobs it refers to: the bytes of
// images and documents, and the text of large results. The same message gives
// the same bytes. docs/format.md describes the body.
func Encode(m Message) (body []byte, blobs []Blob) {
	e := encoder{buf: make([]byte, 0, 256)}
	e.buf = append(e.buf, '{')
	e.text("role", string(m.Role))
	e.text("author", string(m.Author))
	e.text("wire", m.Wire)
	e.text("model", m.Model)
	e.text("stop", string(m.Stop))
	if m.Settled {
		e.key("settled")
		e.buf = append(e.buf, "true"...)
	}
	e.key("parts")
	e.buf = append(e.buf, '[')
	for i, p := range m.Parts {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.part(p, false)
	}
	e.buf = append(e.buf, ']', '}')
	return e.buf, e.blobs
}

type encoder struct {
	buf   []byte
	blobs []Blob
}

func (e *encoder) part(p Part, inResult bool) {
	e.buf = append(e.buf, '{')
	switch p := p.(type) {
	case Text:
		e.text("type", "text")
		if inResult && len(p.Text) >= LargeText || len(p.Text) > pieceLen {
			e.largeText(bytesOf(p.Text))
		} else {
			e.text("text", p.Text)
		}
		e.text("signature", p.Signature)
		e.raw("extra", []byte(p.Extra))
	case Thinking:
		e.text("type", "thinking")
		e.text("text", p.Text)
		e.text("signature", p.Signature)
		e.raw("raw", p.Raw)
	case RedactedThinking:
		e.text("type", "redacted_thinking")
		e.text("data", p.Data)
	case ToolCall:
		e.text("type", "tool_call")
		e.text("id", p.ID)
		e.text("name", p.Name)
		e.raw("arguments", p.Arguments)
		e.text("signature", p.Signature)
		e.raw("extra", []byte(p.Extra))
	case ToolResult:
		e.text("type", "tool_result")
		e.text("call", p.CallID)
		e.text("name", p.Name)
		e.text("outcome", string(p.Outcome))
		if p.Uneventful {
			e.key("uneventful")
			e.buf = append(e.buf, "true"...)
		}
		e.key("content")
		e.buf = append(e.buf, '[')
		for i, c := range p.Content {
			if i > 0 {
				e.buf = append(e.buf, ',')
			}
			e.part(c, true)
		}
		e.buf = append(e.buf, ']')
	case Image:
		e.text("type", "image")
		e.media(p.Media)
		e.number("width", int64(p.WidthPx))
		e.number("height", int64(p.HeightPx))
	case Document:
		e.text("type", "document")
		e.media(p.Media)
	case Opaque:
		e.text("type", "opaque")
		e.text("format", p.Format)
		e.raw("raw", p.Raw)
	}
	e.buf = append(e.buf, '}')
}

// bytesOf returns the bytes of s without copying them: they must not be changed.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

func (e *encoder) media(m Media) {
	e.text("media_type", m.Type)
	switch {
	case m.Data != nil:
		e.blob(NewBlob(m.Type, m.Data))
	case !m.Blob.IsZero():
		e.text("blob", m.Blob.String())
		e.number("size", m.Size)
	}
	e.text("url", m.URL)
	e.text("name", m.Name)
}

func (e *encoder) blob(b Blob) {
	e.text("blob", b.Hash.String())
	e.number("size", int64(len(b.Data)))
	e.blobs = append(e.blobs, b)
}

// largeText writes a text as a blob or, where it is longer than one may be, as
// several.
func (e *encoder) largeText(text []byte) {
	if len(text) <= pieceLen {
		e.blob(NewBlob("text/plain", text))
		return
	}
	e.key("blobs")
	separator := byte('[')
	for piece := range slices.Chunk(text, pieceLen) {
		b := NewBlob("text/plain", piece)
		e.blobs = append(e.blobs, b)
		e.buf = append(e.buf, separator)
		e.buf = rawjson.AppendString(e.buf, b.Hash.String())
		separator = ','
	}
	e.buf = append(e.buf, ']')
	e.number("size", int64(len(text)))
}

// key writes a member's name and the comma before it.
func (e *encoder) key(name string) {
	if e.buf[len(e.buf)-1] != '{' {
		e.buf = append(e.buf, ',')
	}
	e.buf = append(e.buf, '"')
	e.buf = append(e.buf, name...)
	e.buf = append(e.buf, '"', ':')
}

func (e *encoder) number(name string, n int64) {
	if n != 0 {
		e.key(name)
		e.buf = strconv.AppendInt(e.buf, n, 10)
	}
}

// text writes a string, or nothing if it is empty. A string that JSON cannot
// carry (bytes that are no UTF-8) goes under name_base64.
func (e *encoder) text(name, s string) {
	if s == "" {
		return
	}
	if utf8.ValidString(s) || rawjson.Text(rawjson.AppendString(nil, s)) == s {
		e.key(name)
		e.buf = rawjson.AppendString(e.buf, s)
		return
	}
	e.key(name + "_base64")
	e.buf = append(e.buf, '"')
	e.buf = base64.StdEncoding.AppendEncode(e.buf, []byte(s))
	e.buf = append(e.buf, '"')
}

// around is how many levels of JSON may stand around a raw value: five of a
// body, the rest of lines and records that hold one. A value that is nested as
// deeply as JSON is read could not be read again inside of them.
const around = 16

// raw writes JSON exactly as it came, or nothing if it is empty. What is no
// JSON, has spaces around it or is nested too deeply goes under name_text as a
// string.
func (e *encoder) raw(name string, value []byte) {
	if len(value) == 0 {
		return
	}
	if rawjson.Fits(value, around) && utf8.Valid(value) {
		e.key(name)
		e.buf = append(e.buf, value...)
		return
	}
	e.text(name+"_text", string(value))
}
