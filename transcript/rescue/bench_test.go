package rescue_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/claudecode"
	"github.com/stemma-history/stemma/transcript/codex"
	"github.com/stemma-history/stemma/transcript/formats"
	"github.com/stemma-history/stemma/transcript/pi"
	"github.com/stemma-history/stemma/transcript/rescue"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/wires"
)

// stuck is about size bytes of work that no window holds: prompts, and calls
// whose results have some thousand characters of code, logs and numbers.
func stuck(size int) wire.View {
	random := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("the store keeps each entry under its parent and never rewrites what was said func return error path line retry budget window config")
	text := func(n int) string {
		var b strings.Builder
		for b.Len() < n {
			fmt.Fprintf(&b, "%s %s.go:%d: %x\n", words[random.IntN(len(words))], words[random.IntN(len(words))], random.IntN(900), random.Uint32())
		}
		return b.String()
	}
	var v wire.View
	add := func(m message.Message) {
		v.Messages = append(v.Messages, wire.Message{Message: m, At: history.Handle{Depth: len(v.Messages) + 1}})
	}
	for total := 0; total < size; {
		if len(v.Messages)%20 == 0 {
			add(message.Prompt(text(200)))
		}
		id := fmt.Sprintf("call_%d", len(v.Messages))
		add(message.Message{Role: message.Assistant, Author: message.ByModel, Parts: []message.Part{
			message.Text{Text: text(150)}, message.ToolCall{ID: id, Name: "bash", Arguments: fmt.Appendf(nil, `{"command":"go vet ./part%d"}`, len(v.Messages))},
		}})
		out := text(500 + random.IntN(5000))
		add(message.Results(message.ToolResult{CallID: id, Name: "bash", Content: []message.Content{message.Text{Text: out}}}))
		total += len(out) + 500
	}
	add(message.Prompt("And now?"))
	return v
}

// BenchmarkRescue rescues ten megabytes in each format that can be written.
func BenchmarkRescue(b *testing.B) {
	const claude, gpt, gemini = "claude-opus-5-5", "gpt-6.2-sol", "gemini-4-argon"
	view := stuck(10_000_000)
	body := func(name, model string) []byte {
		w, _ := wires.Named(name)
		body, err := w.Encode(wire.Request{Frame: wire.Frame{Model: model}, View: view, MaxOutput: 1000, Limits: &wire.Limits{}})
		if err != nil {
			b.Fatal(err)
		}
		return body.JSON
	}
	session := func(model string, write func(*bytes.Buffer, transcript.Session) error) []byte {
		var out bytes.Buffer
		o := options(0)
		if err := write(&out, transcript.Session{ID: o.NewID(), Model: model, Now: o.Now(), NewID: o.NewID, Like: file(nil, "new")}); err != nil {
			b.Fatal(err)
		}
		return out.Bytes()
	}
	for _, in := range []struct {
		name, model string
		data        []byte
	}{
		{"anthropic", claude, body("anthropic", claude)},
		{"openai-chat", gpt, body("openai-chat", gpt)},
		{"openai-responses", gpt, body("openai-responses", gpt)},
		{"gemini", gemini, body("gemini", gemini)},
		{"claude-code", claude, session(claude, func(out *bytes.Buffer, s transcript.Session) error {
			return claudecode.Write(out, s, body("anthropic", claude))
		})},
		{"codex", gpt, session(gpt, func(out *bytes.Buffer, s transcript.Session) error {
			return codex.Write(out, s, body("openai-responses", gpt))
		})},
		{"pi", claude, session(claude, func(out *bytes.Buffer, s transcript.Session) error {
			rules := wire.Rules{Wire: pi.Name, IDs: wire.IDRule{MaxLen: 200, Punctuation: wire.AnyPunctuation, Prefix: "call_"}}
			return pi.Write(out, s, "anthropic-messages", "anthropic", wire.Normalise(view, rules))
		})},
	} {
		b.Run(in.name, func(b *testing.B) {
			o := options(0)
			o.Model = in.model
			var r rescue.Result
			for b.Loop() {
				var err error
				if r, err = rescue.Rescue(context.Background(), formats.All(), file(in.data, "stuck"), o); err != nil || r.After >= r.Before {
					b.Fatal(r.Before, r.After, err)
				}
			}
			b.ReportMetric(float64(len(in.data))/1e6, "MB")
			b.ReportMetric(float64(len(r.Data))/1e6, "MB-out")
		})
	}
}
