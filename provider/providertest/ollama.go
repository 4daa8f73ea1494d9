package providertest

import (
	"slices"
	"time"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

// wireOllama is the API of Ollama's own. (Source of ollama/ollama, 2026-08.)
const wireOllama = "ollama"

// ollamaWindow is what Ollama gives a model that is not asked for more, on a
// small machine.
const ollamaWindow = 4096

func checkOllama(body []byte, l wire.Limits) *wire.Refusal {
	invalid := func(words string) *wire.Refusal { return &wire.Refusal{Status: 400, Message: words} }
	if !rawjson.Valid(body) {
		return invalid("invalid character in request body: it is no JSON")
	}
	f := fields(body)
	model := rawjson.Text(f["model"])
	switch {
	case model == "":
		return invalid("model is required")
	case l.KnownModel != nil && !l.KnownModel(model):
		return &wire.Refusal{Status: 404, Message: "model '" + model + "' not found"}
	}
	var refusal *wire.Refusal
	elements(f["messages"], func(m []byte) {
		if role := textAt(m, "role"); refusal == nil && !slices.Contains([]string{"system", "user", "assistant", "tool"}, role) {
			refusal = invalid(`invalid role: "` + role + `", role must be one of ["system", "user", "assistant", "tool"]`)
		}
	})
	return refusal
}

func readOllama(body []byte) *prompt {
	f := fields(body)
	options := f["options"]
	p := &prompt{
		model:       rawjson.Text(f["model"]),
		stream:      string(f["stream"]) != "false",
		maxOutput:   max(int(rawjson.Int(get(options, "num_predict"))), 0), // -1: no limit
		window:      int(rawjson.Int(get(options, "num_ctx"))),
		whole:       string(f["truncate"]) == "false",
		thinkingOff: string(f["think"]) == "false",
		shows:       true,
		decode:      decodeOllama,
	}
	elements(f["tools"], func(v []byte) { p.tool(textAt(v, "function", "name"), v) })
	p.frame = len(p.blocks)
	elements(f["messages"], func(m []byte) {
		role := textAt(m, "role")
		p.say(role, m)
		if role == "system" {
			p.system = append(p.system, textAt(m, "content"))
		}
		p.piece(m)
	})
	return p
}

func decodeOllama(s said) []message.Message {
	f := fields(s.json)
	text := message.Text{Text: rawjson.Text(f["content"])}
	switch s.role {
	case "user":
		return []message.Message{message.Prompt(text.Text)}
	case "tool":
		return []message.Message{message.Results(message.ToolResult{Name: rawjson.Text(either(f, "tool_name", "name")), Content: []message.Content{text}})}
	case "assistant":
		m := message.Message{Role: message.Assistant, Author: message.ByModel}
		if text.Text != "" {
			m.Parts = append(m.Parts, text)
		}
		elements(f["tool_calls"], func(v []byte) {
			m.Parts = append(m.Parts, message.ToolCall{Name: textAt(v, "function", "name"), Arguments: get(v, "function", "arguments")})
		})
		return []message.Message{m}
	}
	return nil
}

func wholeOllama(r *reply) []byte {
	text, thought := "", ""
	var calls list
	for _, p := range r.parts {
		switch p := p.(type) {
		case message.Text:
			text += p.Text
		case message.Thinking:
			thought += p.Text
		case message.ToolCall:
			calls = append(calls, callOllama(p))
		}
	}
	m := object{"role": "assistant", "content": text}
	if thought != "" {
		m["thinking"] = thought
	}
	if calls != nil {
		m["tool_calls"] = calls
	}
	return encode(r.ollama(m, true))
}

func callOllama(c message.ToolCall) object {
	return object{"id": c.ID, "function": object{"name": c.Name, "arguments": arguments(c)}}
}

func (r *reply) ollama(m object, done bool) object {
	o := object{"model": r.model, "created_at": time.Unix(r.created, 0).UTC().Format(time.RFC3339Nano), "message": m, "done": done}
	if done {
		o["done_reason"] = "stop"
		if r.stop == message.StopLength || r.stop == stopWindow {
			o["done_reason"] = "length"
		}
		o["prompt_eval_count"], o["eval_count"] = r.used.prompt, r.used.output
	}
	return o
}

func streamOllama(r *reply, c Chunks) [][]byte {
	var frames [][]byte
	line := func(o object) { frames = append(frames, append(encode(o), '\n')) }
	say := func(text, member string) {
		for _, piece := range pieces(text, c.Runes) {
			m := object{"role": "assistant", "content": ""}
			m[member] = piece
			line(r.ollama(m, false))
		}
	}
	for _, p := range r.parts {
		switch p := p.(type) {
		case message.Text:
			say(p.Text, "content")
		case message.Thinking:
			say(p.Text, "thinking")
		case message.ToolCall:
			line(r.ollama(object{"role": "assistant", "content": "", "tool_calls": list{callOllama(p)}}, false))
		}
	}
	line(r.ollama(object{"role": "assistant", "content": ""}, true))
	return frames
}

func envelopeOllama(r *wire.Refusal, _ string) []byte { return encode(object{"error": r.Message}) }

func failedOllama(_ *reply, r *wire.Refusal) []byte {
	return append(encode(object{"error": r.Message}), '\n')
}
