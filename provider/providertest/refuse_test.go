package providertest

import (
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/wire/anthropic"
	"github.com/stemma-history/stemma/wire/gemini"
	"github.com/stemma-history/stemma/wire/openai"
)

// TestRequestsAreRefusedInOrder puts two faults into each body: the API
// complains of the one that it looks for first.
func TestRequestsAreRefusedInOrder(t *testing.T) {
	c := serve(t, Config{Window: 2000, MaxOutput: 1000, Key: "secret"})
	long := Words(3000)
	anonymous, mine := "x-api-key: ", "x-api-key: secret"
	for _, r := range []struct {
		name, path, body, header string
		status                   int
		kind, words              string
	}{
		{"no JSON before no key", "anthropic", `{"model":`, anonymous, 400, "invalid_request_error", "The request body is not valid JSON: "},
		{"no key before no model", "anthropic", `{"model":"x","max_tokens":1,"messages":[]}`, anonymous, 401, "authentication_error", "x-api-key header is required"},
		{"a wrong key", "anthropic", `{"model":"x"}`, "x-api-key: guess", 401, "authentication_error", "invalid x-api-key"},
		{"no model before an orphan", "anthropic", `{"model":"claude-opus-9","max_tokens":1,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}]}`, mine, 404, "not_found_error", "model: claude-opus-9"},
		{"an unknown member before no model", "anthropic", `{"model":"claude-opus-9","max_tokens":1,"frobnicate":1,"messages":[{"role":"user","content":"x"}]}`, mine, 400, "invalid_request_error", "frobnicate: Extra inputs are not permitted"},
		{"an orphan before the window", "anthropic", `{"model":"claude-opus-5-5","max_tokens":1,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"},{"type":"text","text":"` + long + `"}]}]}`, mine, 400, "invalid_request_error", "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a."},
		{"the window", "anthropic", `{"model":"claude-opus-5-5","max_tokens":1,"messages":[{"role":"user","content":"` + long + `"}]}`, mine, 400, "invalid_request_error", "prompt is too long: "},
		{"too long an answer before the window", "anthropic", `{"model":"claude-opus-5-5","max_tokens":1001,"messages":[{"role":"user","content":"` + long + `"}]}`, mine, 400, "invalid_request_error", "max_tokens: 1001 > 1000, which is the maximum allowed number of output tokens for claude-opus-5-5"},
		{"no key", "openai-chat", `{"model":"gpt-5.5","messages":[]}`, anonymous, 401, "invalid_request_error", "You didn't provide an API key."},
		{"a wrong key", "openai-chat", `{"model":"gpt-5.5","messages":[]}`, "x-api-key: sk-1234567890", 401, "invalid_request_error", "Incorrect API key provided: sk-1*****7890."},
		{"no model", "openai-chat", `{"model":"gpt-99","messages":[{"role":"user","content":"x"}]}`, mine, 404, "invalid_request_error", "The model `gpt-99` does not exist or you do not have access to it."},
		{"the window", "openai-chat", `{"model":"gpt-5.5","messages":[{"role":"user","content":"` + long + `"}]}`, mine, 400, "invalid_request_error", "This model's maximum context length is 2000 tokens. However, your messages resulted in "},
		{"the window", "openai-responses", `{"model":"gpt-5.5","input":"` + long + `"}`, mine, 400, "invalid_request_error", "Your input exceeds the context window of this model."},
		{"no key", "gemini", `{"contents":[]}`, anonymous, 403, "", "Method doesn't allow unregistered callers"},
		{"a wrong key", "gemini", `{"contents":[]}`, "x-api-key: guess", 400, "", "API key not valid."},
		{"nothing said", "gemini", `{"contents":[]}`, mine, 400, "", "* GenerateContentRequest.contents: contents is not specified\n"},
		{"the window", "gemini", `{"contents":[{"parts":[{"text":"` + long + `"}]}]}`, mine, 400, "", "The input token count ("},
	} {
		status, answer, err := c.post(paths[r.path], r.body, r.header)
		fault := get([]byte(answer), "error")
		if err != nil || status != r.status || !strings.HasPrefix(textAt(fault, "message"), r.words) || textAt(fault, "type") != r.kind {
			t.Errorf("%s, %s: %d %v %s", r.path, r.name, status, err, answer)
		}
	}
	if _, words := c.refused("/v1/messages", `{"model":"claude-opus-5-5","max_tokens":1,"messages":[]}`, mine, "anthropic-version: "); words != "anthropic-version: header is required" {
		t.Error(words)
	}
	if _, words := c.refused("/v1beta/models/gemini-99:generateContent", `{}`, mine); !strings.HasPrefix(words, "models/gemini-99 is not found for API version v1beta") {
		t.Error(words)
	}
	if status, _ := c.refused("/v1/embeddings", `{}`); status != 404 {
		t.Error(status)
	}
}

