package anthropic

import (
	"encoding/base64"
	"fmt"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

// maxIDLen is the longest id of a tool call that the API takes.
const maxIDLen = 64

// validID is the API's pattern for ids of tool calls, ^[a-zA-Z0-9_-]+$.
func validID(id string) bool {
	for _, c := range []byte(id) {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-') {
			return false
		}
	}
	return id != "" && len(id) <= maxIDLen
}

func makeID(at history.Handle) string { return fmt.Sprintf("toolu_%d_%d", at.Depth, at.Part) }

func (e *encoder) part(p wire.Part) {
	switch part := p.Part.(type) {
	case message.Text:
		e.appendText(part.Text)
	case message.Thinking:
		e.buf = appendThinking(e.buf, part)
	case message.RedactedThinking:
		e.buf = append(e.buf, `{"type":"redacted_thinking","data":`...)
		e.buf = append(rawjson.AppendString(e.buf, part.Data), '}')
	case message.ToolCall:
		e.call(p.At, part)
	case message.ToolResult:
		e.result(p.At, part)
	case message.Image:
		e.image(p.At, part)
	case message.Document:
		e.document(p.At, part)
	case message.Opaque:
		e.buf = append(e.buf, part.Raw...)
	}
}

func (e *encoder) call(at history.Handle, c message.ToolCall) {
	e.buf = append(e.buf, `{"type":"tool_use","id":`...)
	e.buf = rawjson.AppendString(e.buf, c.ID)
	e.buf = append(e.buf, `,"name":`...)
	e.buf = rawjson.AppendString(e.buf, validName(c.Name))
	e.buf = append(e.buf, `,"input":`...)
	switch {
	case rawjson.Valid(c.Arguments) && c.Arguments[0] == '{':
		e.buf = append(e.buf, c.Arguments...)
	case len(c.Arguments) == 0:
		e.buf = append(e.buf, '{', '}')
	default:
		e.note(at, "the arguments of the call are no JSON object; they are sent as text inside one")
		e.buf = append(e.buf, `{"malformed_arguments":`...)
		e.buf = append(rawjson.AppendString(e.buf, string(c.Arguments)), '}')
	}
	e.buf = append(e.buf, '}')
}

// validName makes a tool's name fit the API's pattern, ^[a-zA-Z0-9_-]{1,64}$.
func validName(name string) string {
	if validID(name) {
		return name
	}
	fitted := []byte(name)
	for i, c := range fitted {
		if !validID(string(c)) {
			fitted[i] = '_'
		}
	}
	if len(fitted) == 0 {
		return "unnamed"
	}
	return string(fitted[:min(len(fitted), maxIDLen)])
}

// outcomes say how a call ended where its result has no words of its own.
var outcomes = map[message.Outcome]string{
	message.Failed:  "The tool failed without a message.",
	message.Denied:  "The call was denied and did not run.",
	message.Aborted: "The call was stopped before it had an effect.",
	message.Unknown: wire.Interrupted,
}

func (e *encoder) result(at history.Handle, r message.ToolResult) {
	e.buf = append(e.buf, `{"type":"tool_result","tool_use_id":`...)
	e.buf = rawjson.AppendString(e.buf, r.CallID)
	content := make([]message.Content, 0, len(r.Content))
	for _, c := range r.Content {
		if !blank(c) {
			content = append(content, c)
		}
	}
	if words := outcomes[r.Outcome]; len(content) == 0 && words != "" {
		content = append(content, message.Text{Text: words})
	}
	if len(content) > 0 {
		e.buf = append(e.buf, `,"content":[`...)
		for i, c := range content {
			if i > 0 {
				e.buf = append(e.buf, ',')
			}
			e.part(wire.Part{Part: c, At: at})
		}
		e.buf = append(e.buf, ']')
	}
	if r.IsError() {
		e.buf = append(e.buf, `,"is_error":true`...)
	}
	e.buf = append(e.buf, '}')
}

// blank reports what stands in a result but cannot be sent: empty texts, and
// blocks of other wires.
func blank(c message.Content) bool {
	switch c := c.(type) {
	case message.Text:
		return wire.Blank(c)
	case message.Opaque:
		return c.Format != Wire
	}
	return false
}

// imageTypes are the media types the API takes.
var imageTypes = map[string]bool{"image/jpeg": true, "image/png": true, "image/gif": true, "image/webp": true}

func (e *encoder) image(at history.Handle, img message.Image) {
	if img.URL != "" && img.Data == nil && img.Blob.IsZero() {
		e.source("image", `"url","url":`, img.URL)
		return
	}
	if !imageTypes[img.Type] {
		e.instead(at, fmt.Sprintf("image of type %s, which this provider does not take", img.Type))
		return
	}
	e.data("image", at, img.Media)
}

func (e *encoder) document(at history.Handle, d message.Document) {
	switch {
	case d.URL != "" && d.Data == nil && d.Blob.IsZero():
		e.source("document", `"url","url":`, d.URL)
	case d.Type == "application/pdf":
		e.data("document", at, d.Media)
	case d.Type == "text/plain":
		if data, ok := e.bytes(at, d.Media); ok {
			e.source("document", `"text","media_type":"text/plain","data":`, string(data))
		}
	default:
		e.instead(at, fmt.Sprintf("document of type %s, which this provider does not take", d.Type))
	}
}

func (e *encoder) data(kind string, at history.Handle, m message.Media) {
	data, ok := e.bytes(at, m)
	if !ok {
		return
	}
	e.buf = append(e.buf, `{"type":"`+kind+`","source":{"type":"base64","media_type":`...)
	e.buf = rawjson.AppendString(e.buf, m.Type)
	e.buf = append(e.buf, `,"data":"`...)
	e.buf = base64.StdEncoding.AppendEncode(e.buf, data)
	e.buf = append(e.buf, `"}}`...)
}

func (e *encoder) source(kind, head, value string) {
	e.buf = append(e.buf, `{"type":"`+kind+`","source":{"type":`+head...)
	e.buf = append(rawjson.AppendString(e.buf, value), '}', '}')
}

// bytes returns the data of a medium. Where there is none, the block says so
// instead.
func (e *encoder) bytes(at history.Handle, m message.Media) ([]byte, bool) {
	if m.Data != nil {
		return m.Data, true
	}
	if !m.Blob.IsZero() && e.request.Blob != nil {
		blob, err := e.request.Blob(m.Blob)
		if err == nil {
			return blob.Data, true
		}
		e.err = fmt.Errorf("entry %v: %w", at, err)
	}
	e.instead(at, fmt.Sprintf("%s whose bytes were not kept", m.Type))
	return nil, false
}

// instead writes a text in place of something that cannot be sent.
func (e *encoder) instead(at history.Handle, what string) {
	e.note(at, what)
	e.appendText(fmt.Sprintf("[%v: %s]", at, what))
}
