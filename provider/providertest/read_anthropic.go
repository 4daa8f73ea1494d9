package providertest

import (
	"time"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire/anthropic"
)

func readAnthropic(body []byte) *prompt {
	f := fields(body)
	p := &prompt{
		model:       rawjson.Text(f["model"]),
		stream:      rawjson.Bool(f["stream"]),
		maxOutput:   int(rawjson.Int(f["max_tokens"])),
		mode:        string(f["tool_choice"]) + string(f["thinking"]),
		thinkingOff: textAt(f["thinking"], "type") == "disabled",
		drops:       textAt(f["thinking"], "block_binding", "prefix_mismatch_behavior") == "drop_block", //nolint:misspell // the API's words
		shows:       true,
		decode:      decodeAnthropic,
	}
	elements(f["tools"], func(v []byte) {
		p.tool(textAt(v, "name"), v)
		p.mark(v)
	})
	if system := f["system"]; len(system) > 0 && system[0] == '"' {
		p.instruct(rawjson.Text(system), system)
	} else {
		elements(system, func(v []byte) {
			p.instruct(textAt(v, "text"), v)
			p.mark(v)
		})
	}
	p.frame = len(p.blocks)
	elements(f["messages"], func(m []byte) {
		p.say(textAt(m, "role"), m)
		p.pieces(rawjson.Get(m, "content"), func(b *block) {
			kind := textAt(b.json, "type")
			b.sealed = kind == "thinking" || kind == "redacted_thinking"
			p.mark(b.json)
		})
	})
	p.markLast(f["cache_control"])
	return p
}

// markLast notes the cache mark of a whole request.
func (p *prompt) markLast(json []byte) {
	if n := len(p.blocks); n > 0 && p.blocks[n-1].cached == 0 {
		p.blocks[n-1].cached = lifetime(json)
	}
}

// mark notes the cache mark of the block added last.
func (p *prompt) mark(json []byte) {
	p.blocks[len(p.blocks)-1].cached = lifetime(rawjson.Get(json, "cache_control"))
}

// lifetime returns how long a cache mark asks for; 0 if it is none.
func lifetime(mark []byte) time.Duration {
	switch {
	case rawjson.IsNull(mark):
		return 0
	case textAt(mark, "ttl") == "1h":
		return time.Hour
	}
	return 5 * time.Minute
}

func decodeAnthropic(s said) []message.Message {
	parts, err := anthropic.DecodeContent(rawjson.Get(s.json, "content"))
	if err != nil || s.role == "system" {
		return nil // a script sees what it can read
	}
	return anthropic.SplitRoles(s.role, parts)
}
