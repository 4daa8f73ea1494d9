package providertest

import (
	"fmt"
	"strings"

	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/anthropic"
	"github.com/stemma-history/stemma/wire/gemini"
	"github.com/stemma-history/stemma/wire/openai"
)

// A Dialect is a server that speaks one of the wires, in its own words where a
// prompt is too long.
type Dialect struct {
	Name string
	Wire string
	// Status and Body answer a prompt that is too long. In the body stand {used}
	// and {limit} for tokens, {output} for those of the answer, {total} for used
	// and output together, {excess} for used over limit; {bytes} is the length of
	// the request. A body that begins with no bracket is the message in the wire's
	// own envelope; the empty one is none.
	Status int
	Body   string
	// WithOutput counts the answer that is asked for towards the window.
	WithOutput bool
	// Silent is what happens instead of a refusal.
	Silent Silence
	// Reasoning is the member that thinking is shown in. Default: none is.
	Reasoning string
	// IDs are the ids of calls that are taken. Default: those of the wire.
	IDs wire.IDRule
	// AnswerAfterResults refuses a user's message behind results.
	AnswerAfterResults bool
	// AnyModel serves every model, and takes unknown members.
	AnyModel bool
	// NoKey asks for none.
	NoKey bool
}

// A Silence is what a server does to a prompt that is too long, without a word.
type Silence int

const (
	Speaks     Silence = iota // it refuses
	CutsOldest                // it leaves out the oldest messages
	ReadsAll                  // it answers, and bills more than the window
	SaysNought                // it reads what fits, and answers nothing, with stop reason length
)

const openaiOverflow = `{"error":{"message":"This model's maximum context length is {limit} tokens. However, your messages resulted in {used} tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`

