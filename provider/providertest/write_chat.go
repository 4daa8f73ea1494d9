package providertest

import (
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

func wholeChat(r *reply) []byte {
	m := object{"role": "assistant", "content": nil}
	text, thought := "", ""
	var calls list
	for _, p := range r.parts {
		switch p := p.(type) {
		case message.Text:
			text += p.Text
		case message.Thinking:
			thought += p.Text
		case message.ToolCall:
			calls = append(calls, callChat(p, string(p.Arguments)))
		}
	}
	if text != "" || calls == nil {
		m["content"] = text
	}
	if calls != nil {
		m["tool_calls"] = calls
	}
	if member := r.dialect.Reasoning; member != "" && thought != "" {
		m[member] = thought
	}
	if r.dialect.Details {
		if all := r.details(); all != nil {
			m["reasoning_details"] = all
		}
	}
	c := r.chat("chat.completion", object{"index": 0, "message": m, "logprobs": nil, "finish_reason": stopChat(r.stop)})
	c["usage"] = r.usageChat()
	return encode(c)
}

// details are the thinking of an answer in the form of OpenRouter.
func (r *reply) details() (all list) {
	for i, p := range r.parts {
		if t, ok := p.(message.Thinking); ok {
			all = append(all, detail(i, object{"text": t.Text, "signature": t.Signature}))
		}
	}
	return all
}

// detail is the thinking at an index, or a piece of it.
func detail(index int, o object) object {
	o["type"], o["format"], o["index"] = "reasoning.text", "anthropic-claude-v1", index
	return o
}

// chat is an object of the API with one choice, or with none.
func (r *reply) chat(kind string, choice object) object {
	o := object{"id": "chatcmpl-" + r.id[len("msg_"):], "object": kind, "created": r.created, "model": r.model, "choices": list{}}
	if choice != nil {
		o["choices"] = list{choice}
	}
	return o
}

func callChat(c message.ToolCall, arguments string) object {
	return object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": arguments}}
}

func (r *reply) usageChat() object {
	return object{
		"prompt_tokens": r.used.prompt, "completion_tokens": r.used.output, "total_tokens": r.used.prompt + r.used.output,
		"prompt_tokens_details":     object{"cached_tokens": r.used.cached.read, "cache_write_tokens": r.used.cached.write},
		"completion_tokens_details": object{"reasoning_tokens": r.used.thinking},
	}
}

func stopChat(s message.Stop) string {
	switch s {
	case message.StopEnd:
		return "stop"
	case message.StopTools:
		return "tool_calls"
	case message.StopLength, stopWindow:
		return "length"
	case message.StopRefusal:
		return "content_filter"
	}
	return string(s)
}

func streamChat(r *reply, c Chunks) [][]byte {
	var frames [][]byte
	add := func(delta object, finish any) {
		frames = append(frames, event("", r.chat("chat.completion.chunk", object{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish})))
	}
	add(object{"role": "assistant", "content": ""}, nil)
	calls := 0
	for i, p := range r.parts {
		switch p := p.(type) {
		case message.Text:
			for _, piece := range pieces(p.Text, c.Runes) {
				add(object{"content": piece}, nil)
			}
		case message.Thinking:
			for _, piece := range pieces(p.Text, c.Runes) {
				if delta := r.thought(i, piece); delta != nil {
					add(delta, nil)
				}
			}
			if r.dialect.Details {
				add(object{"reasoning_details": list{detail(i, object{"signature": p.Signature})}}, nil)
			}
		case message.ToolCall:
			call := callChat(p, "")
			call["index"] = calls
			add(object{"tool_calls": list{call}}, nil)
			for _, piece := range pieces(string(p.Arguments), c.Runes) {
				add(object{"tool_calls": list{object{"index": calls, "function": object{"arguments": piece}}}}, nil)
			}
			calls++
		}
	}
	add(object{}, stopChat(r.stop))
	if r.prompt.countsUsage {
		last := r.chat("chat.completion.chunk", nil)
		last["usage"] = r.usageChat()
		frames = append(frames, event("", last))
	}
	return append(frames, []byte("data: [DONE]\n\n"))
}

// thought is the delta of a piece of thinking, nil where the server shows none.
func (r *reply) thought(index int, piece string) object {
	if r.dialect.Reasoning == "" {
		return nil
	}
	delta := object{r.dialect.Reasoning: piece}
	if r.dialect.Details {
		delta["reasoning_details"] = list{detail(index, object{"text": piece})}
	}
	return delta
}

func failedChat(_ *reply, r *wire.Refusal) []byte {
	return event("", object{"error": faultOpenAI(r)})
}

func envelopeOpenAI(r *wire.Refusal, _ string) []byte {
	return encode(object{"error": faultOpenAI(r)})
}

func faultOpenAI(r *wire.Refusal) object {
	fault := object{"message": r.Message, "type": r.Type, "param": nil, "code": nil}
	if r.Param != "" {
		fault["param"] = r.Param
	}
	if r.Code != "" {
		fault["code"] = r.Code
	}
	return fault
}
