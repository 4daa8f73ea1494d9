package providers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/provider/internal/streamtest"
	"github.com/stemma-history/stemma/provider/providers"
	"github.com/stemma-history/stemma/provider/providertest"
	"github.com/stemma-history/stemma/wire"
)

// tester is what tests and drawn tests have in common.
type tester interface {
	Helper()
	Fatal(...any)
	Cleanup(func())
}

// reach returns a provider whose server is played by a strict one.
func reach(t tester, name string, c providertest.Config) (provider.Provider, *providertest.Server) {
	t.Helper()
	return reachWithin(t, name, c, 0)
}

// reachWithin is reach for a provider that takes a silence for a lost connection.
func reachWithin(t tester, name string, c providertest.Config, idle time.Duration) (provider.Provider, *providertest.Server) {
	t.Helper()
	played := providertest.New(c)
	s := httptest.NewServer(played)
	t.Cleanup(s.Close)
	p, err := providers.Named(name, provider.Settings{BaseURL: s.URL, Key: func(context.Context) (string, error) { return "key", nil }, Idle: idle})
	if err != nil {
		t.Fatal(err)
	}
	return p, played
}

// models are one of each wire that the strict server can play, by provider.
func models() map[string]string {
	return map[string]string{
		"anthropic": "claude-opus-5-5", "openai": "gpt-6.1-sol", "openai-chat": "gpt-5.5", "gemini": "gemini-4-argon", "ollama": "qwen3.8",
		"openrouter": "anthropic/claude-opus-5-5",
	}
}

func config(name string) providertest.Config {
	var c providertest.Config
	if name == "ollama" || name == "openrouter" {
		c.Dialect, _ = providertest.DialectNamed(name) // the suite of providertest holds it
	}
	return c
}

// drawAnswer draws what a model might say.
func drawAnswer(t *rapid.T) providertest.Answer {
	var a providertest.Answer
	text := rapid.StringOfN(rapid.RuneFrom([]rune("ab <&>\"\\\n\t世é😀\u2028")), 1, 40, -1).Filter(func(s string) bool { return strings.TrimSpace(s) != "" })
	if rapid.Bool().Draw(t, "thinks") {
		a = a.Think(text.Draw(t, "thought"))
	}
	if rapid.Bool().Draw(t, "says") {
		a = a.Say(text.Draw(t, "said"))
	}
	for range rapid.IntRange(0, 3).Draw(t, "calls") {
		a = a.Call("read", rapid.SampledFrom([]string{`{}`, `{"path": "a\u002fb" }`, `{"n":1.0,"s":"世\n"}`}).Draw(t, "arguments"))
	}
	if len(a.Parts) == 0 {
		a = a.Say("so")
	}
	return a
}

