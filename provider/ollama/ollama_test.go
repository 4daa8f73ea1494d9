package ollama

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/provider/internal/draft"
	"github.com/stemma-history/stemma/provider/internal/readertest"
	"github.com/stemma-history/stemma/provider/internal/streamtest"
	"github.com/stemma-history/stemma/provider/internal/transport"
)

// stream is an answer as the server sends it. (Forms: its source, 2026-08-21.)
const stream = `{"model":"qwen3","created_at":"2026-12-01T10:00:00Z","message":{"role":"assistant","content":"","thinking":"Let me "},"done":false}
{"model":"qwen3","message":{"role":"assistant","content":"","thinking":"see 世界"},"done":false}
{"model":"qwen3","message":{"role":"assistant","content":"Grüße"},"done":false}
{"model":"qwen3","message":{"role":"assistant","content":"","tool_calls":[{"id":"call_a","function":{"index":0,"name":"read","arguments":{"path": "a\u002fb"}}},{"function":{"index":1,"name":"read","arguments":{}}}]},"done":false}
{"model":"qwen3","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","total_duration":1,"prompt_eval_count":900,"eval_count":40}
`

const lines = "application/x-ndjson"

func newProvider(t testing.TB, replies ...streamtest.Reply) (*Provider, *streamtest.Server) {
	t.Helper()
	s := streamtest.Serve(t, replies...)
	p, err := New(provider.Settings{BaseURL: s.URL + "/v1/"})
	if err != nil {
		t.Fatal(err)
	}
	return p, s
}

// send sends a prompt to a server that gives one reply.
func send(t *testing.T, reply streamtest.Reply) (a provider.Answer, shown []string, err error) {
	t.Helper()
	p, _ := newProvider(t, reply)
	r := streamtest.Prompt(t, p.Wire(), "qwen3", "hi")
	r.Window = 4096
	a, err = p.Send(t.Context(), r, streamtest.Shown(&shown))
	return a, shown, err
}

func TestAnAnswerIsReadWhole(t *testing.T) {
	streamtest.ReadsWhole(t, streamtest.Reply{Body: stream, Type: lines}, send, provider.Answer{
		Message: message.Message{Wire: "openai-chat", Model: "qwen3", Stop: message.StopTools, Parts: []message.Part{
			message.Thinking{Text: "Let me see 世界"},
			message.Text{Text: "Grüße"},
			message.ToolCall{ID: "call_a", Name: "read", Arguments: []byte(`{"path": "a\u002fb"}`)},
			message.ToolCall{Name: "read", Arguments: []byte(`{}`)},
		}},
		Usage: history.Usage{Input: 900, Output: 40},
	}, []string{"0 thinking Let me ", "0 thinking see 世界", "1 text Grüße", "2 call read", `2 arguments {"path": "a\u002fb"}`, "3 call read", "3 arguments {}"})
}

