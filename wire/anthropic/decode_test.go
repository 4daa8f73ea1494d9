package anthropic

import (
	"testing"

	"github.com/stemma-history/stemma/message"
)

func TestThinkingKeepsItsBytes(t *testing.T) {
	for _, block := range []string{
		`{"type":"thinking","thinking":"plain","signature":"Eq=="}`,
		`{"signature":"Eq==","thinking":"other order","type":"thinking"}`,
		`{"type":"thinking","thinking":"escapes \u00e9 \ud800 \/","signature":"Eq=="}`,
		`{"type":"thinking","thinking":"","signature":"Eq==","extra":{"z":1,"a":12345678901234567890}}`,
		`{ "type": "thinking", "thinking": "spaces", "signature": "Eq==" }`,
	} {
		p, err := DecodeBlock([]byte(block))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(appendThinking(nil, p.(message.Thinking))); got != block {
			t.Errorf("%s became %s", block, got)
		}
	}
	p, _ := DecodeBlock([]byte(`{"type":"thinking","thinking":"plain","signature":"Eq=="}`))
	if p.(message.Thinking).Raw != nil {
		t.Error("a block that its fields rebuild is kept twice")
	}
}

func TestBlocksOfOtherKindsAreKeptWhole(t *testing.T) {
	for _, block := range []string{
		`{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"}}`,
		`{"type":"text","text":"cited","citations":[{"type":"char_location"}]}`,
		`{"type":"image","source":{"type":"file","file_id":"file_1"}}`,
		`{"type":"something_new","a":[1, 2]}`,
	} {
		p, err := DecodeBlock([]byte(block))
		if err != nil {
			t.Fatal(err)
		}
		if o, ok := p.(message.Opaque); !ok || string(o.Raw) != block || o.Format != Wire {
			t.Errorf("%s became %#v", block, p)
		}
	}
}

func TestResultsComeBeforeTheWordsOfTheirMessage(t *testing.T) {
	parts, err := DecodeContent([]byte(`[{"type":"text","text":"see"},{"type":"tool_result","tool_use_id":"t1","content":"out","is_error":true},
		{"type":"tool_result","tool_use_id":"t2","content":[{"type":"image","source":{"type":"base64","media_type":"image/gif","data":"R0lGODlhAgADAIAAAAAAAP///yH5BAAAAAAALAAAAAACAAMAAAICjF8AOw=="}}]}]`))
	if err != nil {
		t.Fatal(err)
	}
	split := SplitRoles("user", parts)
	if len(split) != 2 || split[0].Role != message.Tool || split[1].Role != message.User || split[1].PlainText() != "see" {
		t.Fatalf("split %+v", split)
	}
	first := split[0].Parts[0].(message.ToolResult)
	if !first.IsError() || first.PlainText() != "out" {
		t.Errorf("first result %+v", first)
	}
	img := split[0].Parts[1].(message.ToolResult).Content[0].(message.Image)
	if img.WidthPx != 2 || img.HeightPx != 3 {
		t.Errorf("image of %d x %d", img.WidthPx, img.HeightPx)
	}
}
