package providertest

import (
	"cmp"
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
	// Details gives thinking as reasoning_details too, signed, and refuses those
	// that come back behind another prefix to a model that checks that.
	Details bool
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

// Dialects returns the servers that can be played. Those that complain of bytes
// do so at the window too, so that a test need not send that many. (Words: the
// tables of npm @earendil-works/pi-ai 1.6.0, 2026-11, and error bodies quoted in
// public issues, 2025 and 2026.)
func Dialects() []Dialect {
	all := []Dialect{
		{Name: "anthropic", Wire: anthropic.Wire, Body: "prompt is too long: {used} tokens > {limit} maximum"},
		{Name: "anthropic-older", Wire: anthropic.Wire, Body: "input length and `max_tokens` exceed context limit: {used} + {output} > {limit}, decrease input length or `max_tokens` and try again", WithOutput: true},
		{Name: "anthropic-edge", Wire: anthropic.Wire, Status: 413, Body: `{"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`},
		{Name: "bedrock", Wire: anthropic.Wire, Body: `{"message":"Input is too long for requested model."}`},
		{Name: "vertex", Wire: anthropic.Wire, Body: "The request size ({bytes} bytes) exceeds 30.000MB limit."},
		{Name: "openai", Body: `{"error":{"message":"This model's maximum context length is {limit} tokens. However, your messages resulted in {used} tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`},
		{Name: "openai-responses", Wire: openai.WireResponses, Body: `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}`},
		{Name: "gemini", Wire: gemini.Wire, Body: "The input token count ({used}) exceeds the maximum number of tokens allowed ({limit})."},
		{Name: "gemini-older", Wire: gemini.Wire, Body: "The input token count exceeds the maximum number of tokens allowed {limit}."},
		{Name: "deepseek", Body: `{"error":{"message":"This model's maximum context length is {limit} tokens. However, you requested {total} tokens ({used} in the messages, {output} in the completion). Please reduce the length of the messages or completion.","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`, WithOutput: true, Reasoning: "reasoning_content"},
		{Name: "vllm", Body: `{"object":"error","message":"This model's maximum context length is {limit} tokens. However, your request has {used} input tokens. Please reduce the length of the input messages.","type":"BadRequestError","param":null,"code":400}`, Reasoning: "reasoning_content", NoKey: true},
		{Name: "litellm", Body: `{"error":{"message":"litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException - This model's maximum context length is {limit} tokens. However, your messages resulted in {used} tokens.","type":"invalid_request_error","param":null,"code":"400"}}`},
		{Name: "xai", Body: `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is {limit} but the request contains {used} tokens."}`, Reasoning: "reasoning_content"},
		{Name: "groq", Body: `{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, Reasoning: "reasoning"},
		{Name: "openrouter", Body: `{"error":{"message":"This endpoint's maximum context length is {limit} tokens. However, you requested about {total} tokens ({used} of text input, {output} in the output). Please reduce the length of either one, or use the \"middle-out\" transform to compress your prompt automatically.","code":400,"metadata":{"provider_name":null}}}`, WithOutput: true, Reasoning: "reasoning", Details: true},
		{Name: "poolside", Body: `{"error":{"message":"Input of {used} tokens exceeds the maximum allowed input length of {limit} tokens","type":"invalid_request_error","code":null}}`},
		{Name: "together", Status: 422, Body: `{"error":{"message":"Input validation error: input ({used} tokens) is longer than the model's context length ({limit} tokens).","type":"invalid_request_error","param":null,"code":null}}`},
		{Name: "copilot", Body: `{"error":{"message":"prompt token count of {used} exceeds the limit of {limit}","code":"model_max_prompt_tokens_exceeded"}}`},
		{Name: "llamacpp", Body: `{"error":{"code":400,"message":"request ({used} tokens) exceeds the available context size ({limit} tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":{used},"n_ctx":{limit}}}`, Reasoning: "reasoning_content", NoKey: true},
		{Name: "lmstudio", Body: `{"error":"Trying to keep the first {used} tokens when context the overflows. However, the model is loaded with context length of only {limit} tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input"}`, NoKey: true},
		{Name: "ollama", Wire: wireOllama, Body: `{"error":"prompt too long; exceeded max context length by {excess} tokens"}`, NoKey: true},
		{Name: "ollama-silent", Silent: CutsOldest, NoKey: true},
		{Name: "minimax", Body: `{"type":"error","error":{"type":"bad_request_error","message":"invalid params, context window exceeds limit (2013)","http_code":"400"}}`},
		{Name: "kimi", Body: `{"error":{"message":"Invalid request: Your request exceeded model token limit: {limit}","type":"invalid_request_error"}}`, Reasoning: "reasoning_content"},
		{Name: "mistral", Body: `{"object":"error","message":"Prompt contains {used} tokens and 0 draft tokens, too large for model with {limit} maximum context length","type":"invalid_request_prompt","param":null,"code":"3051"}`, IDs: wire.IDRule{MinLen: 9, MaxLen: 9}, AnswerAfterResults: true},
		{Name: "dashscope", Body: `{"error":{"message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, {limit}]","type":"invalid_request_error","param":null,"code":"invalid_parameter_error"}}`},
		{Name: "zai", Body: `{"error":{"code":"1261","message":"Prompt exceeds max length"}}`, Reasoning: "reasoning_content"},
		{Name: "zai-silent", Silent: ReadsAll, Reasoning: "reasoning_content"},
		{Name: "cerebras"},
		{Name: "mimo", Silent: SaysNought, Reasoning: "reasoning_content"},
		{Name: "cohere", Body: `{"message":"too many tokens: total number of tokens in the prompt exceeds the limit of {limit}. Try using a shorter prompt."}`},
		{Name: "ds4", Body: `{"error":{"message":"prompt has {used} tokens, but the configured context size is {limit}","type":"invalid_request_error"}}`},
		{Name: "kronk", Body: `{"error":{"message":"input tokens [{used}] exceed context window [{limit}]","type":"invalid_request_error"}}`},
		{Name: "vercel", Body: `{"error":{"message":"Input too long: {used} input tokens, limit is {limit}","type":"invalid_request_error"}}`},
	}
	for i := range all {
		d := &all[i]
		d.Wire, d.Status = cmp.Or(d.Wire, openai.WireChat), cmp.Or(d.Status, 400)
		d.AnyModel = d.Name != "openai" && (d.Wire == openai.WireChat || d.Wire == wireOllama)
	}
	return all
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
