package openai

import (
	"context"
	"errors"
	"reflect"
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

func server(t testing.TB, name string) Server {
	t.Helper()
	for _, s := range Servers() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no server %s", name)
	return Server{}
}

func newChat(t testing.TB, name, url string) *Chat {
	t.Helper()
	c, err := NewChat(server(t, name), provider.Settings{BaseURL: url, Key: func(context.Context) (string, error) { return "sk-secret", nil }})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// chatWith reads a stream and returns the answer and what was shown.
func chatWith(t *testing.T, reply streamtest.Reply) (a provider.Answer, shown []string, err error) {
	t.Helper()
	c := newChat(t, "deepseek", streamtest.Serve(t, reply).URL)
	a, err = c.Send(t.Context(), streamtest.Prompt(t, c.Wire(), "deepseek-v4-pro", "hi"), streamtest.Shown(&shown))
	return a, shown, err
}

// chunk is one with a delta, and choiceEnd one with the reason of an end.
func chunk(delta string) string {
	return `{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}],"usage":null}`
}

func choiceEnd(reason string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

// chatStream is an answer with thinking, a text and two calls that come in turns.
var chatStream = streamtest.Events(
	chunk(`{"role":"assistant","content":""}`),
	chunk(`{"reasoning_content":"Let me ","content":null}`),
	chunk(`{"reasoning_content":"see 世界","reasoning":"see 世界"}`),
	chunk(`{"content":"Grüße \ud83d"}`), // an emoji, cut where UTF-16 can be cut
	chunk(`{"content":"\ude00"}`),
	chunk(`{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"read","arguments":""}}]}`),
	chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\": "}}]}`),
	chunk(`{"tool_calls":[{"index":1,"id":"call_b","type":"function","function":{"name":"read","arguments":"{}"}}]}`),
	chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"\"a\\u002fb\"}"}}]}`),
	`{"choices":[{"index":1,"delta":{"content":"another answer"}}]}`,
	choiceEnd("tool_calls"),
	`{"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":50,"total_tokens":1050,"prompt_cache_hit_tokens":800,"prompt_tokens_details":{"cached_tokens":800,"cache_write_tokens":100},"completion_tokens_details":{"reasoning_tokens":20}}}`,
	"[DONE]",
)

func chatParts() []message.Part {
	return []message.Part{
		message.Thinking{Text: "Let me see 世界"},
		message.Text{Text: "Grüße 😀"},
		message.ToolCall{ID: "call_a", Name: "read", Arguments: []byte(`{"path": "a\u002fb"}`)},
		message.ToolCall{ID: "call_b", Name: "read", Arguments: []byte(`{}`)},
	}
}

func TestAChatAnswerIsReadWhole(t *testing.T) {
	streamtest.ReadsWhole(t, streamtest.Reply{Body: chatStream}, chatWith, provider.Answer{
		Message: message.Message{Wire: "openai-chat", Model: "deepseek-v4-pro", Stop: message.StopTools, Parts: chatParts()},
		Usage:   history.Usage{Input: 100, CacheRead: 800, CacheWrite: 100, Output: 50, Reasoning: 20},
	}, []string{"0 thinking Let me ", "0 thinking see 世界", "1 text Grüße \xed\xa0\xbd", "1 text \xed\xb8\x80",
		"2 call read", `2 arguments {"path": `, "3 call read", "3 arguments {}", `2 arguments "a\u002fb"}`})
}

