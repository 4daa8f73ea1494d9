package provider

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestEveryServersWordsForTooLargeAreRecognised holds bodies as the servers send
// them (sources: see excesses) to what a run must learn from them.
func TestEveryServersWordsForTooLargeAreRecognised(t *testing.T) {
	for _, c := range []struct {
		server      string
		status      int
		body        string
		of          Measure
		used, limit int
	}{
		{"Anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"},"request_id":"req_1"}`, OfTokens, 213462, 200000},
		{"Anthropic, older models", 400, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again\"}}", OfTokens, 209573, 200000},
		{"Anthropic's edge", 413, `{"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, OfBytes, 0, 0},
		{"Anthropic's edge, otherwise", 413, `{"error":{"message":"Request exceeds the maximum allowed number of bytes"}}`, OfBytes, 0, 0},
		{"a proxy", 413, `Request Entity Too Large`, OfBytes, 0, 0},
		{"a proxy's own status in words", 400, `413 {"message":"too big"}`, OfBytes, 0, 0},
		{"nginx", 413, "<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body></body></html>", OfBytes, 0, 0},
		{"Bedrock", 400, `{"message":"ValidationException: Input is too long for requested model."}`, OfTokens, 0, 0},
		{"Bedrock, bare", 400, `{"message":"Input is too long."}`, OfTokens, 0, 0},
		{"Vertex", 413, `{"error":{"message":"The request size (30037042 bytes) exceeds 30.000MB limit."}}`, OfBytes, 30037042, 30000000},
		{"Vertex, in other words", 400, `{"error":{"message":"The request size (30037042 bytes) exceeds the limit of this endpoint."}}`, OfBytes, 30037042, 0},
		{"OpenAI", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 10000 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, OfTokens, 10000, 8192},
		{"OpenAI Responses", 400, `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}`, OfTokens, 0, 0},
		{"OpenAI Responses in a stream", 200, `{"type":"response.failed","sequence_number":3,"response":{"id":"resp_1","status":"failed","error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model. Please adjust your input and try again."}}}`, OfTokens, 0, 0},
		{"OpenAI Responses, an error event", 200, `{"type":"error","code":"context_length_exceeded","message":"too much","param":"input","sequence_number":1}`, OfTokens, 0, 0},
		{"DeepSeek", 400, `{"error":{"message":"This model's maximum context length is 65536 tokens. However, you requested 66000 tokens (65000 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`, OfTokens, 66000, 65536},
		{"vLLM", 400, `{"object":"error","message":"This model's maximum context length is 32768 tokens. However, your request has 40000 input tokens. Please reduce the length of the input messages.","type":"BadRequestError","param":null,"code":400}`, OfTokens, 40000, 32768},
		{"vLLM, nested", 400, `{"error":{"message":"You passed 40001 input tokens and requested 0 output tokens. However, the model's context length is only 32768 tokens","type":"BadRequestError","code":400}}`, OfTokens, 40001, 32768},
		{"vLLM, with the answer", 400, `{"error":{"message":"This model's maximum context length is 32768 tokens. However, you requested 8192 output tokens and your prompt contains at least 24577 input tokens, for a total of at least 32769 tokens. Please reduce the length of the input prompt or the number of requested output tokens.","type":"BadRequestError","param":"input_tokens","code":400}}`, OfTokens, 32769, 32768},
		{"LiteLLM", 400, `{"error":{"message":"litellm.ContextWindowExceededError: litellm.BadRequestError: it does not fit","type":null,"param":null,"code":"400"}}`, OfTokens, 0, 0},
		{"LiteLLM, with a number", 400, `{"error":{"message":"The input exceeds the model's maximum context length of 131,072 tokens"}}`, OfTokens, 0, 131072},
		{"Gemini", 400, `{"error":{"code":400,"message":"The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`, OfTokens, 1196265, 1048576},
		{"Gemini, older, in an array", 400, `[{"error":{"code":400,"message":"The input token count exceeds the maximum number of tokens allowed 1048576.","status":"INVALID_ARGUMENT"}}]`, OfTokens, 0, 1048576},
		{"xAI", 400, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`, OfTokens, 537812, 131072},
		{"Groq", 400, `{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, OfTokens, 0, 0},
		{"OpenRouter", 400, `{"error":{"message":"This endpoint's maximum context length is 8192 tokens. However, you requested about 12000 tokens (10000 of text input, 2000 in the output). Please reduce the length of either one, or use the \"middle-out\" transform to compress your prompt automatically.","code":400}}`, OfTokens, 12000, 8192},
		{"OpenRouter, of the provider behind it", 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":\"prompt is too long: 9 tokens > 8 maximum\"}","provider_name":"x"}}}`, OfTokens, 9, 8},
		{"Poolside", 400, `{"error":{"message":"The input exceeds the maximum allowed input length of 131,072 tokens"}}`, OfTokens, 0, 131072},
		{"Together", 422, `{"error":{"message":"Input (40960 tokens) is longer than the model's context length (32768 tokens)."}}`, OfTokens, 40960, 32768},
		{"GitHub Copilot", 400, `{"error":{"message":"prompt token count of 391491 exceeds the limit of 128000","code":"model_max_prompt_tokens_exceeded"}}`, OfTokens, 391491, 128000},
		{"GitHub Copilot, bytes", 413, `{"message":"failed to parse request"}`, OfBytes, 0, 0},
		{"llama.cpp", 400, `{"error":{"code":400,"message":"request (302 tokens) exceeds the available context size (256 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":302,"n_ctx":256}}`, OfTokens, 302, 256},
		{"llama.cpp, other words", 400, `{"error":{"code":400,"message":"too much","type":"exceed_context_size_error","n_prompt_tokens":302,"n_ctx":256}}`, OfTokens, 302, 256},
		{"LM Studio", 400, `{"error":"Trying to keep the first 6269 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."}`, OfTokens, 6269, 4096},
		{"LM Studio, otherwise", 400, `{"error":"The number of tokens to keep from the initial prompt is greater than the context length."}`, OfTokens, 0, 0},
		{"Ollama", 400, `{"error":"prompt too long; exceeded max context length by 12 tokens"}`, OfTokens, 0, 0},
		{"Ollama, otherwise", 400, `{"error":"the prompt is longer than the context length currently available"}`, OfTokens, 0, 0},
		{"MiniMax", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"invalid params, context window exceeds limit (2013)"}}`, OfTokens, 0, 0},
		{"Moonshot", 400, `{"error":{"message":"Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)","type":"invalid_request_error"}}`, OfTokens, 300000, 262144},
		{"Mistral", 400, `{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_prompt","param":null,"code":"3051"}`, OfTokens, 40000, 32768},
		{"DashScope", 400, `{"error":{"message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 258048]","type":"invalid_request_error","code":"invalid_parameter_error"}}`, OfTokens, 0, 258048},
		{"DashScope, without JSON", 400, `<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 258048]`, OfTokens, 0, 258048},
		{"z.ai", 400, `{"error":{"code":"1261","message":"Prompt exceeds max length"}}`, OfTokens, 0, 0},
		{"z.ai, flat", 400, `{"code":"1261","message":"Prompt too long"}`, OfTokens, 0, 0},
		{"Cohere", 400, `{"message":"too many tokens: total number of tokens in the prompt exceeds the limit of 4081"}`, OfTokens, 0, 4081},
		{"DS4", 400, `{"error":{"message":"Prompt has 40,000 tokens, but the configured context size is 32,768 tokens"}}`, OfTokens, 40000, 32768},
		{"kronk", 400, `{"error":{"message":"input tokens [40000] exceed context window [32768]"}}`, OfTokens, 40000, 32768},
		{"Vercel", 400, `{"error":{"message":"Input too long: 40000 input tokens, limit is 32768"}}`, OfTokens, 40000, 32768},
		{"a gateway", 400, `{"error":{"message":"Request too long: 40000 input tokens over the limit of 32768"}}`, OfTokens, 40000, 32768},
		{"a gateway that finds nothing", 404, `{"detail":"Context limit is 32768 tokens; prompt=40000"}`, OfTokens, 40000, 32768},
		{"a gateway of FastAPI", 422, `{"detail":[{"loc":["body"],"msg":"context length is only 4096 tokens","type":"value_error"}]}`, OfTokens, 0, 4096},

		{"Anthropic, output", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-opus-4-5"}}`, OfOutput, 100000, 64000},
		{"OpenAI, output", 400, `{"error":{"message":"max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.","type":"invalid_request_error","param":"max_tokens","code":"invalid_value"}}`, OfOutput, 100000, 16384},
		{"vLLM, output", 400, `{"error":{"message":"'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length is 8192 tokens and your request has 4000 input tokens (5000 > 8192 - 4000).","code":400}}`, OfOutput, 5000, 4192},
		{"Gemini, output", 400, `{"error":{"code":400,"message":"Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive). Update the value and try again.","status":"INVALID_ARGUMENT"}}`, OfOutput, 100000, 65536},

		{"Anthropic, bytes of an image", 400, `{"error":{"message":"messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes"}}`, OfImages, 6291456, 5242880},
		{"Anthropic, sides", 400, `{"error":{"message":"messages.3.content.79.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels"}}`, OfImages, 0, 2000},
		{"Anthropic, number", 400, `{"error":{"message":"Too much media: 1 document pages + 101 images > 100"}}`, OfImages, 102, 100},
		{"Anthropic, damaged", 400, `{"error":{"message":"Could not process image"}}`, OfImages, 0, 0},
		{"a blind model", 404, `{"error":{"message":"No endpoints found that support image input","code":404}}`, OfImages, 0, 0},
		{"a blind model of DeepSeek", 400, "{\"error\":{\"message\":\"Failed to deserialize the JSON body: messages[0]: unknown variant `image_url`, expected `text`\"}}", OfImages, 0, 0},
		{"a blind model of llama.cpp", 500, `{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}`, OfImages, 0, 0},
		{"a blind model of vLLM", 400, `{"error":{"message":"gpt-oss is not a multimodal model","code":400}}`, OfImages, 0, 0},
	} {
		e := Classify(Response{Provider: "it", Status: c.status, Body: []byte(c.body)})
		want := Excess{Of: c.of, Used: c.used, Limit: c.limit, Blind: strings.Contains(c.server, "blind")}
		if e.Kind != Overflow || e.Overflow != want {
			t.Errorf("%s: %s %+v, want %+v\n%s", c.server, e.Kind, e.Overflow, want, c.body)
		}
		if e.Again() {
			t.Errorf("%s: would be sent again as it is", c.server)
		}
	}
}