func TestTheEdgeRefusesBytes(t *testing.T) {
	small := catalog.Model{ID: "small", Window: 10_000, Images: catalog.Images{MaxRequestBytes: 1000}}
	c := serve(t, Config{Models: []catalog.Model{small}})
	status, answer, _ := c.post("/v1/messages", `{"model":"small","messages":"`+strings.Repeat("x", 1000)+`no end`, "x-api-key: ")
	if status != 413 || answer != `{"error":{"message":"Request exceeds the maximum size","type":"request_too_large"}}` {
		t.Errorf("%d %s", status, answer)
	}
}

func imageBlock(t *testing.T, width, height int) string {
	return `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + base64.StdEncoding.EncodeToString(pngOf(t, width, height)) + `"}}`
}

func TestImagesAreLookedAt(t *testing.T) {
	c := serve(t, Config{})
	ask := func(blocks ...string) (status int, words string) {
		status, answer, _ := c.post("/v1/messages", `{"model":"claude-haiku-4-5","max_tokens":1,"messages":[{"role":"user","content":[`+strings.Join(blocks, ",")+`]}]}`)
		return status, textAt([]byte(answer), "error", "message")
	}
	many := func(n int, block string) []string { return strings.Split(strings.Repeat(block+" ", n-1)+block, " ") }
	small, large := imageBlock(t, 10, 10), imageBlock(t, 2001, 10)
	for _, r := range []struct {
		name   string
		blocks []string
		words  string
	}{
		{"20 images, one of 2001 pixels", append(many(19, small), large), ""},
		{"21 images, one of 2001 pixels", append(many(20, small), large), "messages.0.content.20.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels"},
		{"a side of 8001 pixels", []string{imageBlock(t, 8001, 1)}, "messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels"},
		{"101 images", many(101, small), "Too much media: 0 document pages + 101 images > 100"},
		{"no image", []string{strings.Replace(small, "iVBOR", "xVBOR", 1)}, "Could not process image"},
	} {
		if _, words := ask(r.blocks...); words != r.words {
			t.Errorf("%s: %q", r.name, words)
		}
	}
	before := len(c.Journal())
	ask(imageBlock(t, 1092, 1092))
	if r := c.Journal()[before]; r.Images != 1 || r.Tokens < 1521 || r.Tokens > 1521+10 {
		t.Errorf("%d images, %d tokens; 39 x 39 squares were expected", r.Images, r.Tokens)
	}
}

func TestBlindModelsRefuseImages(t *testing.T) {
	chat := `{"model":"glm-5.3","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + base64.StdEncoding.EncodeToString(pngOf(t, 8, 8)) + `"}}]}]}`
	for name, want := range map[string]struct {
		status int
		words  string
	}{"openrouter": {404, "No endpoints found that support image input"}, "zai": {400, "This model does not support image input."}} {
		d, _ := DialectNamed(name)
		if status, words := serve(t, Config{Dialect: d}).refused(paths[openai.WireChat], chat); status != want.status || words != want.words {
			t.Errorf("%s: %d %s", name, status, words)
		}
	}
}

func TestMistralMindsIdsAndTheOrderOfRoles(t *testing.T) {
	d, _ := DialectNamed("mistral")
	c := serve(t, Config{Dialect: d, Script: In(Call("read", "{}"))})
	called := func(id string) string {
		return `{"model":"devstral","messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"read","arguments":"{}"}}]},{"role":"tool","tool_call_id":"` + id + `","content":"y"}`
	}
	if _, words := c.refused(paths[openai.WireChat], called("call_123456")+`]}`); words != "Tool call id was call_123456 but must be a-z, A-Z, 0-9, with a length of 9." {
		t.Error(words)
	}
	if _, words := c.refused(paths[openai.WireChat], called("abcdef123")+`,{"role":"user","content":"z"}]}`); words != "Unexpected role 'user' after role 'tool'" {
		t.Error(words)
	}
	answer := c.must(paths[openai.WireChat], called("abcdef123")+`]}`)
	var id string
	elements(get([]byte(answer), "choices"), func(v []byte) {
		elements(get(v, "message", "tool_calls"), func(v []byte) { id = textAt(v, "id") })
	})
	if !d.IDs.Valid(id) {
		t.Errorf("its own id is %q", id)
	}
}

func TestOlderModelsCountTheAnswerTowardsTheWindow(t *testing.T) {
	c := serve(t, Config{Window: 1000})
	body := func(model string) string {
		return `{"model":"` + model + `","max_tokens":900,"messages":[{"role":"user","content":"` + Words(150) + `"}]}`
	}
	_, words := c.refused("/v1/messages", body("claude-opus-4-1"))
	var used, output, limit int
	if n, _ := fmt.Sscanf(words, "input length and `max_tokens` exceed context limit: %d + %d > %d, decrease input length or `max_tokens` and try again", &used, &output, &limit); n != 3 || used < 150 || output != 900 || limit != 1000 {
		t.Error(words)
	}
	if answer := c.must("/v1/messages", body("claude-opus-4-5")); textAt([]byte(answer), "stop_reason") != "end_turn" {
		t.Error(answer)
	}
}

