package wiretest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
)

// Blocks returns what a model reads of a body of any wire: frame and content as one flat
// list, each block with its role, without cache marks. A text that a wire allows
// as a string is the same block as one in an array.
func Blocks(body []byte) ([]string, error) {
	var f flat
	err := rawjson.Members(body, func(key string, value []byte) error {
		switch key {
		case "tools":
			return f.add("tool", value)
		case "system", "systemInstruction":
			return f.add("system", value)
		case "messages", "contents", "input":
			return rawjson.Elements(value, f.turn)
		}
		return nil
	})
	if err == nil && len(f) == 0 {
		err = fmt.Errorf("no blocks in %s", body)
	}
	return f, err
}

type flat []string

// turn adds the blocks of a message; an item without a role is one block.
func (f *flat) turn(m []byte) error {
	role := rawjson.Text(rawjson.Get(m, "role"))
	if role == "" {
		return f.add("item", m)
	}
	role += rawjson.Text(rawjson.Get(m, "tool_call_id"))
	return rawjson.Members(m, func(key string, value []byte) error {
		if slices.Contains([]string{"reasoning_content", "content", "parts", "tool_calls"}, key) {
			return f.add(role, value)
		}
		return nil
	})
}

// marks are those of caches: they move.
var marks = strings.NewReplacer(`,"cache_control":{"type":"ephemeral"}`, "", `,"prompt_cache_breakpoint":{"mode":"explicit"}`, "")

// add adds a block, or those of an array.
func (f *flat) add(role string, block []byte) error {
	switch {
	case rawjson.IsNull(block):
	case block[0] == '[':
		return rawjson.Elements(block, func(b []byte) error { return f.add(role, b) })
	case block[0] == '"':
		*f = append(*f, role+` {"type":"text","text":`+string(block)+`}`)
	default:
		*f = append(*f, role+" "+marks.Replace(string(block)))
	}
	return nil
}