func TestARefusalWithoutAWordIsJudgedByTheSizeOfThePrompt(t *testing.T) {
	const copilot = `{"error":{"message":"invalid request body","code":"invalid_request_body"}}`
	for _, c := range []struct {
		status, estimate, window int
		body                     string
		kind                     Kind
		of                       Measure
	}{
		{400, 80_000, 100_000, "", Overflow, OfTokens},
		{413, 80_000, 100_000, "", Overflow, OfTokens},
		{400, 60_000, 100_000, "", Invalid, ""},
		{413, 60_000, 100_000, "", Overflow, OfBytes},
		{413, 0, 0, "", Overflow, OfBytes},
		{400, 80_000, 0, "", Invalid, ""},
		{400, 80_000, 100_000, copilot, Overflow, OfTokens},
		{400, 60_000, 100_000, copilot, Invalid, ""},
	} {
		e := Classify(Response{Status: c.status, Body: []byte(c.body), Estimate: c.estimate, Window: c.window})
		if e.Kind != c.kind || e.Overflow.Of != c.of {
			t.Errorf("%+v: %s of %q", c, e.Kind, e.Overflow.Of)
		}
	}
}

// TestWhatIsNoOverflowIsNotTakenForOne has what looks like one, and every other
// kind of refusal.
func TestWhatIsNoOverflowIsNotTakenForOne(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		kind   Kind
	}{
		{413, `{"error":{"message":"Request too large for model llama in organization org on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your message size and try again.","type":"tokens","code":"rate_limit_exceeded"}}`, RateLimit},
		{429, `{"error":{"message":"Too many tokens: prompt is too long for the rate","type":"rate_limit_error"}}`, RateLimit},
		{400, `Throttling error: too many tokens, please wait`, RateLimit},
		{400, `{"__type":"ThrottlingException","message":"Too many tokens, please wait before trying again."}`, RateLimit},
		{400, `{"error":{"type":"ThrottlingException","message":"Too many tokens, please wait before trying again."}}`, RateLimit},
		{503, `Service unavailable: input is too long in the queue`, Overloaded},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, Overloaded},
		{200, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, Overloaded},
		{200, `{"type":"response.failed","response":{"error":{"code":"server_error","message":"sorry"}}}`, Overloaded},
		{200, `{"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded","message":"slow down"}}}`, RateLimit},
		{200, `{"error":{"code":502,"message":"Provider disconnected"}}`, Overloaded},
		{200, `{"error":{"code":429,"message":"slow down"}}`, RateLimit},
		{200, `{"error":{"type":"invalid_request_error","message":"no"}}`, Invalid},
		{400, `{"error":{"message":"rate limit reached"}}`, RateLimit},
		{429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","code":"insufficient_quota"}}`, Auth},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`, Auth},
		{400, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}`, Auth},
		{401, `{"error":{"message":"no"}}`, Auth},
		{402, `{"error":{"message":"pay"}}`, Auth},
		{403, ``, Auth},
		{404, `{"type":"error","error":{"type":"not_found_error","message":"model: x"}}`, Invalid},
		{409, ``, Overloaded},
		{500, ``, Overloaded},
		{502, `<html><head><title>502 Bad Gateway</title></head></html>`, Overloaded},
		{504, `{"type":"error","error":{"type":"timeout_error","message":"late"}}`, Overloaded},
		{429, `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"Resource has been exhausted"}}`, RateLimit},
		{503, `{"error":{"code":503,"status":"UNAVAILABLE","message":"The model is overloaded."}}`, Overloaded},
		{400, `{"error":{"message":"The response was filtered","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`, Declined},
		{400, "{\"error\":{\"type\":\"invalid_request_error\",\"message\":\"messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_a\"}}", Invalid},
		{422, `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`, Invalid},
		{400, `{"error":`, Invalid},
	} {
		if e := Classify(Response{Provider: "it", Status: c.status, Body: []byte(c.body)}); e.Kind != c.kind {
			t.Errorf("%d %s: %s (%+v), want %s", c.status, c.body, e.Kind, e.Overflow, c.kind)
		}
	}
}

