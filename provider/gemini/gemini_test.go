package gemini

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/provider/internal/draft"
	"github.com/stemma-history/stemma/provider/internal/readertest"
	"github.com/stemma-history/stemma/provider/internal/streamtest"
	"github.com/stemma-history/stemma/provider/internal/transport"
)

// chunk is one with parts, and end one with the reason of an end.
func chunk(parts string) string {
	return `{"candidates":[{"content":{"parts":[` + parts + `],"role":"model"},"index":0}],"modelVersion":"gemini-4-argon","responseId":"r"}`
}

func end(reason string) string {
	return `{"candidates":[{"content":{"role":"model"},"finishReason":"` + reason + `","index":0}]}`
}

// stream is an answer as the API sends it. (Forms: SDK v1.77.0 and recorded
// streams, 2026.)
var stream = streamtest.Events(
	chunk(`{"text":"Let me ","thought":true}`),
	chunk(`{"text":"see","thought":true}`),
	chunk(`{"text":"Grüße, "}`),
	chunk(`{"text":"世界"}`),
	chunk(`{"text":"","thoughtSignature":"U2ln"}`),
	chunk(`{"text":"more"}`),
	chunk(`{"functionCall":{"name":"read","args":{"path": "a\u002fb"}},"thoughtSignature":"Q2FsbA=="},{"functionCall":{"id":"fc_2","name":"read","args":{}}}`),
	chunk(`{"executableCode":{"language":"PYTHON","code":"1+1"}}`),
	`{"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"STOP","index":0},{"content":{"parts":[{"text":"another"}]},"index":1}],"usageMetadata":{"promptTokenCount":1000,"cachedContentTokenCount":800,"candidatesTokenCount":30,"thoughtsTokenCount":20,"totalTokenCount":1050}}`,
)

func wantParts() []message.Part {
	return []message.Part{
		message.Thinking{Text: "Let me see"},
		message.Text{Text: "Grüße, 世界"},
		message.Text{Signature: "U2ln"},
		message.Text{Text: "more"},
		message.ToolCall{Name: "read", Arguments: []byte(`{"path": "a\u002fb"}`), Signature: "Q2FsbA=="},
		message.ToolCall{ID: "fc_2", Name: "read", Arguments: []byte(`{}`)},
		message.Opaque{Format: "gemini", Raw: []byte(`{"executableCode":{"language":"PYTHON","code":"1+1"}}`)},
	}
}

const model = "gemini-4-argon"

func newProvider(t testing.TB, reply streamtest.Reply) (*Provider, *streamtest.Server) {
	t.Helper()
	s := streamtest.Serve(t, reply)
	p, err := New(provider.Settings{BaseURL: s.URL, Key: func(context.Context) (string, error) { return "AIza-secret", nil }})
	if err != nil {
		t.Fatal(err)
	}
	return p, s
}

func send(t *testing.T, reply streamtest.Reply) (a provider.Answer, shown []string, err error) {
	t.Helper()
	p, _ := newProvider(t, reply)
	a, err = p.Send(t.Context(), streamtest.Prompt(t, p.Wire(), model, "hi"), streamtest.Shown(&shown))
	return a, shown, err
}

func TestAnAnswerIsReadWhole(t *testing.T) {
	streamtest.ReadsWhole(t, streamtest.Reply{Body: stream}, send, provider.Answer{
		Message: message.Message{Wire: "gemini", Model: model, Stop: message.StopTools, Parts: wantParts()},
		Usage:   history.Usage{Input: 200, CacheRead: 800, Output: 50, Reasoning: 20},
	}, []string{"0 thinking Let me ", "0 thinking see", "1 text Grüße, ", "1 text 世界", "3 text more",
		"4 call read", `4 arguments {"path": "a\u002fb"}`, "5 call read", "5 arguments {}"})
}

func TestWhyAnAnswerEnds(t *testing.T) {
	for reason, want := range map[string]message.Stop{
		"STOP": message.StopEnd, "MAX_TOKENS": message.StopLength, "SAFETY": message.StopRefusal, "PROHIBITED_CONTENT": message.StopRefusal, "BRAND_NEW": "BRAND_NEW",
	} {
		a, _, err := send(t, streamtest.Reply{Body: streamtest.Events(chunk(`{"text":"so"}`), end(reason))})
		if err != nil || a.Message.Stop != want || a.Message.PlainText() != "so" {
			t.Errorf("%s: %+v, %v", reason, a.Message, err)
		}
	}
}

