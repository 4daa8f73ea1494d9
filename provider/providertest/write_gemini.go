package providertest

import (
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

func wholeGemini(r *reply) []byte {
	parts := list{}
	for _, p := range r.parts {
		if o := r.partGemini(p); o != nil {
			parts = append(parts, o)
		}
	}
	return encode(r.generated(parts, true))
}

// partGemini is a part of an answer; nil where it is not shown.
func (r *reply) partGemini(p message.Part) object {
	switch p := p.(type) {
	case message.Text:
		return object{"text": p.Text}
	case message.Thinking:
		if r.prompt.shows {
			return object{"text": p.Text, "thought": true}
		}
	case message.ToolCall:
		o := object{"functionCall": object{"id": p.ID, "name": p.Name, "args": arguments(p)}}
		if p.Signature != "" {
			o["thoughtSignature"] = p.Signature
		}
		return o
	}
	return nil
}

func (r *reply) generated(parts list, last bool) object {
	candidate := object{"content": object{"role": "model", "parts": parts}, "index": 0}
	o := object{"candidates": list{candidate}, "modelVersion": r.model, "responseId": r.id[len("msg_"):]}
	if last {
		candidate["finishReason"] = stopGemini(r.stop)
		usage := object{"promptTokenCount": r.used.prompt, "candidatesTokenCount": r.used.output - r.used.thinking, "totalTokenCount": r.used.prompt + r.used.output}
		if r.used.cached.read > 0 {
			usage["cachedContentTokenCount"] = r.used.cached.read
		}
		if r.used.thinking > 0 {
			usage["thoughtsTokenCount"] = r.used.thinking
		}
		o["usageMetadata"] = usage
	}
	return o
}

func stopGemini(s message.Stop) string {
	switch s {
	case message.StopLength, stopWindow:
		return "MAX_TOKENS"
	case message.StopRefusal:
		return "SAFETY"
	case message.StopEnd, message.StopTools:
		return "STOP"
	}
	return string(s)
}

func streamGemini(r *reply, c Chunks) [][]byte {
	var frames [][]byte
	add := func(o object) {
		if o != nil {
			frames = append(frames, event("", r.generated(list{o}, false)))
		}
	}
	for _, p := range r.parts {
		switch p := p.(type) {
		case message.Text:
			for _, piece := range pieces(p.Text, c.Runes) {
				add(object{"text": piece})
			}
		case message.Thinking:
			for _, piece := range pieces(p.Text, c.Runes) {
				add(r.partGemini(message.Thinking{Text: piece}))
			}
		default:
			add(r.partGemini(p))
		}
	}
	return append(frames, event("", r.generated(list{object{"text": ""}}, true)))
}

func envelopeGemini(r *wire.Refusal, _ string) []byte {
	return encode(object{"error": object{"code": r.Status, "message": r.Message, "status": r.Type}})
}

func failedGemini(_ *reply, r *wire.Refusal) []byte {
	return event("", object{"error": object{"code": r.Status, "message": r.Message, "status": r.Type}})
}