// TestConversationsGoOnOverEveryWire: whatever streams in, in whatever pieces,
// the next request sends back in a way that a strict server takes, thinking and
// its signature included (P2).
func TestConversationsGoOnOverEveryWire(t *testing.T) {
	for name, model := range models() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := config(name)
				c.Chunks = providertest.Chunks{Runes: rapid.IntRange(1, 9).Draw(t, "runes"), Bytes: rapid.SampledFrom([]int{0, 61}).Draw(t, "bytes")}
				answers := rapid.SliceOfN(rapid.Custom(drawAnswer), 1, 3).Draw(t, "answers")
				c.Script = providertest.In(answers...)
				p, played := reach(t, name, c)
				w := p.Wire()
				m, _, _ := catalog.Default().Find(model)
				frame := streamtest.Frame(w, model)
				frame.ChecksThinking = m.ChecksThinking
				grow := func(said message.Message, seals []message.Hash) {
					frame.View.Messages = append(frame.View.Messages, wire.Message{Message: said, Seals: seals, At: history.Handle{Depth: len(frame.View.Messages) + 1}})
				}
				grow(message.Prompt("hi"), nil)
				for _, want := range answers {
					body, err := w.Encode(frame)
					if err != nil {
						t.Fatal(err)
					}
					var shown strings.Builder
					a, err := p.Send(t.Context(), provider.Request{Model: model, Body: body}, func(d provider.Delta) {
						if d.Kind == provider.TextDelta {
							shown.WriteString(d.Text)
						}
					})
					if err != nil {
						t.Fatalf("%v\n%s", err, body.JSON)
					}
					same(t, a.Message, want, name == "gemini" || name == "ollama")
					if got := a.Message.PlainText(); shown.String() != got {
						t.Fatalf("shown %q of %q", shown.String(), got)
					}
					if a.Usage.Prompt() == 0 || a.Usage.Output == 0 || a.Dropped != 0 {
						t.Fatalf("usage %+v, %d dropped", a.Usage, a.Dropped)
					}
					seals, err := w.Seals(frame, a.Message)
					if err != nil {
						t.Fatal(err)
					}
					grow(a.Message, seals)
					results := message.Message{Role: message.Tool, Author: message.ByTool}
					for _, call := range a.Message.Calls {
						results.Parts = append(results.Parts, message.ToolResult{CallID: call.ID, Name: call.Name, Content: []message.Content{message.Text{Text: "done"}}})
					}
					if len(results.Parts) > 0 {
						grow(results, nil)
					} else {
						grow(message.Prompt("and then?"), nil)
					}
				}
				for _, r := range played.Journal() {
					if r.Refused != "" || r.Dropped > 0 {
						t.Fatalf("%+v", r)
					}
				}
			})
		})
	}
}

// same fails where an answer is not what was to be said. Servers that send
// arguments as an object, not as a text, may write it anew.
func same(t *rapid.T, got message.Message, want providertest.Answer, anew bool) {
	t.Helper()
	calls, stop := 0, message.StopEnd
	spell := func(parts []message.Part) string {
		var b strings.Builder
		for _, p := range parts {
			switch p := p.(type) {
			case message.Thinking: // some models keep theirs to themselves
			case message.Text:
				fmt.Fprintf(&b, "%q", p.Text)
			case message.ToolCall:
				calls++
				arguments := bytes.NewBuffer(p.Arguments)
				if anew {
					arguments = new(bytes.Buffer)
					if err := json.Compact(arguments, p.Arguments); err != nil {
						t.Fatal(err)
					}
				}
				fmt.Fprintf(&b, " %s(%s)", p.Name, arguments)
			}
		}
		return b.String()
	}
	w := spell(want.Parts)
	if calls > 0 {
		stop = message.StopTools
	}
	if g := spell(got.Parts); g != w || got.Stop != stop {
		t.Fatalf("got %s (%s), want %s (%s)", g, got.Stop, w, stop)
	}
}

// TestAConversationIsReadFromTheCache over every wire whose provider has one.
func TestAConversationIsReadFromTheCache(t *testing.T) {
	for name, model := range models() {
		if name == "ollama" { // it says nothing of a cache
			continue
		}
		p, _ := reach(t, name, config(name))
		first := message.Prompt(providertest.Words(8000))
		var read, prompt int64
		for _, path := range [][]message.Message{{first}, {first, message.Prompt("and then?")}} {
			r := streamtest.After(t, p.Wire(), model, path...)
			r.CacheKey = "conversation"
			a, err := p.Send(t.Context(), r, nil)
			if err != nil {
				t.Fatal(err)
			}
			read, prompt = a.Usage.CacheRead, a.Usage.Prompt()
		}
		if read*10 < prompt*9 {
			t.Errorf("%s: %d of %d tokens came from the cache", name, read, prompt)
		}
	}
}

