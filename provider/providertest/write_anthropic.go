package providertest

import (
	"cmp"
	"encoding/json"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

func wholeAnthropic(r *reply) []byte {
	m := r.messageAnthropic()
	content := list{}
	for _, p := range r.parts {
		content = append(content, blockAnthropic(p))
	}
	m["content"], m["stop_reason"] = content, stopAnthropic(r.stop)
	return encode(m)
}

// messageAnthropic is the message without its content.
func (r *reply) messageAnthropic() object {
	m := object{"id": r.id, "type": "message", "role": "assistant", "model": r.model, "content": list{}, "stop_reason": nil, "stop_sequence": nil, "usage": r.usageAnthropic(r.used.output)}
	if len(r.left) > 0 {
		m["input_transformations"] = r.transformationsAnthropic()
	}
	return m
}

func (r *reply) transformationsAnthropic() list {
	var all list
	for _, l := range r.left {
		all = append(all, object{"type": "thinking_dropped", "path": l.path, "reason": l.reason})
	}
	return all
}

func (r *reply) usageAnthropic(output int) object {
	c := r.used.cached
	return object{
		"input_tokens":                r.used.prompt - c.read - c.write - c.writeHour,
		"cache_read_input_tokens":     c.read,
		"cache_creation_input_tokens": c.write + c.writeHour,
		"cache_creation":              object{"ephemeral_5m_input_tokens": c.write, "ephemeral_1h_input_tokens": c.writeHour},
		"output_tokens":               output,
		"output_tokens_details":       object{"thinking_tokens": min(r.used.thinking, output)},
		"service_tier":                "standard",
	}
}

func blockAnthropic(p message.Part) object {
	switch p := p.(type) {
	case message.Text:
		return object{"type": "text", "text": p.Text}
	case message.Thinking:
		return object{"type": "thinking", "thinking": p.Text, "signature": p.Signature}
	case message.ToolCall:
		return object{"type": "tool_use", "id": p.ID, "name": p.Name, "input": arguments(p)}
	}
	return object{}
}

// arguments returns those of a call as an object; of what was cut, nothing.
func arguments(c message.ToolCall) raw {
	if !json.Valid(c.Arguments) {
		return raw(`{}`)
	}
	return raw(c.Arguments)
}

func stopAnthropic(s message.Stop) string {
	switch s {
	case message.StopEnd:
		return "end_turn"
	case message.StopTools:
		return "tool_use"
	case message.StopLength:
		return "max_tokens"
	}
	return string(s) // refusal, and the provider's own words
}

func streamAnthropic(r *reply, c Chunks) [][]byte {
	start := r.messageAnthropic()
	start["usage"] = r.usageAnthropic(1)
	frames := [][]byte{event("message_start", object{"type": "message_start", "message": start}), event("ping", object{"type": "ping"})}
	add := func(kind string, o object) {
		o["type"] = kind
		frames = append(frames, event(kind, o))
	}
	for i, p := range r.parts {
		delta := func(kind, key, value string) {
			add("content_block_delta", object{"index": i, "delta": object{"type": kind, key: value}})
		}
		switch p := p.(type) {
		case message.Text:
			add("content_block_start", object{"index": i, "content_block": object{"type": "text", "text": ""}})
			for _, piece := range pieces(p.Text, c.Runes) {
				delta("text_delta", "text", piece)
			}
		case message.Thinking:
			add("content_block_start", object{"index": i, "content_block": object{"type": "thinking", "thinking": "", "signature": ""}})
			for _, piece := range pieces(p.Text, c.Runes) {
				delta("thinking_delta", "thinking", piece)
			}
			delta("signature_delta", "signature", p.Signature)
		case message.ToolCall:
			add("content_block_start", object{"index": i, "content_block": object{"type": "tool_use", "id": p.ID, "name": p.Name, "input": object{}}})
			delta("input_json_delta", "partial_json", "")
			for _, piece := range pieces(string(p.Arguments), c.Runes) {
				delta("input_json_delta", "partial_json", piece)
			}
		}
		add("content_block_stop", object{"index": i})
	}
	add("message_delta", object{"delta": object{"stop_reason": stopAnthropic(r.stop), "stop_sequence": nil}, "usage": r.usageAnthropic(r.used.output)})
	add("message_stop", object{})
	return frames
}

func envelopeAnthropic(r *wire.Refusal, requestID string) []byte {
	fault := object{"type": r.Type, "message": r.Message}
	if r.Status == 413 { // the edge, which knows nothing of the API
		return encode(object{"error": fault})
	}
	if r.Code != "" {
		fault["details"] = object{"error_code": r.Code}
	}
	return encode(object{"type": "error", "error": fault, "request_id": requestID})
}

func failedAnthropic(_ *reply, r *wire.Refusal) []byte {
	return event("error", object{"type": "error", "error": object{"type": cmp.Or(r.Type, "api_error"), "message": r.Message}})
}
