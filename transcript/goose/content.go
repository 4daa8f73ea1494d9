package goose

import (
	"fmt"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript/internal/native"
)

// decode reads the content of a message. With an error, what could be read is
// kept, and all of it as it stands.
func decode(m *said) (native.Item, error) {
	d := decoder{said: m, item: native.Item{Created: m.created}}
	err := rawjson.Elements(m.content, d.content)
	if err != nil {
		d.add(message.Opaque{Format: tool, Raw: m.content})
	}
	return d.item, err
}

type decoder struct {
	*said
	item native.Item
}

// add puts a part into a message of the role. What a person does not see, goose
// wrote itself.
func (d *decoder) add(part message.Part) {
	_, opaque := part.(message.Opaque)
	switch {
	case d.role == "assistant" && (d.userVisible || opaque):
		d.item.Add(message.Assistant, message.ByModel, part)
	case d.role == "assistant":
		d.item.Add(message.Assistant, message.ByHarness, part)
	case d.userVisible && !opaque:
		d.item.Add(message.User, message.ByPerson, part)
	default:
		d.item.Add(message.User, message.ByHarness, part)
	}
}

func (d *decoder) content(raw []byte) error {
	o, err := native.ReadObject(raw)
	if err != nil {
		return err
	}
	switch kind := o.Text("type"); kind {
	case "text":
		if text := o.Text("text"); text != "" {
			d.add(message.Text{Text: text})
		}
	case "image":
		c, err := imageOf(o)
		if err != nil {
			return err
		}
		d.add(c)
	case "thinking":
		d.add(message.Thinking{Text: o.Text("thinking"), Signature: o.Text("signature")})
	case "redactedThinking":
		d.add(message.RedactedThinking{Data: o.Text("data")})
	case "toolRequest", "frontendToolRequest":
		d.item.Add(message.Assistant, message.ByModel, callOf(o))
	case "toolResponse":
		r, err := resultOf(o)
		if err != nil {
			return fmt.Errorf("result of %s: %w", r.CallID, err)
		}
		d.item.Add(message.Tool, message.ByTool, r)
	default: // notices, questions to the person: of goose's own
		if d.role == "assistant" && kind == "systemNotification" {
			d.item.Add(message.User, message.ByHarness, message.Opaque{Format: tool, Raw: raw})
		} else {
			d.add(message.Opaque{Format: tool, Raw: raw})
		}
	}
	return nil
}

func imageOf(o native.Object) (message.Content, error) {
	data, err := message.Base64(o.Text("data"))
	if err != nil || len(data) == 0 {
		return nil, fmt.Errorf("expected the image's bytes in base64")
	}
	return native.MediaBytes(o.Text("mimeType"), "", data), nil
}

// callOf reads a call. One that goose could not understand has no name: it
// keeps what was wrong with it.
func callOf(o native.Object) message.ToolCall {
	call := message.ToolCall{ID: o.Text("id"), Name: o.Text("toolCall", "value", "name"), Arguments: o.Raw("toolCall", "value", "arguments")}
	if call.Signature = o.Text("thoughtSignature"); call.Signature == "" {
		call.Signature = o.Text("metadata", "thoughtSignature")
	}
	if o.Text("toolCall", "status") == "error" {
		call.Name = "invalid_call"
		call.Arguments = append(rawjson.AppendString([]byte(`{"error":`), o.Text("toolCall", "error")), '}')
	}
	return call
}

// declined begins what goose tells the model when a person says no (2025-03 to
// 2026-11).
const declined = "The user has declined to run this tool"

func resultOf(o native.Object) (message.ToolResult, error) {
	r := message.ToolResult{CallID: o.Text("id")}
	if o.Text("toolResult", "status") == "error" {
		r.Outcome = message.Failed
		r.Content = []message.Content{message.Text{Text: o.Text("toolResult", "error")}}
		return r, nil
	}
	// The value was the list itself at first.
	list := o.Raw("toolResult", "value")
	if len(list) > 0 && list[0] == '{' {
		if o.Bool("toolResult", "value", "isError") {
			r.Outcome = message.Failed
		}
		list = o.Raw("toolResult", "value", "content")
	}
	if list == nil {
		return r, nil
	}
	err := rawjson.Elements(list, func(raw []byte) error {
		c, err := contentOf(raw)
		if err == nil {
			r.Content = append(r.Content, c)
		}
		return err
	})
	if strings.HasPrefix(r.PlainText(), declined) {
		r.Outcome = message.Denied
	}
	return r, err
}

// contentOf reads a content of the Model Context Protocol.
func contentOf(raw []byte) (message.Content, error) {
	o, err := native.ReadObject(raw)
	if err != nil {
		return nil, err
	}
	switch o.Text("type") {
	case "text":
		return message.Text{Text: o.Text("text")}, nil
	case "image":
		return imageOf(o)
	case "resource":
		if text := o.Text("resource", "text"); text != "" {
			return message.Text{Text: text}, nil
		}
	}
	return message.Opaque{Format: tool, Raw: raw}, nil
}