// TestThinkingIsLeftOutBehindAnotherPrefix over every wire: a strict server takes
// the conversation, though an earlier message is another now.
func TestThinkingIsLeftOutBehindAnotherPrefix(t *testing.T) {
	for name, model := range models() {
		c := config(name)
		c.Script = providertest.In(providertest.Answer{}.Think("So it is.").Say("Yes."), providertest.Say("Well."), providertest.Say("Well."))
		p, played := reach(t, name, c)
		m, _, _ := catalog.Default().Find(model)
		frame := streamtest.Frame(p.Wire(), model, message.Prompt("one"))
		frame.ChecksThinking = m.ChecksThinking
		ask := func() message.Message {
			body, err := p.Wire().Encode(frame)
			if err != nil {
				t.Fatal(err)
			}
			a, err := p.Send(t.Context(), provider.Request{Model: model, Body: body}, nil)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return a.Message
		}
		answer := ask()
		seals, err := p.Wire().Seals(streamtest.Frame(p.Wire(), model, message.Prompt("one")), answer)
		if err != nil {
			t.Fatal(err)
		}
		for _, prompt := range []string{"one", "another"} {
			next := streamtest.Frame(p.Wire(), model, message.Prompt(prompt), answer, message.Prompt("two"))
			next.ChecksThinking = frame.ChecksThinking
			next.View.Messages[1].Seals = seals
			frame = next
			ask()
		}
		for _, r := range played.Journal() {
			if r.Refused != "" || r.Dropped > 0 && m.ChecksThinking { // OpenAI drops what moved, and says so
				t.Errorf("%s: %+v", name, r)
			}
		}
	}
}

// TestEveryServersRefusalIsUnderstood: what a strict server says, or does not
// say, to a prompt that is too long, in the words of some 30 servers.
func TestEveryServersRefusalIsUnderstood(t *testing.T) {
	const window = 4000
	names := map[string]string{"openai": "openai-chat", "kimi": "moonshot", "mimo": "xiaomi", "zai-silent": "zai"}
	for _, d := range providertest.Dialects() {
		t.Run(d.Name, func(t *testing.T) {
			name, model := names[d.Name], "some-model"
			known := slices.ContainsFunc(providers.All(), func(e providers.Entry) bool { return e.Name == d.Name })
			switch {
			case name != "":
			case d.Wire == "anthropic":
				name, model = "anthropic", "claude-sonnet-5-5"
				if d.WithOutput {
					model = "claude-opus-4-5"
				}
			case d.Wire == "openai-responses":
				name = "openai"
			case d.Wire == "gemini":
				name, model = "gemini", "gemini-4-argon"
			case known:
				name = d.Name
			default:
				name = providers.CompatibleName
			}
			if strings.HasPrefix(name, "openai") && name != providers.CompatibleName {
				model = "gpt-5.5"
			}
			p, played := reach(t, name, providertest.Config{Dialect: d, Window: window})
			frame := streamtest.Frame(p.Wire(), model, message.Prompt(providertest.Words(2000)), message.Prompt(providertest.Words(4000)), message.Prompt("so?"))
			frame.MaxOutput = 1000
			body, err := p.Wire().Encode(frame)
			if err != nil {
				t.Fatal(err)
			}
			r := provider.Request{Model: model, Body: body, Estimate: 7500, Window: window}
			if d.Silent == providertest.CutsOldest {
				r.Window = 1 << 20 // what the model could take, and the server does not
			}
			_, err = p.Send(t.Context(), r, nil)
			var e *provider.Error
			if !errors.As(err, &e) || e.Kind != provider.Overflow {
				t.Fatalf("%+v", err)
			}
			tokens := played.Journal()[len(played.Journal())-1].Tokens
			switch over := e.Overflow; {
			case over.Silent != (d.Silent != providertest.Speaks):
				t.Errorf("silent: %v", over.Silent)
			case over.Silent:
			case over.Of == provider.OfTokens:
				if over.Limit != 0 && over.Limit != window || over.Used != 0 && over.Used != tokens && over.Used != tokens+frame.MaxOutput {
					t.Errorf("%+v, the prompt has %d: %s", over, tokens, e.Message)
				}
				if strings.Contains(d.Body, "{limit}") && over.Limit == 0 || (strings.Contains(d.Body, "{used}") || strings.Contains(d.Body, "{total}")) && over.Used == 0 {
					t.Errorf("the numbers of %q are lost: %+v", e.Message, over)
				}
			case over.Of != provider.OfBytes || d.Name != "vertex" && d.Name != "anthropic-edge":
				t.Errorf("too large of %s", over.Of)
			}
		})
	}
}

