package anthropic

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
	"github.com/stemma-history/stemma/wire"
	wireanthropic "github.com/stemma-history/stemma/wire/anthropic"
)

// stream is an answer as the API sends it: what it thought, said, called, and
// two blocks that are unknown here. (Forms: SDK v2.15.0 and recorded streams,
// 2026.)
var stream = "event: message_start\n" + streamtest.Events(
	`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5-5-20260901","content":[],"stop_reason":null,"usage":{"input_tokens":12,"cache_creation_input_tokens":300,"cache_read_input_tokens":4000,"output_tokens":1},"input_transformations":[{"type":"thinking_dropped","path":"messages.1.content.0","reason":"prefix_binding_mismatch"},{"type":"other"}]}}`,
	`{"type":"ping"}`,
	`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Let me "}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"see \u00e9 <&>"}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQB+/="}}`,
	`{"type":"content_block_stop","index":0}`,
	`{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"ErkB"}}`,
	`{"type":"content_block_stop","index":1}`,
	`{"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}`,
	`{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"Grüße, 世界 "}}`,
	`{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"\ud83d\ude00\n"}}`,
	`{"type":"content_block_stop","index":2}`,
	`{"type":"new_kind_of_event","index":7}`,
	`{"type":"content_block_start","index":3,"content_block":{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{},"caller":{"type":"direct"}}}`,
	`{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"query\": "}}`,
	`{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"\"stemma\"}"}}`,
	`{"type":"content_block_stop","index":3}`,
	`{"type":"content_block_start","index":4,"content_block":{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"https://example.org","encrypted_content":"Eo8="}]}}`,
	`{"type":"content_block_stop","index":4}`,
	`{"type":"content_block_start","index":5,"content_block":{"citations":[],"type":"text","text":""}}`,
	`{"type":"content_block_delta","index":5,"delta":{"type":"text_delta","text":"a tree"}}`,
	`{"type":"content_block_delta","index":5,"delta":{"type":"citations_delta","citation":{"type":"web_search_result_location","url":"https://example.org"}}}`,
	`{"type":"content_block_delta","index":5,"delta":{"type":"citations_delta","citation":{"type":"b"}}}`,
	`{"type":"content_block_stop","index":5}`,
	`{"type":"content_block_start","index":6,"content_block":{"type":"tool_use","id":"toolu_1","name":"read","input":{}}}`,
	`{"type":"content_block_delta","index":6,"delta":{"type":"input_json_delta","partial_json":""}}`,
	`{"type":"content_block_delta","index":6,"delta":{"type":"input_json_delta","partial_json":"{\"path\": \"a"}}`,
	`{"type":"content_block_delta","index":6,"delta":{"type":"input_json_delta","partial_json":"\\u002fb\", \"n\":1.0}"}}`,
	`{"type":"content_block_stop","index":6}`,
	`{"type":"content_block_start","index":7,"content_block":{"type":"tool_use","id":"toolu_2","name":"read","input":{}}}`,
	`{"type":"content_block_stop","index":7}`,
	`{"type":"content_block_start","index":8,"content_block":{"type":"server_tool_use","id":"srvtoolu_2","name":"list","input":{}}}`,
	`{"type":"content_block_delta","index":8,"delta":{"type":"input_json_delta","partial_json":""}}`,
	`{"type":"content_block_stop","index":8}`,
	`{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"input_tokens":12,"cache_creation_input_tokens":300,"cache_read_input_tokens":4000,"output_tokens":99,"output_tokens_details":{"thinking_tokens":40}}}`,
	`{"type":"message_stop"}`,
)

const model = "claude-opus-5-5"

