package claudeai

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript/internal/native"
	"github.com/stemma-history/stemma/wire/anthropic"
)

// item reads a message. An answer holds the results of the tools that the site
// ran in the middle of it.
func (m *chatMessage) item(problem func(what string)) native.Item {
	item := native.Item{ID: m.id(), Parent: m.last, Created: m.created}
	blocks, err := m.Elements("content")
	if err != nil {
		problem(fmt.Sprintf("not all of the content is understood: %v", err))
	}
	d := decoder{item: &item, human: m.Text("sender") != "assistant", id: m.id()}
	for _, block := range blocks {
		if err := d.block(block); err != nil {
			problem(fmt.Sprintf("a block is not understood, it is kept as it stands: %v", err))
			d.add(message.Opaque{Format: tool, Raw: block})
		}
	}
	// The flat text stands for content that is missing, as in early exports.
	if text := m.Text("text"); len(item.Messages) == 0 && text != "" {
		d.add(message.Text{Text: text})
	}
	m.attachments(&d, problem)
	for i := range item.Messages {
		if a := &item.Messages[i]; a.Role == message.Assistant {
			a.Model = m.Text("model")
		}
	}
	return item
}

type decoder struct {
	item  *native.Item
	human bool
	id    string
	calls int
	open  []string // ids of calls that have no result yet
}

// add puts a part into a message of the sender.
func (d *decoder) add(part message.Part) {
	if d.human {
		d.item.Add(message.User, message.ByPerson, part)
	} else {
		d.item.Add(message.Assistant, message.ByModel, part)
	}
}

func (d *decoder) block(block []byte) error {
	o, err := native.ReadObject(block)
	if err != nil {
		return err
	}
	switch kind := o.Text("type"); kind {
	case "text": // citations and flags are of the site's own form
		if text := o.Text("text"); text != "" {
			d.add(message.Text{Text: text})
		}
	case "thinking": // without the signature that the API would want back
		if text := o.Text("thinking"); text != "" {
			d.add(message.Thinking{Text: text})
		}
	case "tool_use":
		d.calls++
		call := message.ToolCall{ID: o.Text("id"), Name: o.Text("name"), Arguments: o.Raw("input")}
		if call.ID == "" { // exports before 2025-06
			call.ID = d.id + "/call/" + strconv.Itoa(d.calls)
		}
		d.open = append(d.open, call.ID)
		d.add(call)
	case "tool_result":
		d.result(o)
	case "image", "document":
		p, err := anthropic.DecodeBlock(block)
		if err != nil {
			return err
		}
		if _, ok := p.(message.Opaque); ok {
			p = message.Opaque{Format: tool, Raw: block}
		}
		d.add(p)
	default:
		d.add(message.Opaque{Format: tool, Raw: block})
	}
	return nil
}

// result reads what a tool returned. One without an id answers the first call
// that is open.
func (d *decoder) result(o native.Object) {
	r := message.ToolResult{CallID: o.Text("tool_use_id"), Name: o.Text("name")}
	for i, id := range d.open {
		if id == r.CallID || r.CallID == "" {
			r.CallID = id
			d.open = append(d.open[:i:i], d.open[i+1:]...)
			break
		}
	}
	if o.Bool("is_error") {
		r.Outcome = message.Failed
	}
	if text := o.Text("content"); text != "" {
		r.Content = []message.Content{message.Text{Text: text}}
	} else if blocks, err := o.Elements("content"); err == nil {
		for _, block := range blocks {
			r.Content = append(r.Content, content(block))
		}
	}
	d.item.Add(message.Tool, message.ByTool, r)
}

// content reads a block inside a result. Of the site's own kinds, such as what a
// search found, the words are taken; those without any are kept as they stand.
func content(block []byte) message.Content {
	o, err := native.ReadObject(block)
	if err == nil && o.Text("type") == "image" {
		if p, err := anthropic.DecodeBlock(block); err == nil {
			if img, ok := p.(message.Image); ok {
				return img
			}
		}
	}
	var words []string
	for _, key := range []string{"title", "url", "text"} {
		if text := o.Text(key); text != "" {
			words = append(words, text)
		}
	}
	if len(words) == 0 {
		return message.Opaque{Format: tool, Raw: block}
	}
	return message.Text{Text: strings.Join(words, "\n")}
}

// attachments reads the files: of documents the export has the text, of others
// the name alone.
func (m *chatMessage) attachments(d *decoder, problem func(what string)) {
	for _, key := range []string{"attachments", "files"} {
		list, err := m.Elements(key)
		if err != nil {
			problem(fmt.Sprintf("%s: not all is understood: %v", key, err))
		}
		for _, raw := range list {
			text := rawjson.Text(rawjson.Get(raw, "extracted_content"))
			name := rawjson.Text(rawjson.Get(raw, "file_name"))
			switch {
			case text != "":
				d.add(native.MediaBytes("text/plain", name, []byte(text)))
			case name != "":
				d.add(message.Opaque{Format: tool, Raw: raw})
			}
		}
	}
}
