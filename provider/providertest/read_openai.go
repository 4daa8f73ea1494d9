package providertest

import (
	"cmp"
	"fmt"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire/openai"
)

func readChat(body []byte) *prompt {
	f := fields(body)
	p := &prompt{
		model:       rawjson.Text(f["model"]),
		stream:      rawjson.Bool(f["stream"]),
		maxOutput:   int(cmp.Or(rawjson.Int(f["max_completion_tokens"]), rawjson.Int(f["max_tokens"]))),
		countsUsage: rawjson.Bool(get(f["stream_options"], "include_usage")),
		cacheKey:    rawjson.Text(f["prompt_cache_key"]),
		thinkingOff: rawjson.Text(f["reasoning_effort"]) == "none",
		decode:      decodeChat,
	}
	elements(f["tools"], func(v []byte) { p.tool(textAt(v, "function", "name"), v) })
	p.frame = len(p.blocks)
	elements(f["messages"], func(m []byte) {
		mf := fields(m)
		role := rawjson.Text(mf["role"])
		p.say(role, m)
		if role == "system" || role == "developer" {
			p.system = append(p.system, plain(mf["content"]))
		}
		elements(mf["reasoning_details"], func(v []byte) { p.piece(v).sealed = true })
		if thought := cmp.Or(rawjson.Text(mf["reasoning_content"]), rawjson.Text(mf["reasoning"])); thought != "" {
			p.piece(encode(object{"thinking": thought}))
		}
		content := mf["content"]
		if role == "tool" { // one block: the id belongs to it
			content = fmt.Appendf(nil, `{"tool_call_id":%s,"content":%s}`, encode(rawjson.Text(mf["tool_call_id"])), cmp.Or(string(content), "null"))
		}
		p.pieces(content, func(*block) {})
		elements(mf["tool_calls"], func(v []byte) { p.piece(v) })
	})
	p.markLast(f["cache_control"])
	return p
}

// plain joins the texts of a content.
func plain(content []byte) string {
	text := rawjson.Text(content)
	if len(content) > 0 && content[0] == '[' {
		elements(content, func(v []byte) { text += textAt(v, "text") })
	}
	return text
}

func decodeChat(s said) []message.Message {
	m, err := openai.DecodeChat(s.json)
	if err != nil || s.role == "system" || s.role == "developer" {
		return nil // a script sees what it can read
	}
	return []message.Message{m}
}

func readResponses(body []byte) *prompt {
	f := fields(body)
	p := &prompt{
		model:       rawjson.Text(f["model"]),
		stream:      rawjson.Bool(f["stream"]),
		maxOutput:   int(rawjson.Int(f["max_output_tokens"])),
		cacheKey:    rawjson.Text(f["prompt_cache_key"]),
		thinkingOff: textAt(f["reasoning"], "effort") == "none",
		drops:       true,
		decode:      decodeItem,
	}
	elements(f["include"], func(v []byte) { p.shows = p.shows || rawjson.Text(v) == "reasoning.encrypted_content" })
	elements(f["tools"], func(v []byte) { p.tool(textAt(v, "name"), v) })
	if text := rawjson.Text(f["instructions"]); text != "" {
		p.instruct(text, f["instructions"])
	}
	p.frame = len(p.blocks)
	if input := f["input"]; len(input) > 0 && input[0] == '"' {
		p.say("user", encode(object{"role": "user", "content": raw(input)}))
		p.piece(input)
	}
	elements(f["input"], p.item)
	return p
}

func (p *prompt) item(v []byte) {
	kind, role := textAt(v, "type"), textAt(v, "role")
	p.say(cmp.Or(role, kind), v)
	switch {
	case role == "":
		p.piece(v).sealed = kind == "reasoning"
		return
	case role == "system" || role == "developer":
		p.system = append(p.system, plain(rawjson.Get(v, "content")))
	}
	p.pieces(rawjson.Get(v, "content"), func(*block) {})
}

func decodeItem(s said) []message.Message {
	m, err := openai.DecodeItem(s.json)
	if err != nil || s.role == "system" || s.role == "developer" {
		return nil // a script sees what it can read
	}
	return []message.Message{m}
}