func TestAnAnswerEndsWithTheWindow(t *testing.T) {
	c := serve(t, Config{Window: 200, Script: In(Say(Words(1000)))})
	for limit, want := range map[int]string{50: "max_tokens", 500: string(stopWindow)} {
		answer := c.must("/v1/messages", fmt.Sprintf(`{"model":"claude-opus-5-5","max_tokens":%d,"messages":[{"role":"user","content":"x"}]}`, limit))
		if got := textAt([]byte(answer), "stop_reason"); got != want {
			t.Errorf("max_tokens %d: %s", limit, got)
		}
	}
	for _, r := range c.Journal() {
		if total := r.Usage.Output + int64(r.Tokens); total > 200 {
			t.Errorf("%d tokens in a window of 200", total)
		}
	}
}

func TestTheMeterIsNotTheEstimator(t *testing.T) {
	body := `{"model":"claude-opus-5-5","messages":[{"role":"user","content":"` + Words(1000) + `"}]}`
	counted := func(factor float64) int {
		answer := serve(t, Config{Factor: factor}).must("/v1/messages/count_tokens", body)
		var n int
		fmt.Sscanf(string(get([]byte(answer), "input_tokens")), "%d", &n)
		return n
	}
	if one, two := counted(1), counted(2); one < 1000 || two < 2*one-1 || two > 2*one {
		t.Errorf("%d tokens with a factor of 1, %d with 2", one, two)
	}
}

func TestEveryWireCounts(t *testing.T) {
	c := serve(t, Config{})
	for _, r := range []struct{ path, body, member string }{
		{"/v1/messages/count_tokens", `{"model":"claude-opus-5-5","messages":[{"role":"user","content":"hello there"}]}`, "input_tokens"},
		{"/v1/responses/input_tokens", `{"model":"gpt-5.5","input":"hello there"}`, "input_tokens"},
		{"/v1beta/models/gemini-3.1-pro:countTokens", `{"contents":[{"parts":[{"text":"hello there"}]}]}`, "totalTokens"},
	} {
		if answer := c.must(r.path, r.body); string(get([]byte(answer), r.member)) != "7" { // 2 words and 3 of a message, 1.35 times
			t.Errorf("%s: %s", r.path, answer)
		}
	}
	if n := len(c.Journal().Generated()); n != 0 {
		t.Errorf("%d answers", n)
	}
}

// hello is a short request of each wire.
var hello = map[string]string{
	anthropic.Wire:       `{"model":"claude-opus-5-5","max_tokens":9000,"messages":[{"role":"user","content":"hello"}]}`,
	openai.WireChat:      `{"model":"gpt-5.5","messages":[{"role":"user","content":"hello"}]}`,
	openai.WireResponses: `{"model":"gpt-5.5","input":"hello"}`,
	gemini.Wire:          `{"contents":[{"role":"user","parts":[{"text":"hello"}]}]}`,
	wireOllama:           `{"model":"gpt-oss-120b","stream":false,"messages":[{"role":"user","content":"hello"}]}`,
}

func TestAScriptCanRefuse(t *testing.T) {
	for _, r := range []struct {
		wire   string
		fault  Fault
		status int
		words  string
	}{
		{anthropic.Wire, RateLimited(7 * time.Second), 429, `"type":"rate_limit_error"`},
		{openai.WireChat, RateLimited(7 * time.Second), 429, `"type":"rate_limit_error"`},
		{gemini.Wire, RateLimited(7 * time.Second), 429, `"status":"RESOURCE_EXHAUSTED"`},
		{anthropic.Wire, Overloaded(), 529, `"error":{"message":"Overloaded","type":"overloaded_error"}`},
		{openai.WireResponses, Overloaded(), 503, `"type":"server_error"`},
		{gemini.Wire, Overloaded(), 503, `"status":"UNAVAILABLE"`},
		{openai.WireChat, Refuse{Status: 400, Bare: true}, 400, ""},
		{openai.WireChat, Refuse{Status: 418, Type: "teapot", Message: "short and stout"}, 418, `"message":"short and stout","param":null,"type":"teapot"`},
		{anthropic.Wire, Overflow{}, 400, `prompt is too long: `},
		{wireOllama, Overloaded(), 503, `{"error":"The server is currently overloaded`},
	} {
		c := serve(t, Config{Script: In(Answer{Fault: r.fault}, Say("at last"))})
		response, err := c.http.Client().Do(c.request(paths[r.wire], hello[r.wire]))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != r.status || !strings.Contains(string(answer), r.words) || r.words == "" && len(answer) > 0 {
			t.Errorf("%s, %+v: %d %v %s", r.wire, r.fault, response.StatusCode, err, answer)
		}
		if r.status == 429 && response.Header.Get("retry-after") != "7" {
			t.Errorf("%s: headers %v", r.wire, response.Header)
		}
		c.must(paths[r.wire], hello[r.wire])
		if j := c.Journal(); j[0].Refused == "" || j[0].Fault == "" || j[1].Refused != "" {
			t.Errorf("%s: recorded as %+v", r.wire, j)
		}
	}
}
