package wires

import (
	"strings"
	"testing"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire/anthropic"
	"github.com/stemma-history/stemma/wire/openai"
)

// TestThinkingGoesBackWhileItsSealFits (P2), over every wire that sends it back.
func TestThinkingGoesBackWhileItsSealFits(t *testing.T) {
	deepseek := openai.Dialect{Provider: "deepseek", IDs: openai.OpenAI().IDs, Reasoning: "reasoning_content"}
	openrouter := openai.Dialect{Provider: "openrouter", IDs: openai.OpenAI().IDs, Reasoning: "reasoning", Details: true}
	type speaker struct {
		Wire
		sends   int // of two thoughts; OpenAI takes none over Chat Completions
		details bool
	}
	speakers := []speaker{{Chat(deepseek), 2, false}, {Chat(openrouter), 2, true}}
	for _, w := range All() {
		if w.Name == openai.WireChat {
			speakers = append(speakers, speaker{w, 0, false})
		} else {
			speakers = append(speakers, speaker{w, 2, false})
		}
	}
	for _, s := range speakers {
		w := s.Wire
		t.Run(w.Name, func(t *testing.T) {
			first := request(w, []message.Message{message.Prompt("first")})
			first.Limits = nil
			sent, err := w.Encode(first)
			if err != nil {
				t.Fatal(err)
			}
			answer := message.Message{Role: message.Assistant, Author: message.ByModel, Wire: w.Name, Model: model(w), Parts: []message.Part{
				message.Thinking{Text: "thought one", Signature: "c2ln"}, message.Text{Text: "Looking."},
				message.Thinking{Text: "thought two", Signature: "c2ln"}, message.ToolCall{ID: "a", Name: "bash"},
			}}
			if s.details {
				answer.Parts[0] = message.Thinking{Raw: []byte(`[{"type":"reasoning.text","text":"thought one","signature":"c2ln"}]`)}
			}
			seals, err := w.Seals(first, answer)
			if err != nil || len(seals) != 2 {
				t.Fatalf("%d seals, %v", len(seals), err)
			}
			next := func(prompt string, seals []message.Hash) int {
				r := request(w, []message.Message{message.Prompt(prompt), answer, message.Prompt("second")})
				r.View.Messages[1].Seals, r.ChecksThinking, r.Limits = seals, true, nil
				b, err := w.Encode(r)
				if err != nil {
					t.Fatal(err)
				}
				return strings.Count(string(b.JSON), "thought ")
			}
			if s.sends > 0 && seals[0] != sent.Seal {
				t.Errorf("the first seal is %v, that of the request %v", seals[0], sent.Seal)
			}
			if got := next("first", seals); got != s.sends {
				t.Errorf("%d thoughts are sent, want %d", got, s.sends)
			}
			if got := next("another", seals); got != 0 {
				t.Errorf("what stands before them changed, and %d thoughts are sent", got)
			}
			if got := next("first", nil); got != 0 {
				t.Errorf("nothing is known of their prefix, and %d thoughts are sent", got)
			}
		})
	}
}

// TestWhatAProviderSaidBesidesGoesBack: in its own bytes, over its own wire.
func TestWhatAProviderSaidBesidesGoesBack(t *testing.T) {
	call, err := anthropic.DecodeBlock([]byte(`{"type":"tool_use","id":"a","name":"bash","input":{},"caller":{"type": "direct"},"toolset_name":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	comment, err := openai.DecodeItem([]byte(`{"type":"message","role":"assistant","phase": "commentary","content":[{"type":"output_text","text":"Looking.","annotations":[]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	chat, err := openai.DecodeChat([]byte(`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"bash","arguments":"{}"},"extra_content":{"google":{"thought_signature": "c2ln"}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		wire, want string
		parts      []message.Part
	}{
		{anthropic.Wire, `"input":{},"caller":{"type": "direct"},"toolset_name":"x"}`, []message.Part{call}},
		{openai.WireResponses, `{"type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"Looking."}]}`, comment.Parts},
		{openai.WireChat, `"arguments":"{}"},"extra_content":{"google":{"thought_signature": "c2ln"}}}`, chat.Parts},
	} {
		for _, w := range All() {
			r := request(w, []message.Message{message.Prompt("Go on."), {Role: message.Assistant, Author: message.ByModel, Wire: c.wire, Parts: c.parts}, message.Prompt("And?")})
			r.Limits = nil
			body, err := w.Encode(r)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(string(body.JSON), c.want); got != (w.Name == c.wire) {
				t.Errorf("%s of %s: %s", w.Name, c.wire, body.JSON)
			}
			if w.Name != c.wire && (strings.Contains(string(body.JSON), "caller") || strings.Contains(string(body.JSON), "phase") || strings.Contains(string(body.JSON), "extra_content")) {
				t.Errorf("%s sends what %s said: %s", w.Name, c.wire, body.JSON)
			}
		}
	}
}