// TestFaultsAreTold: what goes wrong on the way, over every wire.
func TestFaultsAreTold(t *testing.T) {
	long := providertest.Say(providertest.Words(500))
	for name, model := range models() {
		for _, c := range []struct {
			fault providertest.Fault
			kind  provider.Kind
			wait  time.Duration
		}{
			{providertest.RateLimited(7 * time.Second), provider.RateLimit, 7 * time.Second},
			{providertest.Overloaded(), provider.Overloaded, 0},
			{providertest.Refuse{Status: 401}, provider.Auth, 0},
			{providertest.Refuse{Status: 500, Bare: true}, provider.Overloaded, 0},
			{providertest.Cut{After: 900}, provider.Network, 0},
			{providertest.Fail{After: 6}, provider.Overloaded, 0},
		} {
			cfg := config(name)
			cfg.Script = providertest.In(long.But(c.fault))
			p, _ := reach(t, name, cfg)
			var shown []string
			a, err := p.Send(t.Context(), streamtest.Prompt(t, p.Wire(), model, "hi"), streamtest.Shown(&shown))
			var e *provider.Error
			if !errors.As(err, &e) || e.Kind != c.kind || e.RetryAfter != c.wait || e.Shown != (len(shown) > 0) || a.Message.Stop != message.StopError {
				t.Errorf("%s: %+v: %+v, shown %q", name, c.fault, err, shown)
			}
		}
	}
}

// TestWhatNobodySaysIsFound over every wire: a connection that fell silent, and a
// prompt that was cut, which only the bill shows.
func TestWhatNobodySaysIsFound(t *testing.T) {
	long := providertest.Say(providertest.Words(500))
	for name, model := range models() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := config(name)
			cfg.Script = providertest.In(long.But(providertest.Misbill{Factor: 0.1}))
			p, _ := reach(t, name, cfg)
			r := streamtest.Prompt(t, p.Wire(), model, providertest.Words(1500))
			r.Estimate, r.Window = 2500, 200_000
			a, err := p.Send(t.Context(), r, nil)
			var e *provider.Error
			if !errors.As(err, &e) || e.Kind != provider.Overflow || !e.Overflow.Silent || a.Message.PlainText() != providertest.Words(500) {
				t.Errorf("cut in silence: %+v", err)
			}
			cfg.Script = providertest.In(long.But(providertest.Hang{After: 900}))
			p, _ = reachWithin(t, name, cfg, 200*time.Millisecond)
			_, err = p.Send(t.Context(), r, nil)
			if !errors.As(err, &e) || e.Kind != provider.Network || !strings.Contains(e.Message, "nothing came for") {
				t.Errorf("hanging: %+v", err)
			}
		})
	}
}

func TestARequestThatFailedIsAnsweredAtTheNextTry(t *testing.T) {
	script := providertest.Script(providertest.Echo).Failing(map[int]providertest.Fault{1: providertest.Overloaded(), 2: providertest.RateLimited(3 * time.Second)})
	p, played := reach(t, "anthropic", providertest.Config{Script: script})
	var waits []time.Duration
	p = provider.Retrying(p, provider.Retry{
		Sleep:  func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil },
		Random: func() float64 { return 0 },
	})
	a, err := p.Send(t.Context(), streamtest.Prompt(t, p.Wire(), "claude-opus-5-5", "hi"), nil)
	if err != nil || len(played.Journal()) != 3 || !slices.Equal(waits, []time.Duration{time.Second, 3 * time.Second}) || a.Message.Stop != message.StopEnd {
		t.Errorf("%+v, %v after %v", a.Message, err, waits)
	}
}