// TestServersCallToolsInTheirOwnWays: indices that are missing or all the same,
// ids that are missing, objects in place of strings, names in every piece.
func TestServersCallToolsInTheirOwnWays(t *testing.T) {
	for name, c := range map[string]struct {
		deltas []string
		want   string
	}{
		"no index": {[]string{
			`{"tool_calls":[{"id":"a","function":{"name":"x","arguments":"{\"n\":"}}]}`, `{"tool_calls":[{"id":"a","function":{"arguments":"1}"}}]}`,
			`{"tool_calls":[{"id":"b","function":{"name":"y","arguments":"{}"}}]}`}, `a x {"n":1}; b y {}`},
		"no index and no id": {[]string{
			`{"tool_calls":[{"function":{"name":"x","arguments":"{}"}},{"function":{"name":"x","arguments":"{\"n\":2}"}}]}`}, ` x {};  x {"n":2}`},
		"the same index": {[]string{
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}]}`, `{"tool_calls":[{"index":0,"id":"b","function":{"name":"x","arguments":"{\"n\":2}"}}]}`}, `a x {}; b x {"n":2}`},
		"the name in every piece": {[]string{
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{"}}]}`, `{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"}"}}]}`}, `a x {}`},
		"an id only later": {[]string{
			`{"tool_calls":[{"index":0,"function":{"name":"x","arguments":"{"}}]}`, `{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"}"}}]}`}, `a x {}`},
		"another id in every piece": {[]string{
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{"}}]}`, `{"tool_calls":[{"index":0,"id":"b","function":{"arguments":"}"}}]}`}, `a x {}`},
		"an object":                 {[]string{`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":{"n": 1.0}}}]}`}, `a x {"n": 1.0}`},
		"nothing":                   {[]string{`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x"}}]}`}, `a x `},
		"all at once, in a message": {nil, `a x {}`},
	} {
		var chunks []string
		for _, d := range c.deltas {
			chunks = append(chunks, chunk(d))
		}
		if c.deltas == nil {
			chunks = []string{`{"choices":[{"index":0,"message":{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{}"}}]}}]}`}
		}
		a, _, err := chatWith(t, streamtest.Reply{Body: streamtest.Events(append(chunks, choiceEnd("stop"))...)})
		var got []string
		for _, call := range a.Message.Calls {
			got = append(got, call.ID+" "+call.Name+" "+string(call.Arguments))
		}
		if err != nil || strings.Join(got, "; ") != c.want || a.Message.Stop != message.StopTools {
			t.Errorf("%s: %q, stop %s, error %v", name, got, a.Message.Stop, err)
		}
	}
}

