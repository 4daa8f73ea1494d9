package providertest

import (
	"cmp"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire/gemini"
)

// readGemini reads a body; the model stands in the path.
func readGemini(body []byte) *prompt {
	f := fields(body)
	config := either(f, "generationConfig", "generation_config")
	thinking := get(config, "thinkingConfig")
	p := &prompt{
		maxOutput:   int(rawjson.Int(get(config, "maxOutputTokens"))),
		shows:       rawjson.Bool(get(thinking, "includeThoughts")),
		thinkingOff: get(thinking, "thinkingBudget") != nil && rawjson.Int(get(thinking, "thinkingBudget")) == 0,
		decode:      decodeGemini,
	}
	elements(f["tools"], func(v []byte) {
		tool := fields(v)
		elements(either(tool, "functionDeclarations", "function_declarations"), func(d []byte) { p.tool(textAt(d, "name"), d) })
	})
	elements(get(either(f, "systemInstruction", "system_instruction"), "parts"), func(v []byte) { p.instruct(textAt(v, "text"), v) })
	p.frame = len(p.blocks)
	contents := f["contents"]
	if len(contents) > 0 && contents[0] == '{' {
		p.content(contents)
		return p
	}
	elements(contents, p.content)
	return p
}

func (p *prompt) content(v []byte) {
	p.say(cmp.Or(textAt(v, "role"), "user"), v)
	p.pieces(rawjson.Get(v, "parts"), func(b *block) { b.sealed = rawjson.Bool(get(b.json, "thought")) })
}

// either returns a member by its name in JSON or in the protocol's own spelling.
func either(f map[string][]byte, json, proto string) []byte {
	if v, ok := f[json]; ok {
		return v
	}
	return f[proto]
}

func decodeGemini(s said) []message.Message {
	parts, err := gemini.DecodeParts(rawjson.Get(s.json, "parts"))
	if err != nil {
		return nil // a script sees what it can read
	}
	return gemini.SplitRoles(s.role, parts)
}
