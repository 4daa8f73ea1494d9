package openai_test

import (
	"encoding/base64"
	"reflect"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/openai"
	"github.com/stemma-history/stemma/wire/wiretest"
)

const model = "gpt-5.6-sol"

// answerOver is an answer of the model over a wire.
func answerOver(wireName string, parts ...message.Part) message.Message {
	return message.Message{Role: message.Assistant, Author: message.ByModel, Wire: wireName, Model: model, Parts: parts}
}

func chatAnswer(parts ...message.Part) message.Message {
	return answerOver(openai.WireChat, parts...)
}

func request(messages ...message.Message) wire.Request {
	r := wire.Request{
		Frame:     wire.Frame{Model: model, System: []string{"be brief"}, Tools: []wire.Tool{{Name: "bash", Description: "runs", Schema: []byte(`{"type":"object"}`)}}},
		MaxOutput: 1000,
		CacheKey:  "conv",
	}
	for i, m := range messages {
		r.View.Messages = append(r.View.Messages, wire.Message{Message: m, At: history.Handle{Depth: i + 1}})
	}
	return r
}

func toolCall(id string) message.ToolCall {
	return message.ToolCall{ID: id, Name: "bash", Arguments: []byte(`{"z":1, "cmd":"ls \u00e9"}`)}
}

func shows(id string, content ...message.Content) message.ToolResult {
	return message.ToolResult{CallID: id, Content: content}
}

func text(s string) message.Text { return message.Text{Text: s} }

var (
	pixel    = wiretest.PNG(1, 1)
	pixelURL = "data:image/png;base64," + base64.StdEncoding.EncodeToString(pixel)
	picture  = message.NewImage("image/png", pixel)
)

