package openai

import (
	"strings"
	"testing"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider/internal/streamtest"
)

// TestDetailsOfThinkingGoBackAsOneList, however they came (P2). (Forms:
// OpenRouter's documentation, 2026, and recorded streams.)
func TestDetailsOfThinkingGoBackAsOneList(t *testing.T) {
	for name, c := range map[string]struct {
		deltas       []string
		shown, wants string
	}{
		"Anthropic": {[]string{
			`{"reasoning":"Let me ","reasoning_details":[{"type":"reasoning.text","text":"Let me ","format":"anthropic-claude-v1","index":0}]}`,
			`{"reasoning":"see \ud83d","reasoning_details":[{"type":"reasoning.text","text":"see \ud83d","format":"anthropic-claude-v1","index":0}]}`,
			`{"reasoning":"\ude00","reasoning_details":[{"type":"reasoning.text","text":"\ude00","format":"anthropic-claude-v1","index":0}]}`,
			`{"reasoning_details":[{"type":"reasoning.text","signature":"EqQB+/=","format":"anthropic-claude-v1","index":0}]}`,
			`{"reasoning_details":[{"type":"reasoning.text","text":"More","signature":null,"format":"anthropic-claude-v1","index":1}]}`,
			`{"reasoning_details":[{"type":"reasoning.encrypted","data":"ErkB","format":"anthropic-claude-v1","index":2}]}`},
			"Let me see 😀More",
			`[{"type":"reasoning.text","text":"Let me see \ud83d\ude00","format":"anthropic-claude-v1","index":0,"signature":"EqQB+/="},` +
				`{"type":"reasoning.text","text":"More","signature":null,"format":"anthropic-claude-v1","index":1},` +
				`{"type":"reasoning.encrypted","data":"ErkB","format":"anthropic-claude-v1","index":2}]`},
		"OpenAI": {[]string{
			`{"reasoning_details":[{"type":"reasoning.summary","summary":"**Look","format":"openai-responses-v1","index":0}]}`,
			`{"reasoning_details":[{"type":"reasoning.summary","summary":"ing**","format":"openai-responses-v1","index":0},{"type":"reasoning.encrypted","data":"Z0FB","id":"rs_1","format":"openai-responses-v1","index":0}]}`},
			"**Looking**",
			`[{"type":"reasoning.summary","summary":"**Looking**","format":"openai-responses-v1","index":0},{"type":"reasoning.encrypted","data":"Z0FB","id":"rs_1","format":"openai-responses-v1","index":0}]`},
		"ids that come late": {[]string{
			`{"reasoning_details":[{"type":"reasoning.text","text":"a"}]}`, `{"reasoning_details":[{"type":"reasoning.text","text":"b","id":"1"}]}`,
			`{"reasoning_details":[{"type":"reasoning.text","text":"c","id":"2"}]}`},
			"abc",
			`[{"type":"reasoning.text","text":"ab","id":"1"},{"type":"reasoning.text","text":"c","id":"2"}]`},
		"Gemini, all hidden": {[]string{
			`{"reasoning_details":[{"id":"a","type":"reasoning.encrypted","data":"c2ln","format":"google-gemini-v1","index":0}]}`,
			`{"reasoning_details":[{"id":"b","type":"reasoning.encrypted","data": "c2ln","format":"google-gemini-v1","index":0}]}`},
			"",
			`[{"id":"a","type":"reasoning.encrypted","data":"c2ln","format":"google-gemini-v1","index":0},{"id":"b","type":"reasoning.encrypted","data": "c2ln","format":"google-gemini-v1","index":0}]`},
	} {
		chunks := []string{}
		for _, d := range c.deltas {
			chunks = append(chunks, chunk(d))
		}
		chunks = append(chunks, chunk(`{"content":"so"}`), choiceEnd("stop"), "[DONE]")
		p := newChat(t, "openrouter", streamtest.Serve(t, streamtest.Reply{Body: streamtest.Events(chunks...), Piece: 7}).URL)
		a, err := p.Send(t.Context(), streamtest.Prompt(t, p.Wire(), "anthropic/claude-opus-5", "hi"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if thinking := a.Message.Parts[0].(message.Thinking); thinking.Text != c.shown || string(thinking.Raw) != c.wants {
			t.Errorf("%s: %q %s\nwant %s", name, thinking.Text, thinking.Raw, c.wants)
		}
		next := streamtest.After(t, p.Wire(), "anthropic/claude-opus-5", message.Prompt("hi"), a.Message, message.Prompt("and then?"))
		if want := `{"role":"assistant","reasoning_details":` + c.wants + `,"content":"so"}`; !strings.Contains(string(next.Body.JSON), want) {
			t.Errorf("%s: sent back %s\nwant %s", name, next.Body.JSON, want)
		}
	}
}
