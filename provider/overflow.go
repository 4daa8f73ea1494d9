package provider

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// A rule is how a server says that a request is too large.
type rule struct {
	means Excess // but for its numbers
	words *regexp.Regexp
}

// excesses returns the rules; the first that matches wins, so those with
// numbers stand before those without. They match lower-case text. {used} and
// {limit} are numbers; {more} is added to what is used, {less} is taken from
// the limit, {mb} is a limit in millions of bytes, {below} the first number that
// is too large. Sources: pi-ai 1.6.0 and opencode 1.18.33 (2026-11), fantasy
// 0.42 (2026), the vendors' documentation, and bodies quoted in public issues
// of 2025 and 2026.
var excesses = sync.OnceValue(func() []rule {
	var rules []rule
	for _, group := range []struct {
		means Excess
		words []string
	}{
		{Excess{Of: OfOutput}, []string{
			`max_tokens: {used} > {limit}, which is the maximum allowed number of output tokens`,                                    // Anthropic
			`is too large: {used}\. this model's maximum context length is {limit} tokens and your request has {less} input tokens`, // vLLM
			`max(?:_completion|_output)?_tokens['"]? is too large(?:: {used}\. this model supports at most {limit})?`,               // OpenAI
			`maxoutputtokens value of {used} but the supported range is from 1 \(inclusive\) to {below} \(exclusive\)`,              // Gemini
		}},
		{Excess{Of: OfImages}, []string{
			`image exceeds [\d.]+ ?mb maximum: {used} bytes > {limit} bytes`,                             // Anthropic
			`image dimensions exceed max allowed size(?: for many-image requests)?: {limit} pixels`,      // Anthropic
			`too much media: {more} document pages \+ {used} images > {limit}`,                           // Anthropic
			`too many images(?:.*at most {limit}, but got {used})?`,                                      // OpenAI
			`has {used} images, but at most {limit} are supported`,                                       // Gemini
			`at most {limit} image\(?s?\)? may be provided`,                                              // vLLM
			`image_dimensions_too_large`,                                                                 // Anthropic, the code since 2026-11
			`could not process image|image cannot be empty|image does not match the provided media type`, // Anthropic
		}},
		{Excess{Of: OfImages, Blind: true}, []string{
			`no endpoints found that support image`, // OpenRouter, MiMo, Copilot
			`(?:does not|doesn't|do not) support (?:image|vision)|image input is not supported|is not a multimodal model`,
			"unknown variant [`'\"]?image_url", // DeepSeek and other servers in Rust
		}},
		{Excess{Of: OfTokens}, []string{ // with numbers
			`prompt is too long: {used} tokens > {limit} maximum`,                                         // Anthropic
			"input length and [`'\"]?max_tokens[`'\"]? exceed context limit: {used} \\+ {more} > {limit}", // Anthropic, older models
			// vLLM, where it counts the answer; the same of OpenAI, DeepSeek, OpenRouter and others.
			`maximum context length is {limit} tokens[.,;]? (?:however, )?you requested {more} output tokens and your prompt contains (?:at least )?{used}`,
			`maximum context length is {limit} tokens[.,;]? (?:however, )?(?:but )?(?:your messages resulted in|you requested(?: about)?|your request has|your prompt contains(?: at least)?|requested) {used}`,

			`you passed {used} input tokens.*context length is only {limit} tokens`,                          // vLLM
			`input token count \({used}\) exceeds the maximum number of tokens allowed \({limit}\)`,          // Gemini
			`input token count exceeds the maximum number of tokens allowed {limit}`,                         // Gemini, older
			`maximum prompt length is {limit} but the request contains {used}`,                               // xAI
			`maximum prompt length is {limit}`,                                                               // xAI
			`input \({used} tokens\) is longer than the model'?s context length \({limit} tokens\)`,          // Together
			`prompt token count of {used} exceeds the limit of {limit}`,                                      // GitHub Copilot
			`request \({used} tokens\) exceeds the available context size \({limit} tokens\)`,                // llama.cpp
			`keep the first {used} tokens when context the overflows.*context length of only {limit} tokens`, // LM Studio
			`loaded with context length of only {limit}`,                                                     // LM Studio
			`prompt contains {used} tokens.*too large for model with {limit} maximum context length`,         // Mistral
			`too large for model with {limit} maximum context length`,                                        // Mistral
			`range of input length should be \[\d+, ?{limit}\]`,                                              // DashScope
			`(?:input of {used} tokens )?exceeds (?:the )?maximum allowed input length of {limit} tokens?`,   // Poolside
			`(?:too many tokens|total number of tokens).*exceeds the limit of {limit}`,                       // Cohere
			`exceeded model token limit: {limit}(?: \(requested: {used}\))?`,                                 // Moonshot
			`prompt has {used} tokens?, but the configured context size is {limit}`,                          // DS4
			`input tokens \[{used}\] exceed context window \[{limit}\]`,                                      // kronk
			`input too long: {used} input tokens, limit is {limit}`,                                          // Vercel
			`request too long: {used} input tokens over the limit of {limit}`,
			`context limit is {limit} tokens; prompt={used}`,
			`context length is only {limit} tokens`,
			`maximum context length is {limit} tokens`,
			`exceeds (?:the )?(?:model'?s )?maximum context length(?: of {limit} tokens?|\s*\({limit}\))`, // LiteLLM
		}},
		{Excess{Of: OfTokens}, []string{ // without
			`prompt (?:is )?too long|prompt exceeds max length`,            // Anthropic, z.ai, Ollama
			`prompt is longer than the context length currently available`, // Ollama
			`input is too long`, // Bedrock
			`context[_ ]length[_ ]exceeded|exceeds the context window`,                                 // OpenAI
			`contextwindowexceedederror|context window exceeded|context window exceeds limit`,          // LiteLLM, MiniMax
			`input token count.*exceeds the maximum`,                                                   // Gemini
			`reduce the length of the messages`,                                                        // Groq
			`exceeds the available context size|exceed_context_size_error`,                             // llama.cpp
			`greater than the context length|tokens to keep from the initial prompt`,                   // LM Studio
			`model_max_prompt_tokens_exceeded`,                                                         // GitHub Copilot
			`exceeded model token limit`,                                                               // Moonshot
			`too many tokens`,                                                                          // Cohere
			`token limit exceeded|model_context_window_exceeded|input length.*exceeds.*context length`, // several
		}},
		{Excess{Of: OfBytes}, []string{
			`request size \({used} bytes\) exceeds(?: {mb} ?mb limit)?`,                   // Vertex
			`payload size exceeds the limit: {limit} bytes`,                               // Gemini
			`request_too_large|exceeds the maximum (?:allowed )?(?:size|number of bytes)`, // Anthropic's edge
			`request entity too large|payload too large|request body too large|^413`,      // proxies
		}},
	} {
		for _, words := range group.words {
			rules = append(rules, rule{group.means, regexp.MustCompile(`(?s)` + numbers.Replace(words))})
		}
	}
	return rules
})

