package gemini_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/gemini"
	"github.com/stemma-history/stemma/wire/wiretest"
)

const (
	model = "gemini-3.1-pro"
	dummy = `"thoughtSignature":"skip_thought_signature_validator"`
)

func answer(parts ...message.Part) message.Message {
	return message.Message{Role: message.Assistant, Author: message.ByModel, Wire: gemini.Wire, Model: model, Parts: parts}
}

func request(messages ...message.Message) wire.Request {
	r := wire.Request{
		Frame:     wire.Frame{Model: model, System: []string{"be brief"}, Tools: []wire.Tool{{Name: "bash", Description: "runs", Schema: []byte(`{"type":"object"}`)}}},
		MaxOutput: 1000,
	}
	for i, m := range messages {
		r.View.Messages = append(r.View.Messages, wire.Message{Message: m, At: history.Handle{Depth: i + 1}})
	}
	return r
}

func call(id, signature string) message.ToolCall {
	return message.ToolCall{ID: id, Name: "bash", Arguments: []byte(`{"z":1, "cmd":"ls \u00e9"}`), Signature: signature}
}

func shows(id string, content ...message.Content) message.ToolResult {
	return message.ToolResult{CallID: id, Content: content}
}

func text(s string) message.Text { return message.Text{Text: s} }

func encode(t *testing.T, r wire.Request) string {
	t.Helper()
	b, err := gemini.Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b.JSON)
}

var (
	pixel   = wiretest.PNG(1, 1)
	picture = message.NewImage("image/png", pixel)
	inline  = `{"inlineData":{"mimeType":"image/png","data":"` + base64.StdEncoding.EncodeToString(pixel) + `"}}`
)