// TestTheServerIsToldNotToCut, how large the window is, and everything in its
// own form.
func TestTheServerIsToldNotToCut(t *testing.T) {
	p, s := newProvider(t, streamtest.Reply{Body: stream, Type: lines})
	pixel := message.Image{Media: message.Media{Type: "image/png", Data: []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde")}}
	answer := message.Message{Role: message.Assistant, Author: message.ByModel, Wire: "openai-chat", Model: "qwen3", Parts: []message.Part{
		message.Thinking{Text: "hm"},
		message.ToolCall{ID: "call_a", Name: "read", Arguments: []byte(`{"path": "a\u002fb"}`)},
	}}
	r := streamtest.After(t, p.Wire(), "qwen3",
		message.Message{Role: message.User, Author: message.ByPerson, Parts: []message.Part{message.Text{Text: "look \"here\""}, pixel}},
		answer, message.Results(message.ToolResult{CallID: "call_a", Content: []message.Content{message.Text{Text: "text of b"}}}))
	r.Window, r.Effort = 8192, "high"
	if _, err := p.Send(t.Context(), r, nil); err != nil {
		t.Fatal(err)
	}
	sent := s.Last(t)
	const want = `{"model":"qwen3","tools":[{"type":"function","function":{"name":"read","parameters":{"type":"object"}}}],"messages":[` +
		`{"role":"system","content":"be brief"},` +
		`{"role":"user","content":"look \"here\"","images":["iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1Pe"]},` +
		`{"role":"assistant","thinking":"hm","content":"","tool_calls":[{"id":"call_a","function":{"name":"read","arguments":{"path": "a\u002fb"}}}]},` +
		`{"role":"tool","tool_call_id":"call_a","tool_name":"read","content":"text of b"}],` +
		`"options":{"num_ctx":8192,"num_predict":32000},"stream":true,"truncate":false,"shift":false,"think":"high"}`
	if string(sent.Body) != want || sent.URL != "/api/chat" {
		t.Errorf("sent to %s\n%s\nwant\n%s", sent.URL, sent.Body, want)
	}
	if !rawjson.Valid(sent.Body) {
		t.Error("it is no JSON")
	}
}

func TestAModelThatCannotThinkIsNotTold(t *testing.T) {
	refusal := func(words string) streamtest.Reply {
		return streamtest.Reply{Status: 400, Body: `{"error":"` + words + `"}`}
	}
	p, s := newProvider(t, refusal(`think value \"high\" is not supported for this model`), refusal(`\"llama\" does not support thinking`), streamtest.Reply{Body: stream, Type: lines})
	r := streamtest.Prompt(t, p.Wire(), "llama", "hi")
	r.Effort = "high"
	if _, err := p.Send(t.Context(), r, nil); err != nil {
		t.Fatal(err)
	}
	if all := s.Requests(); len(all) != 3 || !strings.Contains(string(all[1].Body), `"think":true`) || strings.Contains(string(all[2].Body), `"think"`) {
		t.Errorf("%d requests", len(all))
	}
}

func TestErrors(t *testing.T) {
	first, _, _ := strings.Cut(stream, "\n")
	for name, c := range map[string]struct {
		reply  streamtest.Reply
		kind   provider.Kind
		silent bool
	}{
		"too long":       {streamtest.Reply{Status: 400, Body: `{"error":"prompt too long; exceeded max context length by 12 tokens"}`}, provider.Overflow, false},
		"inside":         {streamtest.Reply{Body: first + "\n" + `{"error":"an error was encountered while running the model"}` + "\n", Type: lines}, provider.Overloaded, false},
		"cut":            {streamtest.Reply{Body: first + "\n", Type: lines, Cut: true}, provider.Network, false},
		"cut in silence": {streamtest.Reply{Body: strings.Replace(stream, `"prompt_eval_count":900`, `"prompt_eval_count":4096`, 1), Type: lines}, provider.Overflow, true},
		"no such model":  {streamtest.Reply{Status: 404, Body: `{"error":"model 'x' not found"}`}, provider.Invalid, false},
	} {
		_, _, err := send(t, c.reply)
		var e *provider.Error
		if !errors.As(err, &e) || e.Kind != c.kind || e.Overflow.Silent != c.silent {
			t.Errorf("%s: %+v", name, err)
		}
	}
}

func FuzzTranslate(f *testing.F) {
	f.Add([]byte(`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]},{"role":"assistant","content":null,"tool_calls":[{"id":"a","function":{"name":"n","arguments":"{}"}}]}],"max_tokens":3}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		_, _ = translate(body, 10) // only bodies of our own are valid; others must not panic
	})
}

func FuzzStream(f *testing.F) {
	readertest.FuzzLines(f, stream, func(d *draft.Draft) transport.Reader { return &reader{Draft: d} })
}

func TestTheModelsOfTheServerAreListed(t *testing.T) {
	for body, want := range map[string][]string{
		`{"models":[{"name":"qwen3:4b","model":"qwen3:4b","size":1},{"name":"llama3.2:latest"}]}`: {"qwen3:4b", "llama3.2:latest"},
		`{"models":[]}`:   nil,
		`{"models":null}`: nil,
	} {
		p, s := newProvider(t, streamtest.Reply{Body: body, Type: "application/json"})
		if got, err := p.Models(t.Context()); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", body, got, err)
		}
		if path := s.Last(t).URL; path != "/api/tags" {
			t.Errorf("asked at %s", path)
		}
	}
	for _, reply := range []streamtest.Reply{{Body: "no JSON"}, {Body: "{}", Status: 500}} {
		p, _ := newProvider(t, reply)
		if got, err := p.Models(t.Context()); err == nil || got != nil {
			t.Errorf("%+v: %q, %v", reply, got, err)
		}
	}
}
