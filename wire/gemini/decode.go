package gemini

import (
	"fmt"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
)

// Wire is the name of this wire in messages and opaque parts.
const Wire = "gemini"

// DecodeParts reads the parts of a content: an array of them, one part, or a
// string, as the SDK's types allow. The parts keep slices of value.
func DecodeParts(value []byte) ([]message.Part, error) {
	if rawjson.IsNull(value) {
		return nil, nil
	}
	if value[0] != '[' {
		p, err := DecodePart(value)
		if err != nil {
			return nil, err
		}
		return []message.Part{p}, nil
	}
	var parts []message.Part
	err := rawjson.Elements(value, func(v []byte) error {
		p, err := DecodePart(v)
		if err != nil {
			return fmt.Errorf("parts[%d]: %w", len(parts), err)
		}
		parts = append(parts, p)
		return nil
	})
	return parts, err
}

// DecodePart reads one part, or a string that stands for a text. Kinds that this
// version does not know become opaque parts.
func DecodePart(part []byte) (message.Part, error) {
	if len(part) > 0 && part[0] == '"' {
		text, err := rawjson.String(part)
		return message.Text{Text: text}, err
	}
	var p struct{ text, thought, signature, call, response, inline, file []byte }
	err := rawjson.Members(part, func(key string, v []byte) error {
		switch key {
		case "text":
			p.text = v
		case "thought":
			p.thought = v
		case "thoughtSignature":
			p.signature = v
		case "functionCall":
			p.call = v
		case "functionResponse":
			p.response = v
		case "inlineData":
			p.inline = v
		case "fileData":
			p.file = v
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	signature := rawjson.Text(p.signature)
	switch {
	case !rawjson.IsNull(p.call):
		return decodeCall(p.call, signature)
	case !rawjson.IsNull(p.response):
		return decodeResponse(p.response)
	case rawjson.Bool(p.thought):
		return message.Thinking{Text: rawjson.Text(p.text), Signature: signature}, nil
	case !rawjson.IsNull(p.text):
		return message.Text{Text: rawjson.Text(p.text), Signature: signature}, nil
	}
	if c, ok := decodeMedia(p.inline, p.file); ok {
		return c, nil
	}
	return message.Opaque{Format: Wire, Raw: part}, nil
}

func decodeCall(call []byte, signature string) (message.Part, error) {
	c := message.ToolCall{Signature: signature}
	err := rawjson.Members(call, func(key string, v []byte) error {
		switch key {
		case "id":
			c.ID = rawjson.Text(v)
		case "name":
			c.Name = rawjson.Text(v)
		case "args":
			c.Arguments = v
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("functionCall: %w", err)
	}
	return c, nil
}

// decodeResponse reads the result of a call: its response object, and media
// that stand in its own parts (Gemini 3, 2025-11).
func decodeResponse(value []byte) (message.Part, error) {
	var r message.ToolResult
	var parts []byte
	err := rawjson.Members(value, func(key string, v []byte) error {
		switch key {
		case "id":
			r.CallID = rawjson.Text(v)
		case "name":
			r.Name = rawjson.Text(v)
		case "response":
			r.Content, r.Outcome = decodeOutput(v)
		case "parts":
			parts = v
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("functionResponse: %w", err)
	}
	more, err := DecodeParts(parts)
	if err != nil {
		return nil, fmt.Errorf("functionResponse: %w", err)
	}
	for _, p := range more {
		if c, ok := p.(message.Content); ok {
			r.Content = append(r.Content, c)
		}
	}
	return r, nil
}

// decodeOutput reads a response object. By convention "output" holds what a
// tool returned and "error" what went wrong; of any other form, the JSON itself
// is the text.
func decodeOutput(response []byte) ([]message.Content, message.Outcome) {
	members, only := 0, ""
	var value []byte
	_ = rawjson.Members(response, func(key string, v []byte) error { // checked as part of what it is in
		members++
		only, value = key, v
		return nil
	})
	text, outcome := string(response), message.OK
	if members == 1 && only == "error" {
		outcome = message.Failed
	}
	if members == 1 && (only == "output" || only == "error") && value[0] == '"' {
		text = rawjson.Text(value)
	}
	if members == 0 || text == "" {
		return nil, outcome
	}
	return []message.Content{message.Text{Text: text}}, outcome
}

// decodeMedia reads bytes or a link. What is neither is for an opaque part to
// keep.
func decodeMedia(inline, file []byte) (message.Content, bool) {
	if data, err := rawjson.Base64(rawjson.Get(inline, "data")); err == nil && len(data) > 0 {
		mediaType := rawjson.Text(rawjson.Get(inline, "mimeType"))
		if strings.HasPrefix(mediaType, "image/") {
			return message.NewImage(mediaType, data), true
		}
		return message.Document{Media: message.Media{Type: mediaType, Data: data, Size: int64(len(data))}}, true
	}
	media := message.Media{Type: rawjson.Text(rawjson.Get(file, "mimeType")), URL: rawjson.Text(rawjson.Get(file, "fileUri"))}
	switch {
	case media.URL == "":
		return nil, false
	case strings.HasPrefix(media.Type, "image/"):
		return message.Image{Media: media}, true
	}
	return message.Document{Media: media}, true
}

// SplitRoles turns the parts of one content into messages of ours: results of
// tools, which this wire puts into user contents, come first as a message of
// their own.
func SplitRoles(role string, parts []message.Part) []message.Message {
	if role == "model" {
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
	for _, m := range []message.Message{results, rest} {
		if len(m.Parts) > 0 {
			split = append(split, m)
		}
	}
	return split
}

// DecodeUsage reads usageMetadata. What Google counts as the prompt includes
// what came from the cache, and not what tools of its own added.
func DecodeUsage(metadata []byte) *history.Usage {
	var u history.Usage
	var prompt, cached, candidates, thoughts, tools int64
	err := rawjson.Members(metadata, func(key string, v []byte) error {
		switch key {
		case "promptTokenCount":
			prompt = rawjson.Int(v)
		case "cachedContentTokenCount":
			cached = rawjson.Int(v)
		case "candidatesTokenCount":
			candidates = rawjson.Int(v)
		case "thoughtsTokenCount":
			thoughts = rawjson.Int(v)
		case "toolUsePromptTokenCount":
			tools = rawjson.Int(v)
		}
		return nil
	})
	u = history.Usage{Input: max(prompt-cached, 0) + tools, CacheRead: cached, Output: candidates + thoughts, Reasoning: thoughts}
	if err != nil || u == (history.Usage{}) {
		return nil
	}
	return &u
}