func TestTheWholeChatBody(t *testing.T) {
	r := request(
		message.Prompt("list"),
		chatAnswer(message.Thinking{Text: "hm"}, text("Looking."), toolCall("call_1"), toolCall("call_2")),
		message.Results(shows("call_2", picture, text("a picture")), shows("call_1", text("no <such> dir"), text("again"))),
		message.Prompt("and now?"),
	)
	r.View.Head = 1
	b, err := openai.EncodeChat(r)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"model":"gpt-5.6-sol","prompt_cache_key":"conv",` +
		`"tools":[{"type":"function","function":{"name":"bash","description":"runs","parameters":{"type":"object"}}}],` +
		`"messages":[{"role":"developer","content":[{"type":"text","text":"be brief","prompt_cache_breakpoint":{"mode":"explicit"}}]},` +
		`{"role":"user","content":[{"type":"text","text":"list","prompt_cache_breakpoint":{"mode":"explicit"}}]},` +
		`{"role":"assistant","content":"Looking.","tool_calls":[` +
		`{"id":"call_1","type":"function","function":{"name":"bash","arguments":"{\"z\":1, \"cmd\":\"ls \\u00e9\"}"}},` +
		`{"id":"call_2","type":"function","function":{"name":"bash","arguments":"{\"z\":1, \"cmd\":\"ls \\u00e9\"}"}}]},` +
		`{"role":"tool","tool_call_id":"call_1","content":"no <such> dir\nagain"},` +
		`{"role":"tool","tool_call_id":"call_2","content":"[3.1: image/png, shown in the message after the results]\na picture"},` +
		`{"role":"user","content":[{"type":"text","text":"[From the result 3.1:]"},{"type":"image_url","image_url":{"url":"` + pixelURL + `"}}]},` +
		`{"role":"user","content":"and now?"}],"max_completion_tokens":1000}`
	if string(b.JSON) != want {
		t.Errorf("got  %s\nwant %s", b.JSON, want)
	}
}

func TestWhatChatWouldRefuseIsRepaired(t *testing.T) {
	pdf := message.Document{Media: message.Media{Type: "application/pdf", Data: []byte("%PDF"), Name: "a.pdf"}}
	user := func(parts ...message.Part) message.Message {
		return message.Message{Role: message.User, Author: message.ByPerson, Parts: parts}
	}
	for _, c := range []struct {
		name string
		path []message.Message
		want string // in the body
	}{
		{"a call without a result", []message.Message{message.Prompt("x"), chatAnswer(toolCall("a")), message.Prompt("y")}, `{"role":"tool","tool_call_id":"a","content":"Interrupted: the outcome`},
		{"a result that says nothing", []message.Message{message.Prompt("x"), chatAnswer(toolCall("a")), message.Results(shows("a"))}, `"content":"(no output)"`},
		{"only calls", []message.Message{message.Prompt("x"), chatAnswer(toolCall("a"))}, `{"role":"assistant","content":null,"tool_calls":`},
		{"a long id", []message.Message{message.Prompt("x"), chatAnswer(toolCall(strings.Repeat("a", 41)))}, `"id":"call_2_1"`},
		{"an id that another server gave", []message.Message{message.Prompt("x"), chatAnswer(toolCall("functions.bash:0"))}, `"id":"functions.bash:0"`},
		{"a name with a dot", []message.Message{message.Prompt("x"), chatAnswer(message.ToolCall{ID: "a", Name: "fs.read"})}, `"function":{"name":"fs_read","arguments":"{}"}`},
		{"broken arguments", []message.Message{message.Prompt("x"), chatAnswer(message.ToolCall{ID: "a", Name: "bash", Arguments: []byte(`{"cmd":`)})}, `"arguments":"{\"malformed_arguments\":\"{\\\"cmd\\\":\"}"`},
		{"a refusal", []message.Message{message.Prompt("x"), chatAnswer(message.Opaque{Format: openai.WireChat, Raw: []byte(`{"type":"refusal","refusal":"No."}`)}), message.Prompt("y")}, `{"role":"assistant","content":null,"refusal":"No."}`},
		{"ends with an answer", []message.Message{message.Prompt("x"), chatAnswer(text("done"))}, `{"role":"user","content":"Continue."}`},
		{"a PDF", []message.Message{user(text("read"), pdf)}, `{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,JVBERg=="}}`},
		{"a PDF in a result", []message.Message{message.Prompt("x"), chatAnswer(toolCall("a")), message.Results(shows("a", pdf))}, `"content":"[3.1: application/pdf, shown in the message after the results]"},{"role":"user","content":[{"type":"text","text":"[From the result 3.1:]"},{"type":"file",`},
		{"a document of text", []message.Message{user(message.Document{Media: message.Media{Type: "text/plain", Data: []byte("words"), Name: "a.txt"}})}, `[{"type":"text","text":"[1.1: document a.txt]\nwords"}]`},
		{"a document elsewhere", []message.Message{user(message.Document{Media: message.Media{URL: "https://example.org/a.pdf"}})}, `[1.1: document at https://example.org/a.pdf, which this provider does not fetch]`},
		{"an image elsewhere", []message.Message{user(message.Image{Media: message.Media{URL: "https://example.org/a.png"}})}, `{"type":"image_url","image_url":{"url":"https://example.org/a.png"}}`},
		{"an image that is none", []message.Message{message.Prompt("x"), chatAnswer(toolCall("a")), message.Results(shows("a", message.Image{Media: message.Media{Type: "image/png", Data: []byte("x")}}))}, `"content":"[3.1: image/png that cannot be read]"}]`},
		{"sound", []message.Message{user(message.Opaque{Format: openai.WireChat, Raw: []byte(`{"type":"input_audio","input_audio":{"data":"AA==","format":"wav"}}`)})}, `"content":[{"type":"input_audio","input_audio":{"data":"AA==","format":"wav"}}]`},
		{"blocks of another wire", []message.Message{message.Prompt("x"), user(message.Opaque{Format: "gemini", Raw: []byte(`{"a":1}`)})}, `{"role":"user","content":"x"}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := request(c.path...)
			r.Frame.Model = "gpt-5.5" // which takes no cache marks
			b, err := openai.EncodeChat(r)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(b.JSON), c.want) {
				t.Errorf("%s\nis not in %s", c.want, b.JSON)
			}
		})
	}
}

// TestDialects: servers that speak the wire in their own way.
func TestDialects(t *testing.T) {
	mistral := openai.Dialect{Provider: "mistral", IDs: wire.IDRule{MinLen: 9, MaxLen: 9}, AnswerAfterResults: true}
	deepseek := openai.Dialect{Provider: "deepseek", IDs: openai.OpenAI().IDs, Reasoning: "reasoning_content"}
	path := []message.Message{
		message.Prompt("x"),
		chatAnswer(message.Thinking{Text: "why"}, text("Looking."), toolCall("call_1")),
		message.Results(shows("call_1", picture)),
		chatAnswer(message.Thinking{Text: "so"}, text("Done.")),
		message.Prompt("y"),
	}
	encode := func(d openai.Dialect, path ...message.Message) string {
		r := request(path...)
		r.Frame.System, r.Frame.Tools = []string{"s"}, nil
		b, err := d.Encode(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(b.JSON)
	}
	want := `{"model":"gpt-5.6-sol","messages":[{"role":"system","content":"s"},{"role":"user","content":"x"},` +
		`{"role":"assistant","content":"Looking.","tool_calls":[{"id":"000002003","type":"function","function":{"name":"bash","arguments":"{\"z\":1, \"cmd\":\"ls \\u00e9\"}"}}]},` +
		`{"role":"tool","tool_call_id":"000002003","content":"[3.1: image/png, shown in the message after the results]"},` +
		`{"role":"assistant","content":"I have read the results."},` +
		`{"role":"user","content":[{"type":"text","text":"[From the result 3.1:]"},{"type":"image_url","image_url":{"url":"` + pixelURL + `"}}]},` +
		`{"role":"assistant","content":"Done."},{"role":"user","content":"y"}],"max_tokens":1000}`
	if got := encode(mistral, path...); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	got := encode(deepseek, path...)
	if !strings.Contains(got, `{"role":"assistant","reasoning_content":"why","content":"Looking."`) {
		t.Errorf("thinking of an answer that called tools is left out: %s", got)
	}
	if strings.Contains(got, `"so"`) {
		t.Errorf("thinking of an answer without calls is sent: %s", got)
	}
	other := path[1]
	other.Model = "another"
	if got := encode(deepseek, path[0], other); strings.Contains(got, "why") {
		t.Errorf("another model's thinking is sent: %s", got)
	}
	if got := encode(mistral, path[0], chatAnswer(toolCall("abcDEF123")), message.Prompt("z")); !strings.Contains(got, `"tool_call_id":"abcDEF123"`) ||
		!strings.Contains(got, `"content":"I have read the results."},{"role":"user","content":"z"}`) {
		t.Errorf("its own id, or the answer before a prompt, is missing: %s", got)
	}
}

// TestThinkingThatCameInDetailsGoesBackAsItWas to who gave it, with every answer
// (P2); others get its text.
func TestThinkingThatCameInDetailsGoesBackAsItWas(t *testing.T) {
	const details = `[{"type":"reasoning.summary","summary": "why","index":0},{"type":"reasoning.encrypted","data":"Z0FB"}]`
	openrouter := openai.Dialect{Provider: "openrouter", IDs: openai.OpenAI().IDs, Reasoning: "reasoning", Details: true}
	deepseek := openai.Dialect{Provider: "deepseek", IDs: openai.OpenAI().IDs, Reasoning: "reasoning_content"}
	thought := message.Thinking{Text: "why", Raw: []byte(details)}
	for _, c := range []struct {
		name    string
		dialect openai.Dialect
		answer  message.Message
		want    string
	}{
		{"an answer with calls", openrouter, chatAnswer(thought, toolCall("call_1")), `{"role":"assistant","reasoning_details":` + details + `,"content":null,"tool_calls":[`},
		{"without", openrouter, chatAnswer(thought, text("Done.")), `{"role":"assistant","reasoning_details":` + details + `,"content":"Done."}`},
		{"two lists and a text", openrouter, chatAnswer(thought, message.Thinking{Raw: []byte("[ ] ")}, message.Thinking{Raw: []byte(`[{"a":1}]`)}, message.Thinking{Text: "plain"}, toolCall("call_1")),
			`{"role":"assistant","reasoning_details":` + details[:len(details)-1] + `,{"a":1}],"reasoning":"plain","content":null,"tool_calls":[`},
		{"a server that wants the text", deepseek, chatAnswer(thought, toolCall("call_1")), `{"role":"assistant","reasoning_content":"why","content":null,"tool_calls":[`},
		{"a server that wants none", openai.OpenAI(), chatAnswer(thought, text("Done.")), `{"role":"assistant","content":"Done."}`},
	} {
		b, err := c.dialect.Encode(request(message.Prompt("x"), c.answer))
		if err != nil || !strings.Contains(string(b.JSON), c.want) {
			t.Errorf("%s: %s (%v)\nwant %s", c.name, b.JSON, err, c.want)
		}
	}
	again, err := openai.DecodeChat([]byte(`{"role":"assistant","reasoning":"why","content":"Done.","reasoning_details":` + details + `}`))
	if err != nil || !reflect.DeepEqual(again.Parts, []message.Part{thought, text("Done.")}) {
		t.Errorf("read again: %q, %v", again.Parts, err)
	}
}
