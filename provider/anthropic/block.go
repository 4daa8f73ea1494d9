package anthropic

import (
	"bytes"
	"slices"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider/internal/draft"
	wireanthropic "github.com/stemma-history/stemma/wire/anthropic"
)

// block is a content block that is coming in: what it began with, and what its
// deltas have added.
type block struct {
	at    int // of the part in the draft
	kind  string
	start []byte
	added []member
}

// member is one that deltas make. Its value is JSON, or the text of a string.
type member struct {
	name  string
	value []byte
	text  bool
}

func (r *reader) begin(index int64, start []byte) {
	b := &block{kind: rawjson.Text(rawjson.Get(start, "type")), start: bytes.Clone(start)}
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
	// Some servers send the beginning of a text with the start.
	switch b.kind {
	case "text", "thinking":
		b.grow(r.Draft, b.kind, rawjson.Text(rawjson.Get(start, b.kind)))
	}
}

// add takes a delta. One of a kind unknown here adds its texts to the members of
// the same name, and sets others.
func (b *block) add(d *draft.Draft, delta []byte) error {
	return rawjson.Members(delta, func(key string, v []byte) error {
		switch key {
		case "type":
		case "partial_json":
			if b.kind == "tool_use" {
				d.Grow(b.at, rawjson.Text(v))
				return nil
			}
			if text := rawjson.Text(v); text != "" { // the first is empty, and may be the only one
				input := b.member("input")
				input.value = append(input.value, text...)
			}
		case "citation":
			list := b.member("citations")
			list.value = append(append(bytes.TrimSuffix(list.value, []byte("]")), between(list.value)...), v...)
			list.value = append(list.value, ']')
		default:
			if v[0] != '"' {
				b.member(key).value = bytes.Clone(v)
				return nil
			}
			b.grow(d, key, rawjson.Text(v))
		}
		return nil
	})
}

// between returns what stands before the next element of an array.
func between(array []byte) string {
	if len(array) == 0 {
		return "["
	}
	return ","
}

// grow adds to a text of the block. What is shown grows in the draft.
func (b *block) grow(d *draft.Draft, name, text string) {
	if name == b.kind {
		d.Grow(b.at, text)
		return
	}
	m := b.member(name)
	m.text = true
	m.value = append(m.value, text...)
}

func (b *block) member(name string) *member {
	for i := range b.added {
		if b.added[i].name == name {
			return &b.added[i]
		}
	}
	b.added = append(b.added, member{name: name})
	return &b.added[len(b.added)-1]
}

// set adds a text that has come whole, unless there is none.
func (b *block) set(name, text string) {
	if text != "" {
		*b.member(name) = member{name: name, value: []byte(text), text: true}
	}
}

// end makes the part of what has come. The arguments of a call stay what the
// model wrote, whether that is JSON or not.
func (b *block) end(d *draft.Draft) error {
	if b.kind == "tool_use" {
		if call := d.Part(b.at).(message.ToolCall); len(call.Arguments) == 0 {
			call.Arguments = rawjson.Get(b.start, "input")
			d.Set(b.at, call)
		}
		return nil
	}
	switch part := d.Part(b.at).(type) {
	case message.Text:
		b.set(b.kind, part.Text)
	case message.Thinking:
		b.set(b.kind, part.Text)
	}
	part, err := wireanthropic.DecodeBlock(b.whole())
	if err != nil {
		return err
	}
	d.Set(b.at, part)
	return nil
}

// whole is the block as it would have come in one piece: its members in the
// order in which it began, then those that came later.
func (b *block) whole() []byte {
	if len(b.added) == 0 {
		return b.start
	}
	json := []byte{'{'}
	added := slices.Clone(b.added)
	_ = rawjson.Members(b.start, func(key string, v []byte) error { // valid, as part of an event
		m := member{name: key, value: v}
		if i := slices.IndexFunc(added, func(m member) bool { return m.name == key }); i >= 0 {
			m = added[i]
			added = slices.Delete(added, i, i+1)
		}
		json = m.append(json)
		return nil
	})
	for _, m := range added {
		json = m.append(json)
	}
	return append(json, '}')
}

func (m *member) append(json []byte) []byte {
	if len(json) > 1 {
		json = append(json, ',')
	}
	json = append(rawjson.AppendString(json, m.name), ':')
	switch {
	case m.text:
		return rawjson.AppendString(json, string(m.value))
	case !rawjson.Valid(m.value): // pieces that make no JSON are kept as a text
		return rawjson.AppendString(json, string(m.value))
	}
	return append(json, m.value...)
}
