package anthropic

import (
	"errors"
	"fmt"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
)

// Wire is the name of this wire in messages and opaque parts.
const Wire = "anthropic"

// DecodeContent reads the content of a message: a string, or an array of
// blocks. Cache marks are dropped: they belong to one request, not to the
// conversation. The parts keep slices of content.
func DecodeContent(content []byte) ([]message.Part, error) {
	if rawjson.IsNull(content) {
		return nil, nil
	}
	if content[0] == '"' {
		text, err := rawjson.String(content)
		if err != nil {
			return nil, fmt.Errorf("content: %w", err)
		}
		return []message.Part{message.Text{Text: text}}, nil
	}
	var parts []message.Part
	err := rawjson.Elements(content, func(block []byte) error {
		p, err := DecodeBlock(block)
		if err != nil {
			return fmt.Errorf("content[%d]: %w", len(parts), err)
		}
		parts = append(parts, p)
		return nil
	})
	return parts, err
}

// DecodeBlock reads one content block. Kinds that this version does not know
// become opaque parts.
func DecodeBlock(block []byte) (message.Part, error) {
	var b struct{ kind, text, thinking, signature, data, id, name, input, toolUse, content, isError, source, citations, title, extra []byte }
	err := rawjson.Members(block, func(key string, v []byte) error {
		switch key {
		case "type":
			b.kind = v
		case "text":
			b.text = v
		case "thinking":
			b.thinking = v
		case "signature":
			b.signature = v
		case "data":
			b.data = v
		case "id":
			b.id = v
		case "name":
			b.name = v
		case "input":
			b.input = v
		case "tool_use_id":
			b.toolUse = v
		case "content":
			b.content = v
		case "is_error":
			b.isError = v
		case "source":
			b.source = v
		case "citations":
			b.citations = v
		case "title":
			b.title = v
		case "caller", "toolset_name": // of a call
			b.extra = rawjson.AppendMember(b.extra, key, v)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	switch rawjson.Text(b.kind) {
	case "text":
		if rawjson.IsNull(b.citations) || string(b.citations) == "[]" {
			return message.Text{Text: rawjson.Text(b.text)}, nil
		}
	case "thinking":
		t := message.Thinking{Text: rawjson.Text(b.thinking), Signature: rawjson.Text(b.signature)}
		if string(appendThinking(nil, t)) != string(block) {
			t.Raw = block
		}
		return t, nil
	case "redacted_thinking":
		return message.RedactedThinking{Data: rawjson.Text(b.data)}, nil
	case "tool_use":
		return message.ToolCall{ID: rawjson.Text(b.id), Name: rawjson.Text(b.name), Arguments: b.input, Extra: string(b.extra)}, nil
	case "tool_result":
		r := message.ToolResult{CallID: rawjson.Text(b.toolUse)}
		if rawjson.Bool(b.isError) {
			r.Outcome = message.Failed
		}
		r.Content, err = decodeResult(b.content)
		return r, err
	case "image":
		if media, ok := decodeSource(b.source); ok {
			if media.Data != nil {
				return message.NewImage(media.Type, media.Data), nil
			}
			return message.Image{Media: media}, nil
		}
	case "document":
		if media, ok := decodeSource(b.source); ok && rawjson.IsNull(b.citations) {
			media.Name = rawjson.Text(b.title)
			return message.Document{Media: media}, nil
		}
	}
	return message.Opaque{Format: Wire, Raw: block}, nil
}

// decodeResult reads what stands in a tool result.
func decodeResult(content []byte) ([]message.Content, error) {
	parts, err := DecodeContent(content)
	if err != nil {
		return nil, err
	}
	var result []message.Content
	for i, p := range parts {
		c, ok := p.(message.Content)
		if !ok {
			return nil, fmt.Errorf("content[%d]: %w", i, errNotInResult)
		}
		result = append(result, c)
	}
	return result, nil
}

var errNotInResult = errors.New("expected text, an image or a document inside a tool result")

// decodeSource reads where the bytes of an image or a document are. What it
// does not know (a file id of the provider) is for an opaque part to keep.
func decodeSource(source []byte) (message.Media, bool) {
	kind := rawjson.Text(rawjson.Get(source, "type"))
	media := message.Media{Type: rawjson.Text(rawjson.Get(source, "media_type"))}
	switch kind {
	case "base64":
		data, err := rawjson.Base64(rawjson.Get(source, "data"))
		if err != nil || len(data) == 0 {
			return media, false
		}
		media.Data, media.Size = data, int64(len(data))
	case "text":
		media.Data = []byte(rawjson.Text(rawjson.Get(source, "data")))
		media.Size = int64(len(media.Data))
	case "url":
		media.URL = rawjson.Text(rawjson.Get(source, "url"))
	default:
		return media, false
	}
	return media, true
}

// appendThinking writes a thinking block the way the API does.
func appendThinking(dst []byte, t message.Thinking) []byte {
	if t.Raw != nil {
		return append(dst, t.Raw...)
	}
	dst = append(dst, `{"type":"thinking","thinking":`...)
	dst = rawjson.AppendString(dst, t.Text)
	dst = append(dst, `,"signature":`...)
	dst = rawjson.AppendString(dst, t.Signature)
	return append(dst, '}')
}

// SplitRoles turns the parts of one message of the wire into messages of
// ours: results of tools, which this wire puts into user messages, come first
// as a message of their own.
func SplitRoles(role string, parts []message.Part) []message.Message {
	if role == "assistant" {
		return []message.Message{{Role: message.Assistant, Author: message.ByModel, Wire: Wire, Parts: parts}}
	}
	results := message.Message{Role: message.Tool, Author: message.ByTool}
	rest := message.Message{Role: message.User, Author: message.ByPerson}
	for _, p := range parts {
		if _, ok := p.(message.ToolResult); ok {
			results.Parts = append(results.Parts, p)
		} else {
			rest.Parts = append(rest.Parts, p)
		}
	}
	var split []message.Message
	if len(results.Parts) > 0 {
		split = append(split, results)
	}
	if len(rest.Parts) > 0 {
		split = append(split, rest)
	}
	return split
}
