package wiretest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Blocks returns what a model reads of a body of any wire: frame and content as one flat
// list, each block with its role, without cache marks. A text that a wire allows
// as a string is the same block as one in an array.
func Blocks(body []byte) ([]string, error) {
	var b struct {
		System            json.RawMessage
		SystemInstruction json.RawMessage
		Tools             []json.RawMessage
		Messages          []turn
		Input             []json.RawMessage
		Contents          []turn
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return nil, err
	}
	f := flat{}
	for _, tool := range b.Tools {
		f.add("tool", tool)
	}
	f.add("system", b.System)
	f.add("system", b.SystemInstruction)
	for _, m := range b.Messages {
		f.turn(m)
	}
	for _, m := range b.Contents {
		f.turn(m)
	}
	for _, item := range b.Input {
		var m turn
		if err := json.Unmarshal(item, &m); err != nil {
			return nil, err
		}
		if m.Role == "" {
			f.add("item", item)
			continue
		}
		f.turn(m)
	}
	if len(f) == 0 {
		return nil, fmt.Errorf("no blocks in %s", body)
	}
	return f, nil
}

type turn struct {
	Role             string
	Content          json.RawMessage
	Parts            []json.RawMessage
	ReasoningContent json.RawMessage   `json:"reasoning_content"`
	ToolCalls        []json.RawMessage `json:"tool_calls"`
	ToolCallID       string            `json:"tool_call_id"`
}

type flat []string

func (f *flat) turn(m turn) {
	role := m.Role + m.ToolCallID
	f.add(role, m.ReasoningContent)
	f.add(role, m.Content)
	for _, p := range append(m.Parts, m.ToolCalls...) {
		f.add(role, p)
	}
}

// add adds a block, or those of an array.
func (f *flat) add(role string, block json.RawMessage) {
	var list []json.RawMessage
	switch {
	case len(block) == 0 || string(block) == "null":
	case json.Unmarshal(block, &list) == nil:
		for _, b := range list {
			f.add(role, b)
		}
	case block[0] == '"':
		f.add(role, json.RawMessage(`{"type":"text","text":`+string(block)+`}`))
	default:
		s := strings.ReplaceAll(string(block), `,"cache_control":{"type":"ephemeral"}`, "")
		*f = append(*f, role+" "+strings.ReplaceAll(s, `,"prompt_cache_breakpoint":{"mode":"explicit"}`, ""))
	}
}
