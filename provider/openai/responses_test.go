package openai

import (
	"errors"
	"reflect"
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

const (
	reasoningItem = `{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Let me"},{"type":"summary_text","text":"see"}],"encrypted_content":"gAAAA="}`
	messageItem   = `{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"Grüße 世界"}]}`
	callItem      = `{"id":"fc_1","type":"function_call","status":"completed","arguments":"{\"path\": \"a\\u002fb\"}","call_id":"call_a","name":"read"}`
	searchItem    = `{"id":"ws_1","type":"web_search_call","status":"completed","action":{"type":"search"}}`
)

// responsesEvents are those of an answer, without its end. (Forms: SDK v3.99.0
// and recorded streams, 2026.)
func responsesEvents() []string {
	return []string{
		`{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","status":"in_progress","output":[]}}`,
		`{"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]}}`,
		`{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}`,
		`{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"Let me"}`,
		`{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":1,"part":{"type":"summary_text","text":""}}`,
		`{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":1,"delta":"see"}`,
		`{"type":"response.output_item.done","output_index":0,"item":` + reasoningItem + `}`,
		`{"type":"response.output_item.added","output_index":1,"item":{"id":"msg_1","type":"message","role":"assistant","content":[]}}`,
		`{"type":"response.content_part.added","output_index":1,"content_index":0,"part":{"type":"output_text","text":""}}`,
		`{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"Grüße "}`,
		`{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"世界"}`,
		`{"type":"response.output_text.done","output_index":1,"content_index":0,"text":"Grüße 世界"}`,
		`{"type":"response.output_item.done","output_index":1,"item":` + messageItem + `}`,
		`{"type":"response.output_item.added","output_index":2,"item":{"id":"ws_1","type":"web_search_call","status":"in_progress"}}`,
		`{"type":"response.output_item.done","output_index":2,"item":` + searchItem + `}`,
		`{"type":"response.output_item.added","output_index":3,"item":{"id":"fc_1","type":"function_call","arguments":"","call_id":"call_a","name":"read"}}`,
		`{"type":"response.function_call_arguments.delta","output_index":3,"delta":"{\"path\": "}`,
		`{"type":"response.function_call_arguments.delta","output_index":3,"delta":"\"a\\u002fb\"}"}`,
		`{"type":"response.output_item.done","output_index":3,"item":` + callItem + `}`,
		`{"type":"response.brand_new","output_index":3}`,
	}
}

const responsesUsageJSON = `"usage":{"input_tokens":1000,"input_tokens_details":{"cached_tokens":800,"cache_write_tokens":100},"output_tokens":50,"output_tokens_details":{"reasoning_tokens":20},"total_tokens":1050}`

func responsesStream() string {
	return streamtest.Events(append(responsesEvents(),
		`{"type":"response.completed","response":{"status":"completed","output":[`+reasoningItem+`,`+messageItem+`,`+searchItem+`,`+callItem+`],`+responsesUsageJSON+`,"input_transformations":[{"id":"rs_0","action":"removed","reason":"prefix_mismatch"}]}}`)...)
}

func responsesParts() []message.Part {
	return []message.Part{
		message.Thinking{Text: "Let me\n\nsee", Signature: "gAAAA=", Raw: []byte(reasoningItem)},
		message.Text{Text: "Grüße 世界"},
		message.Opaque{Format: "openai-responses", Raw: []byte(searchItem)},
		message.ToolCall{ID: "call_a", Name: "read", Arguments: []byte(`{"path": "a\u002fb"}`)},
	}
}

func responsesWith(t *testing.T, reply streamtest.Reply) (a provider.Answer, shown []string, err error) {
	t.Helper()
	p, err := NewResponses(provider.Settings{BaseURL: streamtest.Serve(t, reply).URL})
	if err != nil {
		t.Fatal(err)
	}
	a, err = p.Send(t.Context(), streamtest.Prompt(t, p.Wire(), "gpt-5.5", "hi"), streamtest.Shown(&shown))
	return a, shown, err
}

func TestAResponseIsReadWhole(t *testing.T) {
	streamtest.ReadsWhole(t, streamtest.Reply{Body: responsesStream()}, responsesWith, provider.Answer{
		Message: message.Message{Wire: "openai-responses", Model: "gpt-5.5", Stop: message.StopTools, Parts: responsesParts()},
		Usage:   history.Usage{Input: 100, CacheRead: 800, CacheWrite: 100, Output: 50, Reasoning: 20},
		Dropped: 1,
	}, []string{"0 thinking Let me", "0 thinking \n\n", "0 thinking see", "1 text Grüße ", "1 text 世界",
		"3 call read", `3 arguments {"path": `, `3 arguments "a\u002fb"}`})
}

// TestAServerThatSaysItemsOnlyAtTheEnd, as some compatible ones do.
func TestAServerThatSaysItemsOnlyAtTheEnd(t *testing.T) {
	a, _, err := responsesWith(t, streamtest.Reply{Body: streamtest.Events(
		`{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"Grü"}`,
		`{"type":"response.completed","response":{"output":[`+messageItem+`,`+callItem+`]}}`)})
	want := []message.Part{responsesParts()[1], responsesParts()[3]}
	if err != nil || !reflect.DeepEqual(a.Message.Parts, want) || a.Message.Stop != message.StopTools {
		t.Errorf("%q, %v", a.Message.Parts, err)
	}
}

func TestWhyAResponseEnds(t *testing.T) {
	said := `{"type":"response.output_item.done","output_index":0,"item":` + messageItem + `}`
	for end, want := range map[string]message.Stop{
		`{"type":"response.completed","response":{"status":"completed"}}`:                                                                                message.StopEnd,
		`{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}`:                                                message.StopLength,
		`{"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}}`:                                                   message.StopRefusal,
		`{"type":"response.incomplete","response":{"incomplete_details":{"reason":"steered"}}}`:                                                          "steered",
		`{"type":"response.completed","response":{"output":[null,{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"no"}]}]}}`: message.StopRefusal,
	} {
		a, _, err := responsesWith(t, streamtest.Reply{Body: streamtest.Events(said, end)})
		if err != nil || a.Message.Stop != want {
			t.Errorf("%s: %q, %v", end, a.Message.Stop, err)
		}
	}
}

func TestErrorsInsideAResponse(t *testing.T) {
	begun := responsesEvents()[:17] // in the middle of the call
	for name, c := range map[string]struct {
		reply streamtest.Reply
		kind  provider.Kind
	}{
		"failed":      {streamtest.Reply{Body: streamtest.Events(append(begun, `{"type":"response.failed","response":{"status":"failed","error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model. Please adjust your input and try again."}}}`)...)}, provider.Overflow},
		"an error":    {streamtest.Reply{Body: streamtest.Events(append(begun, `{"type":"error","code":"server_error","message":"sorry","param":null}`)...)}, provider.Overloaded},
		"cut":         {streamtest.Reply{Body: streamtest.Events(begun...), Cut: true}, provider.Network},
		"early ended": {streamtest.Reply{Body: streamtest.Events(begun...)}, provider.Network},
	} {
		a, _, err := responsesWith(t, c.reply)
		var e *provider.Error
		if !errors.As(err, &e) || e.Kind != c.kind || !e.Shown || a.Message.Stop != message.StopError {
			t.Errorf("%s: %+v", name, err)
			continue
		}
		want := append(responsesParts()[:3:3], message.ToolCall{ID: "call_a", Name: "read", Arguments: []byte(`{"path": `)})
		if !reflect.DeepEqual(a.Message.Parts, want) {
			t.Errorf("%s: kept %q", name, a.Message.Parts)
		}
	}
}

func TestAResponsesRequestHasWhatTheAPIWants(t *testing.T) {
	for _, c := range []struct {
		model, effort string
		off           bool
		want          string
	}{
		{"gpt-5.5", "", false, `,"stream":true,"reasoning":{"summary":"auto"}}`},
		{"gpt-5.5", "high", false, `,"stream":true,"reasoning":{"effort":"high","summary":"auto"}}`},
		{"gpt-5.5", "", true, `,"stream":true,"reasoning":{"effort":"none"}}`},
		{"gpt-4.1", "", false, `,"stream":true}`},
		{"gpt-4.1", "", true, `,"stream":true}`},
	} {
		s := streamtest.Serve(t, streamtest.Reply{Body: responsesStream()})
		p, err := NewResponses(provider.Settings{BaseURL: s.URL + "/v1"})
		if err != nil {
			t.Fatal(err)
		}
		r := streamtest.Prompt(t, p.Wire(), c.model, "hi")
		r.Effort, r.ThinkingOff = c.effort, c.off
		if _, err := p.Send(t.Context(), r, nil); err != nil {
			t.Fatal(err)
		}
		sent := s.Last(t)
		if tail := sent.Behind(t, r.Body); tail != c.want || sent.URL != "/v1/responses" {
			t.Errorf("%s: sent behind the body %s to %s", c.model, tail, sent.URL)
		}
		if store := rawjson.Get(sent.Body, "store"); string(store) != "false" {
			t.Errorf("store is %s", store)
		}
		sent.Accepted(t, p.Wire(), true)
	}
}

// TestAnOrganisationThatIsNotVerifiedGetsNoSummary but keeps its effort.
func TestAnOrganisationThatIsNotVerifiedGetsNoSummary(t *testing.T) {
	s := streamtest.Serve(t,
		streamtest.Reply{Status: 400, Body: `{"error":{"message":"Your organization must be verified to generate reasoning summaries.","type":"invalid_request_error","param":"reasoning.summary","code":"unsupported_value"}}`},
		streamtest.Reply{Body: responsesStream()})
	p, err := NewResponses(provider.Settings{BaseURL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	r := streamtest.Prompt(t, p.Wire(), "gpt-5.5", "hi")
	r.Effort = "high"
	if _, err := p.Send(t.Context(), r, nil); err != nil {
		t.Fatal(err)
	}
	if sent := string(s.Last(t).Body); !strings.HasSuffix(sent, `,"stream":true,"reasoning":{"effort":"high"}}`) {
		t.Errorf("sent %s", sent)
	}
}

// TestReasoningIsSentBackByteForByte (P2).
func TestReasoningIsSentBackByteForByte(t *testing.T) {
	a, _, err := responsesWith(t, streamtest.Reply{Body: responsesStream()})
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewResponses(provider.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	next := streamtest.After(t, p.Wire(), "gpt-5.5", message.Prompt("hi"), a.Message, message.Results(message.ToolResult{CallID: "call_a"}))
	for _, want := range []string{reasoningItem, searchItem, `"arguments":"{\"path\": \"a\\u002fb\"}"`, `"text":"Grüße 世界"`} {
		if !strings.Contains(string(next.Body.JSON), want) {
			t.Errorf("%s is not in %s", want, next.Body.JSON)
		}
	}
}

func FuzzResponsesStream(f *testing.F) {
	readertest.Fuzz(f, responsesStream(), func(d *draft.Draft) transport.Reader { return &responsesReader{Draft: d} })
}