var numbers = strings.NewReplacer(
	`{used}`, `(?P<used>\d[\d,]*)`, `{more}`, `(?P<more>\d[\d,]*)`,
	`{limit}`, `(?P<limit>\d[\d,]*)`, `{less}`, `(?P<less>\d[\d,]*)`, `{below}`, `(?P<below>\d[\d,]*)`,
	`{mb}`, `(?P<mb>\d[\d.]*)`,
)

// busy matches what is about the number of requests, even where it speaks of
// tokens: Groq refuses with 413 what is too large for a minute.
var busy = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:throttling error|service unavailable):|rate limit|too many requests|tokens per minute|\(tpm\)`)
})

// read puts the numbers of a match into an excess.
func read(words *regexp.Regexp, match []string, e Excess) Excess {
	for i, name := range words.SubexpNames() {
		if name == "" || match[i] == "" {
			continue
		}
		n, _ := strconv.ParseFloat(strings.ReplaceAll(match[i], ",", ""), 64)
		number := int(min(n, math.MaxInt32))
		switch name {
		case "used", "more":
			e.Used += number
		case "limit":
			e.Limit += number
		case "less":
			e.Limit -= number
		case "below":
			e.Limit += number - 1
		case "mb":
			e.Limit = int(n * 1e6)
		}
	}
	e.Limit = max(e.Limit, 0)
	return e
}
