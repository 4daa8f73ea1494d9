package anthropic

import (
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider/internal/draft"
	wireanthropic "github.com/stemma-history/stemma/wire/anthropic"
)

// block is a content block that is coming in.
type block struct {
	at     int // of the part in the draft
	kind   string
	object *draft.Object
}

func (r *reader) begin(index int64, start []byte) {
	b := &block{kind: rawjson.Text(rawjson.Get(start, "type")), object: draft.NewObject(start)}
	switch b.kind {
	case "text":
		b.at = r.Begin(message.Text{})
	case "thinking":
		b.at = r.Begin(message.Thinking{})
	case "tool_use":
		b.at = r.Begin(message.ToolCall{ID: rawjson.Text(rawjson.Get(start, "id")), Name: rawjson.Text(rawjson.Get(start, "name"))})
	default:
		b.at = r.Begin(message.Opaque{Format: wireanthropic.Wire})
	}
	const most = 10_000 // blocks in one answer
	if index >= 0 && index < most {
		for int64(len(r.blocks)) <= index {
			r.blocks = append(r.blocks, nil)
		}
		r.blocks[index] = b
	}
	if b.shows(b.kind) { // some servers send the beginning of a text with the start
		r.Grow(b.at, rawjson.Text(rawjson.Get(start, b.kind)))
	}
}

// shows reports whether a member is the text that grows in the draft.
func (b *block) shows(name string) bool {
	return name == b.kind && (name == "text" || name == "thinking")
}

// add takes a delta. One of a kind unknown here adds its texts to the members of
// the same name, and sets others.
func (b *block) add(d *draft.Draft, delta []byte) error {
	return rawjson.Members(delta, func(key string, v []byte) error {
		switch {
		case key == "type":
		case key == "partial_json" && b.kind == "tool_use":
			d.Grow(b.at, rawjson.Text(v))
		case key == "partial_json":
			b.object.GrowJSON("input", rawjson.Text(v))
		case key == "citation":
			b.object.Append("citations", v)
		case b.shows(key):
			d.Grow(b.at, rawjson.Text(v))
		case v[0] == '"':
			b.object.Grow(key, rawjson.Text(v))
		default:
			b.object.Set(key, v)
		}
		return nil
	})
}

// end makes the part of what has come. The arguments of a call stay what the
// model wrote, whether that is JSON or not.
func (b *block) end(d *draft.Draft) error {
	switch part := d.Part(b.at).(type) {
	case message.ToolCall:
		if len(part.Arguments) == 0 {
			part.Arguments = b.object.Start("input")
			d.Set(b.at, part)
		}
		return nil
	case message.Text:
		b.object.SetText("text", part.Text)
	case message.Thinking:
		b.object.SetText("thinking", part.Text)
	}
	part, err := wireanthropic.DecodeBlock(b.object.JSON())
	if err != nil {
		return err
	}
	d.Set(b.at, part)
	return nil
}
