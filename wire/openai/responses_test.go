package openai_test

import (
	"strings"
	"testing"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire/openai"
)

func ownAnswer(parts ...message.Part) message.Message {
	return answerOver(openai.WireResponses, parts...)
}

const reasoningItem = `{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"gAAA"}`

func TestTheWholeResponsesBody(t *testing.T) {
	r := request(
		message.Prompt("list"),
		ownAnswer(message.Thinking{Raw: []byte(reasoningItem)}, text("Looking."), toolCall("call_1"), toolCall("call_2")),
		message.Results(shows("call_2", picture, text("a picture")), shows("call_1", text("no <such> dir"))),
		ownAnswer(text("Done."), message.Opaque{Format: openai.WireResponses, Raw: []byte(`{"type":"web_search_call","id":"ws_1"}`)}),
		message.Prompt("and now?"),
	)
	r.View.Head = 1
	b, err := openai.EncodeResponses(r)
	if err != nil {
		t.Fatal(err)
	}
	const arguments = `"{\"z\":1, \"cmd\":\"ls \\u00e9\"}"`
	want := `{"model":"gpt-5.6-sol","prompt_cache_key":"conv","store":false,"include":["reasoning.encrypted_content"],` +
		`"tools":[{"type":"function","name":"bash","description":"runs","parameters":{"type":"object"},"strict":false}],` +
		`"input":[{"type":"message","role":"developer","content":[{"type":"input_text","text":"be brief","prompt_cache_breakpoint":{"mode":"explicit"}}]},` +
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"list","prompt_cache_breakpoint":{"mode":"explicit"}}]},` +
		reasoningItem + `,` +
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Looking."}]},` +
		`{"type":"function_call","call_id":"call_1","name":"bash","arguments":` + arguments + `},` +
		`{"type":"function_call","call_id":"call_2","name":"bash","arguments":` + arguments + `},` +
		`{"type":"function_call_output","call_id":"call_1","output":"no <such> dir"},` +
		`{"type":"function_call_output","call_id":"call_2","output":[{"type":"input_image","image_url":"` + pixelURL + `","detail":"auto"},{"type":"input_text","text":"a picture"}]},` +
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]},` +
		`{"type":"web_search_call","id":"ws_1"},` +
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"and now?"}]}],"max_output_tokens":1000}`
	if string(b.JSON) != want {
		t.Errorf("got  %s\nwant %s", b.JSON, want)
	}
}

func TestWhatResponsesWouldRefuseIsRepaired(t *testing.T) {
	user := func(parts ...message.Part) message.Message {
		return message.Message{Role: message.User, Author: message.ByPerson, Parts: parts}
	}
	for _, c := range []struct {
		name string
		path []message.Message
		want string // in the body
	}{
		{"a call without an output", []message.Message{message.Prompt("x"), ownAnswer(toolCall("a")), message.Prompt("y")}, `{"type":"function_call_output","call_id":"a","output":"Interrupted: the outcome`},
		{"an output that says nothing", []message.Message{message.Prompt("x"), ownAnswer(toolCall("a")), message.Results(shows("a"))}, `"output":"(no output)"`},
		{"a long id", []message.Message{message.Prompt("x"), ownAnswer(toolCall(strings.Repeat("a", 65)))}, `"call_id":"call_2_1"`},
		{"thinking that its fields rebuild", []message.Message{message.Prompt("x"), ownAnswer(message.Thinking{Text: "hm", Signature: "gAAA"}, text("y"))}, `{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"gAAA"},{"type":"message","role":"assistant"`},
		{"thinking that only a store knows", []message.Message{message.Prompt("x"), ownAnswer(message.Thinking{Raw: []byte(`{"id":"rs_1","type":"reasoning","summary":[]}`)}, text("y"))}, `[{"type":"input_text","text":"x"}]},{"type":"message","role":"assistant"`},
		{"thinking that nothing follows", []message.Message{message.Prompt("x"), ownAnswer(message.Thinking{Raw: []byte(reasoningItem)}), message.Prompt("y")}, `{"type":"input_text","text":"x"},{"type":"input_text","text":"y"}]}]`},
		{"another model's thinking", []message.Message{message.Prompt("x"), {Role: message.Assistant, Wire: openai.WireResponses, Model: "another", Parts: []message.Part{message.Thinking{Raw: []byte(reasoningItem)}, text("y")}}, message.Prompt("z")}, `[{"type":"input_text","text":"x"}]},{"type":"message","role":"assistant"`},
		{"thinking over another wire", []message.Message{message.Prompt("x"), chatAnswer(message.Thinking{Raw: []byte(reasoningItem)}, text("y")), message.Prompt("z")}, `[{"type":"input_text","text":"x"}]},{"type":"message","role":"assistant"`},
		{"a citation", []message.Message{message.Prompt("x"), ownAnswer(message.Opaque{Format: openai.WireResponses, Raw: []byte(`{"type":"output_text","text":"y","annotations":[{"a":1}]}`)})}, `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"y","annotations":[{"a":1}]}]}`},
		{"a file the provider has", []message.Message{user(message.Opaque{Format: openai.WireResponses, Raw: []byte(`{"type":"input_file","file_id":"f"}`)})}, `"content":[{"type":"input_file","file_id":"f"}]`},
		{"a PDF", []message.Message{user(message.Document{Media: message.Media{Type: "application/pdf", Data: []byte("%PDF")}})}, `{"type":"input_file","filename":"document.pdf","file_data":"data:application/pdf;base64,JVBERg=="}`},
		{"a document elsewhere", []message.Message{user(message.Document{Media: message.Media{URL: "https://example.org/a.pdf"}})}, `{"type":"input_file","file_url":"https://example.org/a.pdf"}`},
		{"an image that is none", []message.Message{message.Prompt("x"), ownAnswer(toolCall("a")), message.Results(shows("a", message.Image{Media: message.Media{Type: "image/png", Data: []byte("x")}}))}, `"output":[{"type":"input_text","text":"[3.1: image/png that cannot be read]"}]`},
		{"a text document in a result", []message.Message{message.Prompt("x"), ownAnswer(toolCall("a")), message.Results(shows("a", message.Document{Media: message.Media{Type: "text/csv", Data: []byte("1,2")}}))}, `{"type":"input_text","text":"[3.1: document text/csv]\n1,2"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, err := openai.EncodeResponses(request(c.path...))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(b.JSON), c.want) {
				t.Errorf("%s\nis not in %s", c.want, b.JSON)
			}
		})
	}
}

func TestOldModelsAreNotAskedForTheirThinking(t *testing.T) {
	for name, want := range map[string]bool{"gpt-4.1": false, "gpt-5.4": true, "o3": true, "gpt-6.2-sol": true} {
		r := request(message.Prompt("x"))
		r.Frame.Model = name
		b, err := openai.EncodeResponses(r)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(b.JSON), `"include"`); got != want {
			t.Errorf("%s: asked %v", name, got)
		}
		marked := name == "gpt-6.2-sol"
		if got := strings.Contains(string(b.JSON), "prompt_cache_breakpoint"); got != marked {
			t.Errorf("%s: marked %v", name, got)
		}
	}
}
