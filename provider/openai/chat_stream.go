package openai

import (
	"bytes"
	"cmp"
	"io"
	"slices"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/provider/internal/draft"
	"github.com/stemma-history/stemma/provider/internal/transport"
	wireopenai "github.com/stemma-history/stemma/wire/openai"
)

// none is the index of a part that has not begun.
const none = -1

// chatReader reads the chunks of one answer. The wire has one text and one
// thinking in an answer; calls are told apart by their index.
type chatReader struct {
	*draft.Draft
	thinking, text, refusal int // parts of the draft
	details                 details
	refused                 []byte
	calls                   []*chatCall
	complete                bool
}

// chatCall is a call that is coming in.
type chatCall struct {
	at    int
	index int64            // none where the server gives none
	call  message.ToolCall // but for its arguments
}

func newChatReader(d *draft.Draft) *chatReader {
	return &chatReader{Draft: d, thinking: none, text: none, refusal: none}
}

// Event implements [transport.Reader].
func (r *chatReader) Event(data []byte) error {
	if string(bytes.TrimSpace(data)) == "[DONE]" {
		return cmp.Or(r.finish(""), io.EOF)
	}
	var choices, failed []byte
	err := rawjson.Members(data, func(key string, v []byte) error {
		switch key {
		case "choices":
			choices = v
		case "error":
			failed = v
		case "usage":
			chatUsage(&r.Usage, v)
		case "x_groq":
			chatUsage(&r.Usage, rawjson.Get(v, "usage"))
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case !rawjson.IsNull(failed):
		return transport.Fault{Event: bytes.Clone(data)}
	case rawjson.IsNull(choices):
		return nil
	}
	return rawjson.Elements(choices, func(choice []byte) error {
		if rawjson.Int(rawjson.Get(choice, "index")) != 0 {
			return nil // one answer was asked for
		}
		return r.choice(choice)
	})
}

// Complete implements [transport.Reader]. Some servers end the stream without
// saying so.
func (r *chatReader) Complete() bool { return r.complete }

func (r *chatReader) choice(choice []byte) error {
	var reason string
	err := rawjson.Members(choice, func(key string, v []byte) error {
		switch key {
		case "delta", "message": // some servers send the whole answer at once
			if v[0] == '{' {
				return r.delta(v)
			}
		case "finish_reason":
			reason = rawjson.Text(v)
		case "usage": // Moonshot
			chatUsage(&r.Usage, v)
		}
		return nil
	})
	if err != nil || reason == "" {
		return err
	}
	return r.finish(reason)
}

func (r *chatReader) delta(delta []byte) error {
	var thought string
	var details, calls []byte
	err := rawjson.Members(delta, func(key string, v []byte) error {
		switch key {
		case "content":
			return r.content(v)
		case "reasoning_content", "reasoning", "thinking": // the same text where there are several
			if s := rawjson.Text(v); s != "" {
				thought = s
			}
		case "reasoning_details":
			details = v
		case "refusal":
			r.refuse(rawjson.Text(v))
		case "tool_calls":
			calls = v
		}
		return nil
	})
	if err == nil && len(details) > 0 && details[0] == '[' {
		var text string
		text, err = r.details.add(details)
		thought = cmp.Or(thought, text) // most send the text twice
		if r.thinking == none {         // where all of it is hidden too
			r.thinking = r.Begin(message.Thinking{})
		}
	}
	r.think(thought)
	if err != nil || rawjson.IsNull(calls) {
		return err
	}
	return rawjson.Elements(calls, r.call)
}

// content reads a text, or a list of texts and thoughts (Mistral).
func (r *chatReader) content(v []byte) error {
	if v[0] != '[' {
		r.say(rawjson.Text(v))
		return nil
	}
	return rawjson.Elements(v, func(part []byte) error {
		switch thinking := rawjson.Get(part, "thinking"); {
		case len(thinking) > 0 && thinking[0] == '[':
			return rawjson.Elements(thinking, func(t []byte) error {
				r.think(rawjson.Text(rawjson.Get(t, "text")))
				return nil
			})
		case thinking != nil:
			r.think(rawjson.Text(thinking))
		default:
			r.say(rawjson.Text(rawjson.Get(part, "text")))
		}
		return nil
	})
}

func (r *chatReader) say(text string) {
	if text == "" {
		return
	}
	if r.text == none {
		r.text = r.Begin(message.Text{})
	}
	r.Grow(r.text, text)
}

func (r *chatReader) think(text string) {
	if text == "" {
		return
	}
	if r.thinking == none {
		r.thinking = r.Begin(message.Thinking{})
	}
	r.Grow(r.thinking, text)
}

func (r *chatReader) refuse(text string) {
	if text == "" {
		return
	}
	if r.refusal == none {
		r.refusal = r.Begin(message.Opaque{Format: wireopenai.WireChat})
	}
	r.refused = append(r.refused, text...)
	raw := append(rawjson.AppendString([]byte(`{"type":"refusal","refusal":`), string(r.refused)), '}')
	r.Set(r.refusal, message.Opaque{Format: wireopenai.WireChat, Raw: raw})
}

// call reads a piece of a call.
func (r *chatReader) call(piece []byte) error {
	index, id := int64(none), rawjson.Text(rawjson.Get(piece, "id"))
	if v := rawjson.Get(piece, "index"); !rawjson.IsNull(v) {
		index = rawjson.Int(v)
	}
	function := rawjson.Get(piece, "function")
	name, arguments := rawjson.Text(rawjson.Get(function, "name")), rawjson.Get(function, "arguments")
	c := r.find(index, id, name)
	known := message.ToolCall{ID: id, Name: name, Extra: wireopenai.CallExtra(piece)}
	switch {
	case c == nil:
		c = &chatCall{at: r.Begin(known), index: index, call: known}
		r.calls = append(r.calls, c)
	default:
		c.call.ID, c.call.Extra = cmp.Or(c.call.ID, known.ID), cmp.Or(c.call.Extra, known.Extra)
		r.Amend(c.at, c.call)
	}
	switch {
	case rawjson.IsNull(arguments):
	case arguments[0] == '"':
		r.Grow(c.at, rawjson.Text(arguments))
	default: // some servers send the object itself
		r.Grow(c.at, string(arguments))
	}
	return nil
}

// find returns the call that a piece goes on with; nil where it begins one. Some
// servers give no index, or the same to all; then an id that is new, together
// with a name, tells. Others give neither, or another id with each piece.
func (r *chatReader) find(index int64, id, name string) *chatCall {
	var last *chatCall
	for _, c := range slices.Backward(r.calls) {
		switch {
		case c.index != index:
		case id != "" && id == c.call.ID:
			return c
		case last == nil:
			last = c
		}
	}
	if name != "" && (id != "" || index == none) {
		return nil
	}
	return last
}

// finish notes why the answer ended.
func (r *chatReader) finish(reason string) error {
	r.complete = true
	r.keepDetails()
	stop := r.Message.Stop
	switch reason {
	case "":
		if stop == "" {
			stop = message.StopEnd
		}
	case "stop", "eos", "end_turn", "stop_sequence":
		stop = message.StopEnd
	case "length", "max_tokens", "model_length":
		stop = message.StopLength
	case "tool_calls", "function_call", "tool_use":
		stop = message.StopTools
	case "content_filter", "sensitive", "refusal": // sensitive: z.ai
		stop = message.StopRefusal
	case "error", "network_error", "insufficient_system_resource": // OpenRouter, z.ai, DeepSeek
		return &provider.Error{Kind: provider.Overloaded, Message: "the answer ended in an error of the provider's: " + reason}
	default:
		stop = message.Stop(reason)
	}
	switch {
	case r.refusal != none:
		stop = message.StopRefusal
	case stop == message.StopEnd && len(r.calls) > 0:
		stop = message.StopTools
	}
	r.Message.Stop = stop
	return nil
}

// keepDetails puts the details into the thinking.
func (r *chatReader) keepDetails() {
	if len(r.details.list) == 0 {
		return
	}
	thinking, _ := r.Part(r.thinking).(message.Thinking) // it began with the first of them
	thinking.Raw = r.details.json()
	r.Set(r.thinking, thinking)
}