func TestWordsOfOnesOwnAreRecognised(t *testing.T) {
	r := Response{Status: 418, Body: []byte(`{"error":"Die Anfrage hat 900 statt 800 Wörter"}`), TooLong: regexp.MustCompile(`Anfrage hat (?P<used>\d+) statt (?P<limit>\d+)`)}
	if e := Classify(r); e.Kind != Overflow || e.Overflow != (Excess{Of: OfTokens, Used: 900, Limit: 800}) {
		t.Errorf("%+v", e)
	}
}

func TestTheServersWordOnRetryingWins(t *testing.T) {
	header := func(v string) http.Header { return http.Header{"X-Should-Retry": {v}} }
	if e := Classify(Response{Status: 500, Header: header("false")}); e.Again() {
		t.Error("a failure that is final would be tried again")
	}
	if e := Classify(Response{Status: 400, Header: header("true")}); !e.Again() {
		t.Error("a failure that passes would not be tried again")
	}
	if e := Classify(Response{Status: 401, Header: header("true")}); e.Again() {
		t.Error("a wrong key would be tried again")
	}
}

// TestGooglesQuotaOfAMinutePassesAndThatOfADayDoesNot, in the same words.
func TestGooglesQuotaOfAMinutePassesAndThatOfADayDoesNot(t *testing.T) {
	for span, again := range map[string]bool{"Minute": true, "Day": false} {
		e := Classify(Response{Status: 429, Body: []byte(`{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details. Please retry in 37.5s.","status":"RESOURCE_EXHAUSTED","details":[` +
			`{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaMetric":"requests","quotaId":"GenerateRequestsPer` + span + `PerProjectPerModel-FreeTier"}]},{"@type":"type.googleapis.com/google.rpc.Help","links":[]}]}}`)})
		if e.Kind != RateLimit || e.Again() != again || e.RetryAfter != 37500*time.Millisecond {
			t.Errorf("%s: %+v", span, e)
		}
	}
}