func newProvider(t testing.TB, s *streamtest.Server) *Provider {
	t.Helper()
	p, err := New(provider.Settings{BaseURL: s.URL, Key: func(context.Context) (string, error) { return "sk-ant-secret", nil }})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func wantParts() []message.Part {
	return []message.Part{
		message.Thinking{Text: "Let me see é <&>", Signature: "EqQB+/="},
		message.RedactedThinking{Data: "ErkB"},
		message.Text{Text: "Grüße, 世界 😀\n"},
		message.Opaque{Format: "anthropic", Raw: []byte(`{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query": "stemma"},"caller":{"type":"direct"}}`)},
		message.Opaque{Format: "anthropic", Raw: []byte(`{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"https://example.org","encrypted_content":"Eo8="}]}`)},
		message.Opaque{Format: "anthropic", Raw: []byte(`{"citations":[{"type":"web_search_result_location","url":"https://example.org"},{"type":"b"}],"type":"text","text":"a tree"}`)},
		message.ToolCall{ID: "toolu_1", Name: "read", Arguments: []byte(`{"path": "a\u002fb", "n":1.0}`)},
		message.ToolCall{ID: "toolu_2", Name: "read", Arguments: []byte(`{}`)},
		message.Opaque{Format: "anthropic", Raw: []byte(`{"type":"server_tool_use","id":"srvtoolu_2","name":"list","input":{}}`)},
	}
}

func TestAnAnswerIsReadWhole(t *testing.T) {
	streamtest.ReadsWhole(t, streamtest.Reply{Body: stream}, send, provider.Answer{
		Message: message.Message{Wire: "anthropic", Model: model, Stop: message.StopTools, Parts: wantParts()},
		Usage:   history.Usage{Input: 12, CacheRead: 4000, CacheWrite: 300, Output: 99, Reasoning: 40},
		Dropped: 1,
	}, []string{"0 thinking Let me ", "0 thinking see é <&>", "2 text Grüße, 世界 ", "2 text 😀\n", "5 text a tree",
		"6 call read", `6 arguments {"path": "a`, `6 arguments \u002fb", "n":1.0}`, "7 call read"})
}

func TestARequestHasWhatTheAPIWants(t *testing.T) {
	for _, c := range []struct {
		model, effort string
		off           bool
		max           int
		want, beta    string
	}{
		{"claude-opus-5-5", "", false, 9000, `,"stream":true,"thinking":{"type":"adaptive","display":"summarized"` + binding + `}}`, betaBinding},
		{"claude-opus-5", "high", false, 9000, `,"stream":true,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high"}}`, ""},
		{"claude-opus-5", "low", true, 9000, `,"stream":true,"output_config":{"effort":"low"}}`, ""},
		{"claude-opus-4-5", "high", false, 64_000, `,"stream":true,"thinking":{"type":"enabled","budget_tokens":32768}}`, betaInterleaved},
		{"claude-opus-4-5", "high", false, 9000, `,"stream":true,"thinking":{"type":"enabled","budget_tokens":7976}}`, betaInterleaved},
		{"claude-opus-4-5", "high", false, 2000, `,"stream":true}`, ""},
		{"claude-opus-4-5", "high", true, 9000, `,"stream":true}`, ""},
		{"claude-opus-4-5", "", false, 9000, `,"stream":true}`, ""},
		{"acme", "", false, 9000, `,"stream":true}`, ""},
	} {
		s := streamtest.Serve(t, streamtest.Reply{Body: stream})
		p := newProvider(t, s)
		frame := streamtest.Frame(p.Wire(), c.model, message.Prompt("hi"))
		frame.MaxOutput = c.max
		body, err := p.Wire().Encode(frame)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Send(t.Context(), provider.Request{Model: c.model, Body: body, Effort: c.effort, ThinkingOff: c.off}, nil); err != nil {
			t.Fatal(err)
		}
		sent := s.Last(t)
		if tail := sent.Behind(t, body); tail != c.want {
			t.Errorf("%s, effort %q: sent behind the body %s\nwant %s", c.model, c.effort, tail, c.want)
		}
		if sent.Length != int64(len(sent.Body)) || sent.URL != "/v1/messages" {
			t.Errorf("length %d of %d, to %s", sent.Length, len(sent.Body), sent.URL)
		}
		h := sent.Header
		if h.Get("X-Api-Key") != "sk-ant-secret" || h.Get("Anthropic-Version") != "2023-06-01" || h.Get("Anthropic-Beta") != c.beta || h.Get("Content-Type") != "application/json" {
			t.Errorf("headers %v", h)
		}
		sent.Accepted(t, p.Wire(), true)
	}
}

// TestNoBudgetWhereTheThinkingIsGone: an older model refuses to think on in the
// middle of a turn whose thinking a view has left out.
func TestNoBudgetWhereTheThinkingIsGone(t *testing.T) {
	s := streamtest.Serve(t, streamtest.Reply{Body: stream})
	p := newProvider(t, s)
	call := message.Message{Role: message.Assistant, Author: message.ByModel, Wire: "anthropic", Model: "claude-opus-4-5",
		Parts: []message.Part{message.ToolCall{ID: "toolu_1", Name: "read", Arguments: []byte(`{}`)}}}
	r := streamtest.After(t, p.Wire(), "claude-opus-4-5", message.Prompt("hi"), call, message.Results(message.ToolResult{CallID: "toolu_1", Content: []message.Content{message.Text{Text: "x"}}}))
	r.Effort = "low"
	if _, err := p.Send(t.Context(), r, nil); err != nil {
		t.Fatal(err)
	}
	if sent := s.Last(t).Body; strings.Contains(string(sent), `"thinking":{`) {
		t.Errorf("asked for thinking: %s", sent)
	}
}

// TestWhatTheServerDoesNotKnowIsLeftOut step by step, and from then on where that
// has helped.
func TestWhatTheServerDoesNotKnowIsLeftOut(t *testing.T) {
	refuse := func(message string) streamtest.Reply {
		return streamtest.Reply{Status: 400, Body: `{"type":"error","error":{"type":"invalid_request_error","message":"` + message + `"}}`}
	}
	s := streamtest.Serve(t, refuse("thinking.display: Extra inputs are not permitted"), refuse("adaptive thinking is not supported on this model"), streamtest.Reply{Body: stream})
	p := newProvider(t, s)
	r := streamtest.Prompt(t, p.Wire(), "claude-opus-5", "hi")
	r.Effort = "high"
	for range 2 {
		if _, err := p.Send(t.Context(), r, nil); err != nil {
			t.Fatal(err)
		}
	}
	var tails []string
	for _, sent := range s.Requests() {
		tails = append(tails, sent.Behind(t, r.Body))
	}
	effort := `"output_config":{"effort":"high"}}`
	if want := []string{
		`,"stream":true,"thinking":{"type":"adaptive","display":"summarized"},` + effort,
		`,"stream":true,"thinking":{"type":"adaptive"},` + effort,
		`,"stream":true,` + effort,
		`,"stream":true,` + effort,
	}; !slices.Equal(tails, want) {
		t.Errorf("sent %q", tails)
	}

	s = streamtest.Serve(t, refuse("effort: not today")) // and it never helps
	p = newProvider(t, s)
	for range 2 {
		_, err := p.Send(t.Context(), r, nil)
		var e *provider.Error
		if !errors.As(err, &e) || e.Kind != provider.Invalid {
			t.Fatal(err)
		}
	}
	if n := len(s.Requests()); n != 4 {
		t.Errorf("%d requests", n)
	}
}

func TestWhyAnAnswerEnds(t *testing.T) {
	for reason, want := range map[string]message.Stop{
		"end_turn": message.StopEnd, "stop_sequence": message.StopEnd, "max_tokens": message.StopLength, "tool_use": message.StopTools,
		"refusal": message.StopRefusal, "pause_turn": "pause_turn", "something_new": "something_new",
	} {
		a, _, err := send(t, streamtest.Reply{Body: text("so", reason)})
		if err != nil || a.Message.Stop != want {
			t.Errorf("%s: stop %q, error %v", reason, a.Message.Stop, err)
		}
	}
	a, _, err := sendWith(t, streamtest.Reply{Body: text("so", "model_context_window_exceeded")}, provider.Request{Window: 1000})
	var e *provider.Error
	if !errors.As(err, &e) || e.Kind != provider.Overflow || e.Overflow != (provider.Excess{Of: provider.OfTokens, Used: 15, Limit: 1000}) || !e.Shown {
		t.Errorf("a full window: %+v", err)
	}
	if a.Message.Stop != message.StopLength || a.Message.PlainText() != "so" {
		t.Errorf("a full window: %+v", a.Message)
	}
}

func text(said, reason string) string {
	return streamtest.Events(
		`{"type":"message_start","message":{"usage":{"input_tokens":10,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"`+said+`"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"`+reason+`"},"usage":{"output_tokens":5}}`,
		`{"type":"message_stop"}`,
	)
}

// send sends a prompt to a server that gives one reply.
func send(t *testing.T, reply streamtest.Reply) (a provider.Answer, shown []string, err error) {
	t.Helper()
	return sendWith(t, reply, provider.Request{})
}

// sendWith is send with the numbers of a request.
func sendWith(t *testing.T, reply streamtest.Reply, r provider.Request) (a provider.Answer, shown []string, err error) {
	t.Helper()
	p := newProvider(t, streamtest.Serve(t, reply))
	asked := streamtest.Prompt(t, p.Wire(), model, "hi")
	asked.Window, asked.Estimate = r.Window, r.Estimate
	a, err = p.Send(t.Context(), asked, streamtest.Shown(&shown))
	return a, shown, err
}

func TestWhatCameBeforeAnErrorIsKept(t *testing.T) {
	started := stream[:strings.Index(stream, `data: {"type":"content_block_stop","index":6}`)]
	for name, c := range map[string]struct {
		reply  streamtest.Reply
		kind   provider.Kind
		status int
	}{
		"a cut connection":     {streamtest.Reply{Body: started, Cut: true}, provider.Network, 0},
		"an end in the middle": {streamtest.Reply{Body: started}, provider.Network, 0},
		"an error inside": {streamtest.Reply{Body: started + "event: error\n" + streamtest.Events(
			`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)}, provider.Overloaded, 200},
		"no JSON": {streamtest.Reply{Body: started + "data: {\"type\":\n\n"}, provider.Network, 0},
	} {
		a, _, err := send(t, c.reply)
		var e *provider.Error
		if !errors.As(err, &e) || e.Kind != c.kind || e.Status != c.status || !e.Shown || e.Provider != "anthropic" {
			t.Errorf("%s: %+v", name, err)
			continue
		}
		want := wantParts()[:7]
		if a.Message.Stop != message.StopError || !reflect.DeepEqual(a.Message.Parts, want) {
			t.Errorf("%s: stop %q, %q", name, a.Message.Stop, a.Message.Parts)
		}
	}
	half := stream[:strings.Index(stream, `data: {"type":"content_block_delta","index":3`)]
	a, _, _ := send(t, streamtest.Reply{Body: half})
	if !reflect.DeepEqual(a.Message.Parts, wantParts()[:3]) {
		t.Errorf("half an unknown block is kept: %q", a.Message.Parts)
	}
}

func TestASilentCutIsAnErrorBesideTheAnswer(t *testing.T) {
	a, _, err := sendWith(t, streamtest.Reply{Body: text("so", "end_turn")}, provider.Request{Estimate: 5000, Window: 8000})
	var e *provider.Error
	if !errors.As(err, &e) || !e.Overflow.Silent || !e.Shown || a.Message.PlainText() != "so" {
		t.Errorf("%+v %+v", a, err)
	}
}

// TestBrokenArgumentsAreKept: what the model wrote is stored, JSON or not.
func TestBrokenArgumentsAreKept(t *testing.T) {
	body := streamtest.Events(
		`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"read","input":{}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}`,
		`{"type":"message_stop"}`,
	)
	a, _, err := send(t, streamtest.Reply{Body: body})
	if err != nil || string(a.Message.Parts[0].(message.ToolCall).Arguments) != `{"a":` {
		t.Errorf("%q, %v", a.Message.Parts, err)
	}
}

// TestWhatCameIsSentBackByteForByte holds the way from a stream to the next
// request (P2).
func TestWhatCameIsSentBackByteForByte(t *testing.T) {
	p := newProvider(t, streamtest.Serve(t, streamtest.Reply{Body: stream}))
	first := streamtest.Frame(p.Wire(), model, message.Prompt("hi"))
	first.ChecksThinking = true
	body, err := p.Wire().Encode(first)
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Send(t.Context(), provider.Request{Model: model, Body: body}, nil)
	if err != nil {
		t.Fatal(err)
	}
	seals, err := p.Wire().Seals(first, a.Message)
	if err != nil {
		t.Fatal(err)
	}
	next := streamtest.Frame(p.Wire(), model, message.Prompt("hi"), a.Message, message.Results(
		message.ToolResult{CallID: "toolu_1", Content: []message.Content{message.Text{Text: "1"}}},
		message.ToolResult{CallID: "toolu_2", Content: []message.Content{message.Text{Text: "2"}}}))
	next.ChecksThinking = true
	next.View.Messages[1].Seals = seals
	again, err := p.Wire().Encode(next)
	if err != nil {
		t.Fatal(err)
	}
	content := rawjson.Get(nth(t, rawjson.Get(again.JSON, "messages"), 1), "content")
	want := `[{"type":"thinking","thinking":"Let me see é <&>","signature":"EqQB+/="},{"type":"redacted_thinking","data":"ErkB"},{"type":"text","text":"Grüße, 世界 😀\n"},` +
		string(wantParts()[3].(message.Opaque).Raw) + `,` + string(wantParts()[4].(message.Opaque).Raw) + `,` + string(wantParts()[5].(message.Opaque).Raw) +
		`,{"type":"tool_use","id":"toolu_1","name":"read","input":{"path": "a\u002fb", "n":1.0}},{"type":"tool_use","id":"toolu_2","name":"read","input":{}},` + string(wantParts()[8].(message.Opaque).Raw) + `]`
	if string(content) != want {
		t.Errorf("sent back\n%s\nwant\n%s", content, want)
	}
	if refusal := wireanthropic.Check(again.JSON, wire.Limits{}); refusal != nil {
		t.Error(refusal)
	}
}

func nth(t *testing.T, array []byte, n int) []byte {
	t.Helper()
	var all [][]byte
	if err := rawjson.Elements(array, func(v []byte) error { all = append(all, v); return nil }); err != nil || n >= len(all) {
		t.Fatalf("element %d of %s: %v", n, array, err)
	}
	return all[n]
}

func FuzzStream(f *testing.F) {
	readertest.Fuzz(f, stream, func(d *draft.Draft) transport.Reader { return &reader{Draft: d} })
}

// BenchmarkAnswer reads a long answer, delta by delta.
func BenchmarkAnswer(b *testing.B) {
	const deltas = 10_000
	begin, rest, _ := strings.Cut(text("so", "end_turn"), `data: {"type":"content_block_delta"`)
	_, end, _ := strings.Cut(rest, "\n\n")
	stream := begin + strings.Repeat("event: content_block_delta\ndata: "+`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" and more words"}}`+"\n\n", deltas) + end
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		shown := 0
		d := draft.New(func(provider.Delta) { shown++ })
		r := &reader{Draft: d}
		for e := range transport.Events(strings.NewReader(stream)) {
			_ = r.Event(e.Data)
		}
		if !r.Complete() || shown != deltas {
			b.Fatal(shown)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/deltas, "ns/delta")
}