func TestMistralsListsAreTextsAndThoughts(t *testing.T) {
	a, _, err := chatWith(t, streamtest.Reply{Body: streamtest.Events(
		chunk(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm "},{"type":"text","text":"so"}]}]}`),
		chunk(`{"content":[{"type":"text","text":"a"}]}`), chunk(`{"content":"b"}`), choiceEnd("stop"))})
	if err != nil || !reflect.DeepEqual(a.Message.Parts, []message.Part{message.Thinking{Text: "hm so"}, message.Text{Text: "ab"}}) {
		t.Errorf("%q, %v", a.Message.Parts, err)
	}
}

func TestWhyAChatAnswerEnds(t *testing.T) {
	for reason, want := range map[string]message.Stop{
		"stop": message.StopEnd, "eos": message.StopEnd, "length": message.StopLength, "model_length": message.StopLength,
		"content_filter": message.StopRefusal, "sensitive": message.StopRefusal, "brand_new": "brand_new",
	} {
		a, _, err := chatWith(t, streamtest.Reply{Body: streamtest.Events(chunk(`{"content":"so"}`), choiceEnd(reason))})
		if err != nil || a.Message.Stop != want {
			t.Errorf("%s: %q, %v", reason, a.Message.Stop, err)
		}
	}
	a, _, err := chatWith(t, streamtest.Reply{Body: streamtest.Events(chunk(`{"content":"so"}`), "[DONE]")})
	if err != nil || a.Message.Stop != message.StopEnd {
		t.Errorf("without a reason: %q, %v", a.Message.Stop, err)
	}
	a, _, err = chatWith(t, streamtest.Reply{Body: streamtest.Events(chunk(`{"refusal":"I would "}`), chunk(`{"refusal":"rather not"}`), choiceEnd("stop"), "[DONE]")})
	refusal := message.Opaque{Format: "openai-chat", Raw: []byte(`{"type":"refusal","refusal":"I would rather not"}`)}
	if err != nil || a.Message.Stop != message.StopRefusal || !reflect.DeepEqual(a.Message.Parts, []message.Part{refusal}) {
		t.Errorf("a refusal: %+v, %v", a.Message, err)
	}
}

func TestErrorsInsideAChatAnswer(t *testing.T) {
	said := chunk(`{"content":"so far"}`)
	for name, c := range map[string]struct {
		reply streamtest.Reply
		kind  provider.Kind
		used  int
	}{
		"OpenRouter":     {streamtest.Reply{Body: streamtest.Events(said, `{"error":{"code":502,"message":"Provider disconnected"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`)}, provider.Overloaded, 0},
		"DeepSeek":       {streamtest.Reply{Body: streamtest.Events(said, choiceEnd("insufficient_system_resource"))}, provider.Overloaded, 0},
		"vLLM":           {streamtest.Reply{Body: streamtest.Events(said, `{"error":{"object":"error","message":"This model's maximum context length is 32768 tokens. However, your request has 40000 input tokens.","code":400}}`)}, provider.Overflow, 40000},
		"llama.cpp":      {streamtest.Reply{Body: streamtest.Events(said) + "error: {\"code\":500,\"message\":\"slot unavailable\"}\n\n"}, provider.Overloaded, 0},
		"a cut":          {streamtest.Reply{Body: streamtest.Events(said), Cut: true}, provider.Network, 0},
		"an early end":   {streamtest.Reply{Body: streamtest.Events(said)}, provider.Network, 0},
		"a chunk is cut": {streamtest.Reply{Body: streamtest.Events(said) + `data: {"choices":[`}, provider.Network, 0},
	} {
		a, _, err := chatWith(t, c.reply)
		var e *provider.Error
		if !errors.As(err, &e) || e.Kind != c.kind || e.Overflow.Used != c.used || !e.Shown || a.Message.PlainText() != "so far" || a.Message.Stop != message.StopError {
			t.Errorf("%s: %+v, kept %+v", name, err, a.Message)
		}
	}
}

func TestBillsOfServers(t *testing.T) {
	for name, c := range map[string]struct {
		event string
		want  history.Usage
	}{
		"xAI counts thinking apart": {`{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":35,"completion_tokens_details":{"reasoning_tokens":20}}}`, history.Usage{Input: 10, Output: 25, Reasoning: 20}},
		"Groq":                      {`{"choices":[],"x_groq":{"id":"r","usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}}`, history.Usage{Input: 10, Output: 5}},
		"Moonshot":                  {`{"choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":10,"completion_tokens":5,"cached_tokens":4}}]}`, history.Usage{Input: 6, CacheRead: 4, Output: 5}},
		"OpenRouter":                {`{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"cost":0.0125}}`, history.Usage{Input: 10, Output: 5, CostUSD: 0.0125}},
	} {
		a, _, err := chatWith(t, streamtest.Reply{Body: streamtest.Events(chunk(`{"content":"so"}`), choiceEnd("stop"), c.event)})
		if err != nil || a.Usage != c.want {
			t.Errorf("%s: %+v, %v", name, a.Usage, err)
		}
	}
}

func TestAChatRequestHasWhatTheServerWants(t *testing.T) {
	const streamed = `,"stream":true,"stream_options":{"include_usage":true}`
	for _, c := range []struct {
		server, effort string
		off            bool
		want           string
		header         string
	}{
		{"openai-chat", "high", false, streamed + `,"reasoning_effort":"high"}`, "Authorization"},
		{"openai-chat", "", true, streamed + `,"reasoning_effort":"none"}`, "Authorization"},
		{"openrouter", "low", false, streamed + `,"transforms":[],"usage":{"include":true},"reasoning":{"effort":"low"}}`, "Authorization"},
		{"zai", "", true, streamed + `,"thinking":{"type":"disabled"}}`, "Authorization"},
		{"groq", "", true, streamed + `}`, "Authorization"},
		{"azure", `lo"w`, false, streamed + `,"reasoning_effort":"low"}`, "Api-Key"},
	} {
		s := streamtest.Serve(t, streamtest.Reply{Body: chatStream})
		p := newChat(t, c.server, s.URL)
		r := streamtest.Prompt(t, p.Wire(), "gpt-5", "hi")
		r.Effort, r.ThinkingOff = c.effort, c.off
		if _, err := p.Send(t.Context(), r, nil); err != nil {
			t.Fatal(err)
		}
		sent := s.Last(t)
		if tail := sent.Behind(t, r.Body); tail != c.want || sent.URL != "/v1/chat/completions" || !strings.HasSuffix(sent.Header.Get(c.header), "sk-secret") {
			t.Errorf("%s: sent behind the body %s to %s with %v\nwant %s", c.server, tail, sent.URL, sent.Header, c.want)
		}
		sent.Accepted(t, p.Wire(), c.server == "openai-chat")
	}
}

// TestServersOfManyModelsCacheAConversation: its requests go to one place, where
// Claude has to be asked to remember them.
func TestServersOfManyModelsCacheAConversation(t *testing.T) {
	for _, c := range []struct{ server, model, want string }{
		{"openrouter", "anthropic/claude-opus-5", `,"session_id":"conv-1","cache_control":{"type":"ephemeral"}}`},
		{"openrouter", "deepseek/deepseek-v4", `,"session_id":"conv-1"}`},
		{"vercel", "anthropic/claude-opus-5", `,"providerOptions":{"gateway":{"caching":"auto"}}}`},
		{"litellm", "claude-opus-5", `,"cache_control_injection_points":[{"location":"message","role":"system"},{"location":"message","index":-1}]}`},
		{"litellm", "gpt-5.5", `,"stream_options":{"include_usage":true}}`},
	} {
		s := streamtest.Serve(t, streamtest.Reply{Body: chatStream})
		p := newChat(t, c.server, s.URL)
		r := streamtest.Prompt(t, p.Wire(), c.model, "hi")
		r.CacheKey = "conv-1"
		if _, err := p.Send(t.Context(), r, nil); err != nil {
			t.Fatal(err)
		}
		if tail := s.Last(t).Behind(t, r.Body); !strings.HasSuffix(tail, c.want) {
			t.Errorf("%s, %s: sent behind the body %s, want %s at its end", c.server, c.model, tail, c.want)
		}
	}
}

func TestAMemberThatAServerRefusesIsLeftOut(t *testing.T) {
	s := streamtest.Serve(t,
		streamtest.Reply{Status: 422, Body: `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`},
		streamtest.Reply{Status: 400, Body: `{"error":{"message":"Unrecognized request argument supplied: reasoning_effort"}}`},
		streamtest.Reply{Body: chatStream})
	p := newChat(t, "groq", s.URL)
	r := streamtest.Prompt(t, p.Wire(), "gpt-oss-120b", "hi")
	r.Effort = "high"
	if _, err := p.Send(t.Context(), r, nil); err != nil {
		t.Fatal(err)
	}
	if n, sent := len(s.Requests()), string(s.Last(t).Body); n != 3 || strings.Contains(sent, "stream_options") || strings.Contains(sent, "reasoning_effort") || !strings.Contains(sent, `"stream":true`) {
		t.Errorf("%d requests, the last %s", n, sent)
	}
}

func TestAnAnswerIsWholeWhereOnlyItsBillWasCut(t *testing.T) {
	a, _, err := chatWith(t, streamtest.Reply{Body: streamtest.Events(chunk(`{"content":"so"}`), choiceEnd("stop")) + `data: {"choi`, Cut: true})
	if err != nil || a.Message.PlainText() != "so" || a.Message.Stop != message.StopEnd {
		t.Errorf("%+v, %v", a.Message, err)
	}
}

// TestTheSignatureOfACallGoesBack, where Gemini speaks this wire (P2).
func TestTheSignatureOfACallGoesBack(t *testing.T) {
	signed := `"extra_content":{"google":{"thought_signature": "c2ln"}}`
	for name, deltas := range map[string][]string{
		"at once": {`{"tool_calls":[{"index":0,"id":"a","type":"function",` + signed + `,"function":{"name":"read","arguments":"{}"}}]}`},
		"later":   {`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"read","arguments":"{"}}]}`, `{"tool_calls":[{"index":0,` + signed + `,"function":{"arguments":"}"}}]}`},
	} {
		var chunks []string
		for _, d := range deltas {
			chunks = append(chunks, chunk(d))
		}
		a, _, err := chatWith(t, streamtest.Reply{Body: streamtest.Events(append(chunks, choiceEnd("tool_calls"))...)})
		if err != nil {
			t.Fatal(err)
		}
		next := streamtest.After(t, newChat(t, "deepseek", "http://x").Wire(), "deepseek-v4-pro", message.Prompt("hi"), a.Message, message.Results(message.ToolResult{CallID: "a"}))
		if want := `"function":{"name":"read","arguments":"{}"},` + signed + `}`; !strings.Contains(string(next.Body.JSON), want) {
			t.Errorf("%s: sent back %s\nwant %s", name, next.Body.JSON, want)
		}
	}
}

// TestWhatCameOverChatIsSentBack: the arguments byte for byte, and the thinking
// where the server wants it (P2).
func TestWhatCameOverChatIsSentBack(t *testing.T) {
	c := newChat(t, "deepseek", streamtest.Serve(t, streamtest.Reply{Body: chatStream}).URL)
	a, err := c.Send(t.Context(), streamtest.Prompt(t, c.Wire(), "deepseek-v4-pro", "hi"), nil)
	if err != nil {
		t.Fatal(err)
	}
	next := streamtest.After(t, c.Wire(), "deepseek-v4-pro", message.Prompt("hi"), a.Message, message.Results(message.ToolResult{CallID: "call_a"}, message.ToolResult{CallID: "call_b"}))
	var answer []byte
	_ = rawjson.Elements(rawjson.Get(next.Body.JSON, "messages"), func(m []byte) error {
		if rawjson.Text(rawjson.Get(m, "role")) == "assistant" {
			answer = m
		}
		return nil
	})
	want := `{"role":"assistant","reasoning_content":"Let me see 世界","content":"Grüße 😀","tool_calls":[` +
		`{"id":"call_a","type":"function","function":{"name":"read","arguments":"{\"path\": \"a\\u002fb\"}"}},{"id":"call_b","type":"function","function":{"name":"read","arguments":"{}"}}]}`
	if string(answer) != want {
		t.Errorf("sent back %s\nwant %s", answer, want)
	}
}

func TestServersAreSortedAndWhole(t *testing.T) {
	var names []string
	for _, s := range Servers() {
		names = append(names, s.Name)
		if s.Dialect.Provider == "" || s.Dialect.IDs.MaxLen == 0 {
			t.Errorf("%s has no dialect", s.Name)
		}
		for _, m := range append(s.Members, s.NoThinking, s.Session, s.ClaudeCache) {
			if m != "" && !rawjson.Valid([]byte("{"+m+"}")) {
				t.Errorf("%s: %s is no member", s.Name, m)
			}
		}
		if _, err := NewChat(s, provider.Settings{}); (err != nil) != (s.BaseURL == "") {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(names)) != len(Servers()) {
		t.Errorf("names %v", names)
	}
}

func FuzzChatStream(f *testing.F) {
	readertest.Fuzz(f, chatStream, func(d *draft.Draft) transport.Reader { return newChatReader(d) })
}
