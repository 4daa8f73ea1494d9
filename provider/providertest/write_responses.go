package providertest

import (
	"cmp"
	"fmt"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

func wholeResponses(r *reply) []byte { return encode(r.response(r.items(), r.status())) }

func (r *reply) status() string {
	switch r.stop {
	case message.StopLength, stopWindow, message.StopRefusal:
		return "incomplete"
	}
	return "completed"
}

// response is the object of the API with some output.
func (r *reply) response(output list, status string) object {
	o := object{
		"id": "resp_" + r.id[len("msg_"):], "object": "response", "created_at": r.created, "model": r.model, "status": status, "output": output,
		"error": nil, "incomplete_details": nil, "instructions": nil, "metadata": object{}, "parallel_tool_calls": true, "temperature": 1, "top_p": 1, "tool_choice": "auto", "tools": list{},
	}
	if status == "in_progress" {
		return o
	}
	if status == "incomplete" {
		reason := "max_output_tokens"
		if r.stop == message.StopRefusal {
			reason = "content_filter"
		}
		o["incomplete_details"] = object{"reason": reason}
	}
	o["usage"] = object{
		"input_tokens": r.used.prompt, "output_tokens": r.used.output, "total_tokens": r.used.prompt + r.used.output,
		"input_tokens_details":  object{"cached_tokens": r.used.cached.read, "cache_write_tokens": r.used.cached.write},
		"output_tokens_details": object{"reasoning_tokens": r.used.thinking},
	}
	var removed list
	for _, l := range r.left {
		reason := map[string]string{prefixMismatch: "prefix_mismatch", modelMismatch: "model_mismatch"}[l.reason]
		removed = append(removed, object{"id": l.id, "action": "removed", "reason": reason})
	}
	if removed != nil {
		o["input_transformations"] = removed
	}
	return o
}

// items are the output: a model's answer in pieces.
func (r *reply) items() list {
	all := list{}
	for i, p := range r.parts {
		all = append(all, r.item(i, p))
	}
	return all
}

func (r *reply) item(i int, p message.Part) object {
	id := fmt.Sprintf("%s_%d", r.id[len("msg_"):], i)
	switch p := p.(type) {
	case message.Text:
		return object{"type": "message", "id": "msg_" + id, "role": "assistant", "status": "completed", "content": list{outputText(p.Text)}}
	case message.Thinking:
		summary := list{}
		if p.Text != "" {
			summary = list{object{"type": "summary_text", "text": p.Text}}
		}
		item := object{"type": "reasoning", "id": "rs_" + id, "summary": summary}
		if r.prompt.shows {
			item["encrypted_content"] = p.Signature
		}
		return item
	case message.ToolCall:
		return callItem(p, "fc_"+id)
	}
	return object{}
}

func outputText(text string) object {
	return object{"type": "output_text", "text": text, "annotations": list{}, "logprobs": list{}}
}

func callItem(c message.ToolCall, id string) object {
	return object{"type": "function_call", "id": id, "call_id": c.ID, "name": c.Name, "arguments": string(c.Arguments), "status": "completed"}
}

// A responseStream numbers its events.
type responseStream struct {
	frames [][]byte
	chunks Chunks
}

func (s *responseStream) add(kind string, o object) {
	o["type"], o["sequence_number"] = kind, len(s.frames)
	s.frames = append(s.frames, event(kind, o))
}

func streamResponses(r *reply, c Chunks) [][]byte {
	s := &responseStream{chunks: c}
	s.add("response.created", object{"response": r.response(list{}, "in_progress")})
	s.add("response.in_progress", object{"response": r.response(list{}, "in_progress")})
	for i, p := range r.parts {
		s.item(r, i, p)
	}
	status := r.status()
	s.add("response."+status, object{"response": r.response(r.items(), status)})
	return s.frames
}

func (s *responseStream) item(r *reply, i int, p message.Part) {
	done := r.item(i, p)
	at := func(o object) object {
		o["output_index"], o["item_id"] = i, done["id"]
		return o
	}
	open := r.item(i, p)
	if _, ok := open["status"]; ok {
		open["status"] = "in_progress"
	}
	switch p := p.(type) {
	case message.Text:
		open["content"] = list{}
		s.add("response.output_item.added", object{"output_index": i, "item": open})
		s.add("response.content_part.added", at(object{"content_index": 0, "part": outputText("")}))
		for _, piece := range pieces(p.Text, s.chunks.Runes) {
			s.add("response.output_text.delta", at(object{"content_index": 0, "delta": piece, "logprobs": list{}}))
		}
		s.add("response.output_text.done", at(object{"content_index": 0, "text": p.Text, "logprobs": list{}}))
		s.add("response.content_part.done", at(object{"content_index": 0, "part": outputText(p.Text)}))
	case message.Thinking:
		open["summary"] = list{}
		s.add("response.output_item.added", object{"output_index": i, "item": open})
		if p.Text != "" {
			s.add("response.reasoning_summary_part.added", at(object{"summary_index": 0, "part": object{"type": "summary_text", "text": ""}}))
			for _, piece := range pieces(p.Text, s.chunks.Runes) {
				s.add("response.reasoning_summary_text.delta", at(object{"summary_index": 0, "delta": piece}))
			}
			s.add("response.reasoning_summary_text.done", at(object{"summary_index": 0, "text": p.Text}))
			s.add("response.reasoning_summary_part.done", at(object{"summary_index": 0, "part": object{"type": "summary_text", "text": p.Text}}))
		}
	case message.ToolCall:
		open["arguments"] = ""
		s.add("response.output_item.added", object{"output_index": i, "item": open})
		for _, piece := range pieces(string(p.Arguments), s.chunks.Runes) {
			s.add("response.function_call_arguments.delta", at(object{"delta": piece}))
		}
		s.add("response.function_call_arguments.done", at(object{"name": p.Name, "arguments": string(p.Arguments)}))
	}
	s.add("response.output_item.done", object{"output_index": i, "item": done})
}

// failedResponses ends a stream. A prompt that is too long is refused so too,
// inside a 200.
func failedResponses(r *reply, refusal *wire.Refusal) []byte {
	o := r.response(list{}, "failed")
	delete(o, "usage")
	o["error"] = object{"code": cmp.Or(refusal.Code, "server_error"), "message": refusal.Message}
	return event("response.failed", object{"type": "response.failed", "sequence_number": 2, "response": o})
}