func TestErrorsSayWhoRefusedAndWhy(t *testing.T) {
	e := Classify(Response{Provider: "acme", Status: 502, Body: []byte("<html><TITLE> Bad Gateway </TITLE></html>"), Header: http.Header{"Request-Id": {"req_7"}}})
	if got := e.Error(); got != "acme: the server in between answered with a page: Bad Gateway (HTTP 502)" || e.RequestID != "req_7" {
		t.Errorf("%s, request %s", got, e.RequestID)
	}
	long := Classify(Response{Status: 400, Body: []byte(`{"error":"` + strings.Repeat("é", 1<<20) + `"}`)})
	if len(long.Message) > maxMessage {
		t.Errorf("a message of %d bytes", len(long.Message))
	}
	if got := Classify(Response{Provider: "acme", Status: 413}).Error(); got != "acme: the request is too large (bytes) (HTTP 413)" {
		t.Error(got)
	}
}

func FuzzClassify(f *testing.F) {
	f.Add(400, []byte(`{"error":{"message":"prompt is too long: 9 tokens > 8 maximum","details":[{"retryDelay":"3s"}]}}`))
	f.Add(413, []byte(`<html><title>x</title>`))
	f.Add(200, []byte(`[{"response":{"error":"x"}}]`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		e := Classify(Response{Status: status, Body: body})
		if e.Kind == "" || e.Error() == "" || e.Overflow.Used < 0 || e.Overflow.Limit < 0 || (e.Kind == Overflow) != (e.Overflow.Of != "") {
			t.Errorf("%+v", e)
		}
	})
}