// Dialects returns the servers that can be played. Those that complain of bytes
// do so at the window too, so that a test need not send that many. (Words: the
// tables of npm @earendil-works/pi-ai 1.6.0, 2026-11, and error bodies quoted in
// public issues, 2025 and 2026.)
func Dialects() []Dialect {
	reasons := "reasoning_content"
	chat := func(name, body string) Dialect {
		return Dialect{Name: name, Wire: openai.WireChat, Status: 400, Body: body, AnyModel: true}
	}
	with := func(d Dialect, change func(*Dialect)) Dialect {
		change(&d)
		return d
	}
	local := func(d *Dialect) { d.NoKey = true }
	thinks := func(d *Dialect) { d.Reasoning = reasons }
	claude := func(name, body string) Dialect {
		return Dialect{Name: name, Wire: anthropic.Wire, Status: 400, Body: body}
	}
	return []Dialect{
		claude("anthropic", "prompt is too long: {used} tokens > {limit} maximum"),
		with(claude("anthropic-older", "input length and `max_tokens` exceed context limit: {used} + {output} > {limit}, decrease input length or `max_tokens` and try again"), func(d *Dialect) { d.WithOutput = true }),
		with(claude("anthropic-edge", `{"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`), func(d *Dialect) { d.Status = 413 }),
		claude("bedrock", `{"message":"Input is too long for requested model."}`),
		claude("vertex", "The request size ({bytes} bytes) exceeds 30.000MB limit."),
		with(chat("openai", openaiOverflow), func(d *Dialect) { d.AnyModel = false }),
		{Name: "openai-responses", Wire: openai.WireResponses, Status: 400, Body: `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}`},
		{Name: "gemini", Wire: gemini.Wire, Status: 400, Body: "The input token count ({used}) exceeds the maximum number of tokens allowed ({limit})."},
		{Name: "gemini-older", Wire: gemini.Wire, Status: 400, Body: "The input token count exceeds the maximum number of tokens allowed {limit}."},
		with(chat("deepseek", `{"error":{"message":"This model's maximum context length is {limit} tokens. However, you requested {total} tokens ({used} in the messages, {output} in the completion). Please reduce the length of the messages or completion.","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`), func(d *Dialect) { d.WithOutput, d.Reasoning = true, reasons }),
		with(chat("vllm", `{"object":"error","message":"This model's maximum context length is {limit} tokens. However, your request has {used} input tokens. Please reduce the length of the input messages.","type":"BadRequestError","param":null,"code":400}`), func(d *Dialect) { d.NoKey, d.Reasoning = true, reasons }),
		chat("litellm", `{"error":{"message":"litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException - This model's maximum context length is {limit} tokens. However, your messages resulted in {used} tokens.","type":"invalid_request_error","param":null,"code":"400"}}`),
		with(chat("xai", `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is {limit} but the request contains {used} tokens."}`), thinks),
		with(chat("groq", `{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`), func(d *Dialect) { d.Reasoning = "reasoning" }),
		with(chat("openrouter", `{"error":{"message":"This endpoint's maximum context length is {limit} tokens. However, you requested about {total} tokens ({used} of text input, {output} in the output). Please reduce the length of either one, or use the \"middle-out\" transform to compress your prompt automatically.","code":400,"metadata":{"provider_name":null}}}`), func(d *Dialect) { d.WithOutput, d.Reasoning = true, "reasoning" }),
		chat("poolside", `{"error":{"message":"Input of {used} tokens exceeds the maximum allowed input length of {limit} tokens","type":"invalid_request_error","code":null}}`),
		with(chat("together", `{"error":{"message":"Input validation error: input ({used} tokens) is longer than the model's context length ({limit} tokens).","type":"invalid_request_error","param":null,"code":null}}`), func(d *Dialect) { d.Status = 422 }),
		chat("copilot", `{"error":{"message":"prompt token count of {used} exceeds the limit of {limit}","code":"model_max_prompt_tokens_exceeded"}}`),
		with(chat("llamacpp", `{"error":{"code":400,"message":"request ({used} tokens) exceeds the available context size ({limit} tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":{used},"n_ctx":{limit}}}`), func(d *Dialect) { d.NoKey, d.Reasoning = true, reasons }),
		with(chat("lmstudio", `{"error":"Trying to keep the first {used} tokens when context the overflows. However, the model is loaded with context length of only {limit} tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input"}`), local),
		{Name: "ollama", Wire: wireOllama, Status: 400, Body: `{"error":"prompt too long; exceeded max context length by {excess} tokens"}`, AnyModel: true, NoKey: true},
		with(chat("ollama-silent", ""), func(d *Dialect) { d.NoKey, d.Silent = true, CutsOldest }),
		chat("minimax", `{"type":"error","error":{"type":"bad_request_error","message":"invalid params, context window exceeds limit (2013)","http_code":"400"}}`),
		with(chat("kimi", `{"error":{"message":"Invalid request: Your request exceeded model token limit: {limit}","type":"invalid_request_error"}}`), thinks),
		with(chat("mistral", `{"object":"error","message":"Prompt contains {used} tokens and 0 draft tokens, too large for model with {limit} maximum context length","type":"invalid_request_prompt","param":null,"code":"3051"}`), func(d *Dialect) {
			d.IDs, d.AnswerAfterResults = wire.IDRule{MinLen: 9, MaxLen: 9}, true
		}),
		chat("dashscope", `{"error":{"message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, {limit}]","type":"invalid_request_error","param":null,"code":"invalid_parameter_error"}}`),
		with(chat("zai", `{"error":{"code":"1261","message":"Prompt exceeds max length"}}`), thinks),
		with(chat("zai-silent", ""), func(d *Dialect) { d.Silent, d.Reasoning = ReadsAll, reasons }),
		chat("cerebras", ""),
		with(chat("mimo", ""), func(d *Dialect) { d.Silent, d.Reasoning = SaysNought, reasons }),
		chat("cohere", `{"message":"too many tokens: total number of tokens in the prompt exceeds the limit of {limit}. Try using a shorter prompt."}`),
		chat("ds4", `{"error":{"message":"prompt has {used} tokens, but the configured context size is {limit}","type":"invalid_request_error"}}`),
		chat("kronk", `{"error":{"message":"input tokens [{used}] exceed context window [{limit}]","type":"invalid_request_error"}}`),
		chat("vercel", `{"error":{"message":"Input too long: {used} input tokens, limit is {limit}","type":"invalid_request_error"}}`),
	}
}

// DialectNamed returns the dialect with a name.
func DialectNamed(name string) (Dialect, error) {
	var names []string
	for _, d := range Dialects() {
		if d.Name == name {
			return d, nil
		}
		names = append(names, d.Name)
	}
	return Dialect{}, fmt.Errorf("dialect %q is not known: expected one of %s", name, strings.Join(names, ", "))
}

// on returns the dialect of a server on one of the wires: its own, or that of
// the wire's vendor.
func (d Dialect) on(wireName string) Dialect {
	if d.Wire == wireName {
		return d
	}
	vendors := map[string]string{anthropic.Wire: "anthropic", openai.WireChat: "openai", openai.WireResponses: "openai-responses", gemini.Wire: "gemini", wireOllama: "ollama"}
	vendor, err := DialectNamed(vendors[wireName])
	if err != nil {
		panic("providertest: " + err.Error()) // the wires are the five above
	}
	vendor.AnyModel, vendor.NoKey = vendor.AnyModel || d.AnyModel, vendor.NoKey || d.NoKey
	return vendor
}