func TestTheWholeBody(t *testing.T) {
	path := []message.Message{
		message.Prompt("list"),
		answer(message.Thinking{Text: "hm", Signature: "c2ln"}, message.Text{Text: "Looking.", Signature: "dGV4dA=="}, call("c1", "Y2FsbA=="), call("", "")),
		message.Results(shows("c1", text("no <such> dir"), picture), message.ToolResult{CallID: "", Outcome: message.Failed, Content: []message.Content{text("gone")}}),
		message.Prompt("and now?"),
	}
	want := `{"systemInstruction":{"parts":[{"text":"be brief"}]},` +
		`"tools":[{"functionDeclarations":[{"name":"bash","description":"runs","parametersJsonSchema":{"type":"object"}}]}],` +
		`"contents":[{"role":"user","parts":[{"text":"list"}]},` +
		`{"role":"model","parts":[{"thought":true,"text":"hm","thoughtSignature":"c2ln"},{"text":"Looking.","thoughtSignature":"dGV4dA=="},` +
		`{"functionCall":{"id":"c1","name":"bash","args":{"z":1, "cmd":"ls \u00e9"}},"thoughtSignature":"Y2FsbA=="},` +
		`{"functionCall":{"name":"bash","args":{"z":1, "cmd":"ls \u00e9"}}}]},` +
		`{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"bash","response":{"output":"no <such> dir"},"parts":[` + inline + `]}},` +
		`{"functionResponse":{"name":"bash","response":{"error":"gone"}}}]},` +
		`{"role":"user","parts":[{"text":"and now?"}]}],` +
		`"generationConfig":{"maxOutputTokens":1000}}`
	if got := encode(t, request(path...)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestImagesOfResultsFollowThemBeforeGemini3: those models take none in a
// result, and nothing else in the content with the results.
func TestImagesOfResultsFollowThemBeforeGemini3(t *testing.T) {
	r := request(message.Prompt("list"), answer(call("c1", ""), call("c2", "")), message.Results(shows("c2", text("two")), shows("c1", picture)), message.Prompt("and now?"))
	r.Frame.Model, r.View.Messages[1].Model = "gemini-2.5-pro", "gemini-2.5-pro"
	want := `{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"bash","response":{"output":"[what it shows follows the results]"}}},` +
		`{"functionResponse":{"id":"c2","name":"bash","response":{"output":"two"}}}]},` +
		`{"role":"user","parts":[{"text":"[From the result 3.2:]"},` + inline + `,{"text":"and now?"}]}]`
	got := encode(t, r)
	if !strings.Contains(got, want) {
		t.Errorf("%s\nis not in %s", want, got)
	}
	if strings.Contains(got, "thoughtSignature") {
		t.Errorf("a model that does not sign gets signatures: %s", got)
	}
}

func TestSignatures(t *testing.T) {
	foreign := message.Message{Role: message.Assistant, Author: message.ByModel, Wire: "anthropic", Model: "claude", Parts: []message.Part{call("a", "Y2FsbA=="), call("b", "")}}
	older := answer(call("a", ""))
	older.Model = "gemini-2.5-pro"
	results := message.Results(shows("a", text("1")), shows("b", text("2")))
	for _, c := range []struct {
		name   string
		answer message.Message
		want   string
	}{
		{"the model's own", answer(call("a", "Y2FsbA==")), `"args":{"z":1, "cmd":"ls \u00e9"}},"thoughtSignature":"Y2FsbA=="}]}`},
		{"another model's call", foreign, `"name":"bash","args":{"z":1, "cmd":"ls \u00e9"}},` + dummy + `},{"functionCall":{"id":"b","name":"bash","args":{"z":1, "cmd":"ls \u00e9"}}}]}`},
		{"a call of before there were any", older, dummy},
		{"one that was damaged", answer(call("a", "no base64!")), dummy},
		{"its own, not on the first call", answer(call("a", ""), call("b", "Y2FsbA==")), dummy + `},{"functionCall":{"id":"b","name":"bash","args":{"z":1, "cmd":"ls \u00e9"}},"thoughtSignature":"Y2FsbA=="}`},
		{"on an empty text", answer(message.Text{Signature: "dGV4dA=="}, call("a", "Y2FsbA==")), `"parts":[{"text":"","thoughtSignature":"dGV4dA=="},{"functionCall"`},
		{"on another model's empty text", message.Message{Role: message.Assistant, Wire: gemini.Wire, Model: "gemini-4-neon", Parts: []message.Part{message.Text{Signature: "dGV4dA=="}, call("a", "")}}, `{"role":"model","parts":[{"functionCall"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := encode(t, request(message.Prompt("x"), c.answer, results, message.Prompt("y"))); !strings.Contains(got, c.want) {
				t.Errorf("%s\nis not in %s", c.want, got)
			}
		})
	}
}

func TestWhatTheAPIWouldRefuseIsRepaired(t *testing.T) {
	user := func(parts ...message.Part) message.Message {
		return message.Message{Role: message.User, Author: message.ByPerson, Parts: parts}
	}
	for _, c := range []struct {
		name string
		path []message.Message
		want string // in the body
	}{
		{"begins with a call", []message.Message{answer(call("a", "c2ln"))}, `"contents":[{"role":"user","parts":[{"text":"(The conversation begins with an answer.)"}]},{"role":"model"`},
		{"ends with an answer", []message.Message{message.Prompt("x"), answer(text("done"))}, `{"role":"user","parts":[{"text":"Continue."}]}]`},
		{"a call without a result", []message.Message{message.Prompt("x"), answer(call("a", "c2ln"), call("b", "")), message.Results(shows("b", text("2"))), message.Prompt("y")}, `{"functionResponse":{"id":"a","name":"bash","response":{"error":"Interrupted: the outcome`},
		{"answers in a row", []message.Message{message.Prompt("x"), answer(text("one")), answer(text("two"), call("a", "c2ln"))}, `{"role":"model","parts":[{"text":"one"},{"text":"two"},{"functionCall"`},
		{"names", []message.Message{message.Prompt("x"), answer(message.ToolCall{Name: "9 lives"}), message.Prompt("y")}, `"name":"_9_lives","args":{}`},
		{"names that it takes", []message.Message{message.Prompt("x"), answer(message.ToolCall{Name: "fs.read:all"}), message.Prompt("y")}, `"name":"fs.read:all"`},
		{"arguments that are no object", []message.Message{message.Prompt("x"), answer(message.ToolCall{Name: "bash", Arguments: []byte(`[1]`)})}, `"args":{"malformed_arguments":"[1]"}`},
		{"a GIF", []message.Message{user(message.NewImage("image/gif", wiretest.GIF()))}, `[1.1: image of type image/gif, which this provider does not take]`},
		{"an image elsewhere", []message.Message{user(message.Image{Media: message.Media{Type: "image/png", URL: "https://example.org/a.png"}})}, `[1.1: image at https://example.org/a.png, which this provider does not fetch]`},
		{"an image in its own storage", []message.Message{user(message.Image{Media: message.Media{Type: "image/png", URL: "gs://b/a.png"}})}, `{"fileData":{"mimeType":"image/png","fileUri":"gs://b/a.png"}}`},
		{"data that could not be decoded", []message.Message{user(message.Opaque{Format: gemini.Wire, Raw: []byte(`{"inlineData":{"mimeType":"image/png","data":"!"}}`)})}, `[1.1: data that cannot be read]`},
		{"a document of text", []message.Message{user(message.Document{Media: message.Media{Type: "text/plain", Data: []byte("words")}})}, `{"text":"[1.1: document text/plain]\nwords"}`},
		{"a PDF in a result", []message.Message{message.Prompt("x"), answer(call("a", "c2ln")), message.Results(shows("a", message.Document{Media: message.Media{Type: "application/pdf", Data: []byte("%PDF")}}))}, `"response":{"output":""},"parts":[{"inlineData":{"mimeType":"application/pdf","data":"JVBERg=="}}]`},
		{"code that ran", []message.Message{message.Prompt("x"), answer(message.Opaque{Format: gemini.Wire, Raw: []byte(`{"executableCode":{"code":"1"} }`)}), message.Prompt("y")}, `{"role":"model","parts":[{"executableCode":{"code":"1"} }]}`},
		{"another model's thoughts", []message.Message{message.Prompt("x"), {Role: message.Assistant, Wire: "anthropic", Parts: []message.Part{message.Thinking{Text: "hm", Signature: "c2ln"}, text("y")}}, message.Prompt("z")}, `{"role":"model","parts":[{"text":"y"}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := encode(t, request(c.path...)); !strings.Contains(got, c.want) {
				t.Errorf("%s\nis not in %s", c.want, got)
			}
		})
	}
}

func TestWhichModelsSign(t *testing.T) {
	for name, want := range map[string]bool{"gemini-3.1-pro": true, "gemini-4-argon": true, "gemini-flash-latest": true, "gemini-2.5-pro": false, "gemini-1.5-pro": false, "gemma-3": false} {
		r := request(message.Prompt("x"), answer(call("a", "")), message.Prompt("y"))
		r.Frame.Model = name
		if got := strings.Contains(encode(t, r), dummy); got != want {
			t.Errorf("%s: signs %v", name, got)
		}
	}
}
