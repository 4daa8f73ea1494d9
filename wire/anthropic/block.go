package anthropic

import (
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/internal/body"
)

// maxNameLen is the longest name of a tool: ^[a-zA-Z0-9_-]{1,64}$.
const maxNameLen = 64

// toolIDs is the API's pattern for ids of calls, ^[a-zA-Z0-9_-]+$.
var toolIDs = wire.IDRule{MaxLen: 64, Punctuation: "_-", Prefix: "toolu_"}

func (e *encoder) part(p wire.Part) {
	switch part := p.Part.(type) {
	case message.Text:
		e.text(part.Text)
	case message.Thinking:
		e.Value(appendThinking(nil, part))
	case message.RedactedThinking:
		e.Raw(`{"type":"redacted_thinking","data":`)
		e.Text(part.Data)
		e.Raw(`}`)
	case message.ToolCall:
		e.Raw(`{"type":"tool_use","id":`)
		e.Text(part.ID)
		e.Raw(`,"name":`)
		e.Text(body.Name(part.Name, maxNameLen, "_-"))
		e.Raw(`,"input":`)
		e.Value(e.Arguments(p.At, part.Arguments))
		e.Members(part.Extra)
		e.Raw(`}`)
	case message.ToolResult:
		e.result(p.At, part)
	case message.Image:
		e.image(p.At, part)
	case message.Document:
		e.document(p.At, part)
	case message.Opaque:
		if damaged(part.Raw) {
			e.text(e.Instead(p.At, "data that cannot be read"))
			return
		}
		e.Value(part.Raw)
	}
}

// damaged reports whether a block holds media that could not be decoded.
func damaged(block []byte) bool {
	kind := rawjson.Text(rawjson.Get(rawjson.Get(block, "source"), "type"))
	return kind == "base64" && rawjson.Text(rawjson.Get(block, "type")) == "image"
}

func (e *encoder) result(at history.Handle, r message.ToolResult) {
	e.Raw(`{"type":"tool_result","tool_use_id":`)
	e.Text(r.CallID)
	if len(r.Content) > 0 {
		e.Raw(`,"content":[`)
		for _, c := range r.Content {
			e.Next()
			e.part(wire.Part{Part: c, At: at})
		}
		e.Raw(`]`)
	}
	if r.IsError() {
		e.Raw(`,"is_error":true`)
	}
	e.Raw(`}`)
}

// imageTypes returns the media types the API takes.
func imageTypes() []string { return []string{"image/jpeg", "image/png", "image/gif", "image/webp"} }

func (e *encoder) image(at history.Handle, img message.Image) {
	switch m, words := e.Image(at, img, imageTypes()); {
	case words != "":
		e.text(words)
	case m.URL != "":
		e.source("image", `"url","url":`, m.URL)
	default:
		e.data("image", m.Type, m.Data)
	}
}

func (e *encoder) document(at history.Handle, d message.Document) {
	switch m, words := e.Document(at, d, []string{"application/pdf"}); {
	case words != "":
		e.text(words)
	case m.URL != "":
		e.source("document", `"url","url":`, m.URL)
	case m.IsText():
		e.source("document", `"text","media_type":"text/plain","data":`, string(m.Data))
	default:
		e.data("document", m.Type, m.Data)
	}
}

func (e *encoder) data(kind, mediaType string, data []byte) {
	e.Raw(`{"type":"` + kind + `","source":{"type":"base64","media_type":"` + mediaType + `","data":"`)
	e.Base64(data)
	e.Raw(`"}}`)
}

func (e *encoder) source(kind, head, value string) {
	e.Raw(`{"type":"` + kind + `","source":{"type":` + head)
	e.Text(value)
	e.Raw(`}}`)
}