func TestErrors(t *testing.T) {
	for name, c := range map[string]struct {
		reply streamtest.Reply
		kind  provider.Kind
		shown bool
	}{
		"too long":         {streamtest.Reply{Status: 400, Body: `{"error":{"code":400,"message":"The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`}, provider.Overflow, false},
		"blocked":          {streamtest.Reply{Body: streamtest.Events(`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":9}}`)}, provider.Declined, false},
		"a malformed call": {streamtest.Reply{Body: streamtest.Events(end("MALFORMED_FUNCTION_CALL"))}, provider.Overloaded, false},
		"inside":           {streamtest.Reply{Body: streamtest.Events(chunk(`{"text":"so"}`), `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`)}, provider.Overloaded, true},
		"cut":              {streamtest.Reply{Body: streamtest.Events(chunk(`{"text":"so"}`)), Cut: true}, provider.Network, true},
		"early ended":      {streamtest.Reply{Body: streamtest.Events(chunk(`{"text":"so"}`))}, provider.Network, true},
	} {
		a, _, err := send(t, c.reply)
		var e *provider.Error
		if !errors.As(err, &e) || e.Kind != c.kind || e.Shown != c.shown || (a.Message.PlainText() == "so") != c.shown {
			t.Errorf("%s: %+v, kept %+v", name, err, a.Message)
		}
	}
}

func TestARequestHasWhatTheAPIWants(t *testing.T) {
	for _, c := range []struct {
		model, effort string
		off           bool
		max           int
		want          string
	}{
		{"gemini-4-argon", "", false, 900, `,"generationConfig":{"maxOutputTokens":900,"thinkingConfig":{"includeThoughts":true}}}`},
		{"gemini-4-argon", "high", false, 0, `,"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"high"}}}`},
		{"gemini-4-argon", "", true, 900, `,"generationConfig":{"maxOutputTokens":900,"thinkingConfig":{"thinkingLevel":"low"}}}`},
		{"gemini-2.5-pro", "low", false, 900, `,"generationConfig":{"maxOutputTokens":900,"thinkingConfig":{"includeThoughts":true,"thinkingBudget":2048}}}`},
		{"gemini-2.5-pro", "", true, 900, `,"generationConfig":{"maxOutputTokens":900,"thinkingConfig":{"thinkingBudget":0}}}`},
		{"gemini-2.0-flash", "", false, 900, `,"generationConfig":{"maxOutputTokens":900}}`},
	} {
		p, s := newProvider(t, streamtest.Reply{Body: stream})
		frame := streamtest.Frame(p.Wire(), c.model, message.Prompt(`hi ],"generationConfig":{`))
		frame.MaxOutput = c.max
		body, err := p.Wire().Encode(frame)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Send(t.Context(), provider.Request{Model: "models/" + c.model, Body: body, Effort: c.effort, ThinkingOff: c.off}, nil); err != nil {
			t.Fatal(err)
		}
		sent := s.Last(t)
		if !strings.HasSuffix(string(sent.Body), "]"+c.want) || sent.URL != "/v1beta/models/"+c.model+":streamGenerateContent?alt=sse" {
			t.Errorf("sent to %s %s\nwant %s", sent.URL, sent.Body, c.want)
		}
		if sent.Header.Get("X-Goog-Api-Key") != "AIza-secret" || strings.Contains(sent.URL, "secret") {
			t.Errorf("headers %v", sent.Header)
		}
		sent.Accepted(t, p.Wire(), true)
	}
}

// TestSignaturesAreSentBackByteForByte (P2).
func TestSignaturesAreSentBackByteForByte(t *testing.T) {
	a, _, err := send(t, streamtest.Reply{Body: stream})
	if err != nil {
		t.Fatal(err)
	}
	p, _ := newProvider(t, streamtest.Reply{Body: stream})
	next := streamtest.After(t, p.Wire(), model, message.Prompt("hi"), a.Message, message.Results(message.ToolResult{Name: "read"}, message.ToolResult{CallID: "fc_2", Name: "read"}))
	for _, want := range []string{
		`{"text":"","thoughtSignature":"U2ln"}`, `{"text":"Grüße, 世界"}`, `{"text":"more"}`,
		`{"functionCall":{"name":"read","args":{"path": "a\u002fb"}},"thoughtSignature":"Q2FsbA=="}`, `{"functionCall":{"id":"fc_2","name":"read","args":{}}}`,
		`{"executableCode":{"language":"PYTHON","code":"1+1"}}`,
	} {
		if !strings.Contains(string(next.Body.JSON), want) {
			t.Errorf("%s is not in %s", want, next.Body.JSON)
		}
	}
}

func FuzzStream(f *testing.F) {
	readertest.Fuzz(f, stream, func(d *draft.Draft) transport.Reader { return newReader(d) })
}
