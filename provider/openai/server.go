package openai

import (
	"github.com/stemma-history/stemma/wire"
	wireopenai "github.com/stemma-history/stemma/wire/openai"
)

// A Server speaks Chat Completions in its own way.
type Server struct {
	Name string
	// BaseURL is where it usually is; empty where everyone has an address of
	// their own.
	BaseURL string
	// KeyVars are the environment variables that usually hold the key; the first
	// that is set counts. Empty where none is needed.
	KeyVars []string
	// KeyHeader is the header that holds the key. Default: Authorization.
	KeyHeader string
	Dialect   wireopenai.Dialect
	// Members are put behind every body, each as JSON. Default: none.
	Members []string
	// Session is the member that tells conversations apart, so that the requests
	// of one go to where its beginning is cached; %s stands for its key. Default:
	// none.
	Session string
	// ClaudeCache is the member that has the prompts of Claude cached, which does
	// not do that unasked as others do. Default: none.
	ClaudeCache string
	// Effort is the member that says how hard the model thinks; %s stands for the
	// word. Default: "reasoning_effort":"%s".
	Effort string
	// NoThinking is the member that turns thinking off. Default: it cannot be.
	NoThinking string
}

// compatible returns the dialect of a server that takes what every one takes.
func compatible(name string) wireopenai.Dialect {
	return wireopenai.Dialect{Provider: name, IDs: wireopenai.OpenAI().IDs}
}

// reasoning returns the dialect of a server that wants the thinking of a turn
// back while its tools run.
func reasoning(name, member string) wireopenai.Dialect {
	d := compatible(name)
	d.Reasoning = member
	return d
}

// detailed returns the dialect of a server that gives thinking in details, and
// wants them back. Where there are none it is as reasoning.
func detailed(name, member string) wireopenai.Dialect {
	d := reasoning(name, member)
	d.Details = true
	return d
}

// Compatible returns a server of which nothing is known but that it speaks Chat
// Completions. Details of thinking that it gives go back to it.
func Compatible(name string) Server { return Server{Name: name, Dialect: detailed(name, "")} }

// thinkingOff turns thinking off for DeepSeek, z.ai, Moonshot and MiMo.
const thinkingOff = `"thinking":{"type":"disabled"}`

// Servers returns those that are known, by name. (Addresses, variables and
// quirks: data of pi-ai 1.6.0, the vendors' documentation, and public issues,
// 2026-11; how they cache: documentation of OpenRouter, Vercel and LiteLLM, 2026.)
func Servers() []Server {
	return []Server{
		{
			Name: "azure", KeyVars: []string{"AZURE_OPENAI_API_KEY"}, KeyHeader: "Api-Key",
			Dialect: azure(),
		},
		{
			Name: "cerebras", BaseURL: "https://api.cerebras.ai/v1", KeyVars: []string{"CEREBRAS_API_KEY"},
			Dialect: compatible("cerebras"),
		},
		{
			Name: "cohere", BaseURL: "https://api.cohere.ai/compatibility/v1", KeyVars: []string{"COHERE_API_KEY", "CO_API_KEY"},
			Dialect: compatible("cohere"),
		},
		{
			Name: "dashscope", BaseURL: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", KeyVars: []string{"DASHSCOPE_API_KEY"},
			Dialect: compatible("dashscope"), NoThinking: `"enable_thinking":false`,
		},
		{
			Name: "deepseek", BaseURL: "https://api.deepseek.com/v1", KeyVars: []string{"DEEPSEEK_API_KEY"},
			Dialect: reasoning("deepseek", "reasoning_content"), NoThinking: thinkingOff,
		},
		{
			Name: "fireworks", BaseURL: "https://api.fireworks.ai/inference/v1", KeyVars: []string{"FIREWORKS_API_KEY"},
			Dialect: reasoning("fireworks", "reasoning_content"),
		},
		{
			Name: "groq", BaseURL: "https://api.groq.com/openai/v1", KeyVars: []string{"GROQ_API_KEY"},
			Dialect: compatible("groq"),
		},
		{
			Name: "huggingface", BaseURL: "https://router.huggingface.co/v1", KeyVars: []string{"HF_TOKEN"},
			Dialect: compatible("huggingface"),
		},
		{
			Name: "litellm", BaseURL: "http://127.0.0.1:4000/v1", KeyVars: []string{"LITELLM_API_KEY", "LITELLM_MASTER_KEY"},
			Dialect:     reasoning("litellm", "reasoning_content"),
			ClaudeCache: `"cache_control_injection_points":[{"location":"message","role":"system"},{"location":"message","index":-1}]`,
		},
		{
			Name: "llamacpp", BaseURL: "http://127.0.0.1:8080/v1", KeyVars: []string{"LLAMA_API_KEY"},
			Dialect:    reasoning("llamacpp", "reasoning_content"),
			Members:    []string{`"cache_prompt":true`},
			NoThinking: `"chat_template_kwargs":{"enable_thinking":false}`,
		},
		{
			Name: "lmstudio", BaseURL: "http://127.0.0.1:1234/v1",
			Dialect: compatible("lmstudio"),
		},
		{
			Name: "minimax", BaseURL: "https://api.minimax.io/v1", KeyVars: []string{"MINIMAX_API_KEY"},
			Dialect: detailed("minimax", ""),
		},
		{
			Name: "mistral", BaseURL: "https://api.mistral.ai/v1", KeyVars: []string{"MISTRAL_API_KEY"},
			Dialect: mistral(),
		},
		{
			Name: "moonshot", BaseURL: "https://api.moonshot.ai/v1", KeyVars: []string{"MOONSHOT_API_KEY", "KIMI_API_KEY"},
			Dialect: reasoning("moonshot", "reasoning_content"), NoThinking: thinkingOff,
		},
		{
			Name: "nvidia", BaseURL: "https://integrate.api.nvidia.com/v1", KeyVars: []string{"NVIDIA_API_KEY"},
			Dialect: compatible("nvidia"),
		},
		{
			Name: "openai-chat", BaseURL: BaseURL, KeyVars: []string{"OPENAI_API_KEY"},
			Dialect: wireopenai.OpenAI(), NoThinking: `"reasoning_effort":"none"`,
		},
		{
			Name: "openrouter", BaseURL: "https://openrouter.ai/api/v1", KeyVars: []string{"OPENROUTER_API_KEY"},
			Dialect: detailed("openrouter", "reasoning"),
			// Its default cuts the middle out of what is too long for a small model.
			Members: []string{`"transforms":[]`, `"usage":{"include":true}`},
			Session: `"session_id":"%s"`, ClaudeCache: `"cache_control":{"type":"ephemeral"}`,
			Effort: `"reasoning":{"effort":"%s"}`, NoThinking: `"reasoning":{"enabled":false}`,
		},
		{
			Name: "together", BaseURL: "https://api.together.xyz/v1", KeyVars: []string{"TOGETHER_API_KEY"},
			Dialect: compatible("together"),
		},
		{
			Name: "vercel", BaseURL: "https://ai-gateway.vercel.sh/v1", KeyVars: []string{"AI_GATEWAY_API_KEY"},
			Dialect: detailed("vercel", "reasoning"),
			Members: []string{`"providerOptions":{"gateway":{"caching":"auto"}}`},
			Effort:  `"reasoning":{"effort":"%s"}`, NoThinking: `"reasoning":{"enabled":false}`,
		},
		{
			Name: "vllm", BaseURL: "http://127.0.0.1:8000/v1", KeyVars: []string{"VLLM_API_KEY"},
			Dialect:    reasoning("vllm", "reasoning_content"),
			NoThinking: `"chat_template_kwargs":{"enable_thinking":false}`,
		},
		{
			Name: "xai", BaseURL: "https://api.x.ai/v1", KeyVars: []string{"XAI_API_KEY"},
			Dialect: compatible("xai"),
		},
		{
			Name: "xiaomi", BaseURL: "https://api.xiaomimimo.com/v1", KeyVars: []string{"XIAOMI_API_KEY"},
			Dialect: reasoning("xiaomi", "reasoning_content"), NoThinking: thinkingOff,
		},
		{
			Name: "zai", BaseURL: "https://api.z.ai/api/paas/v4", KeyVars: []string{"ZAI_API_KEY"},
			Dialect: reasoning("zai", "reasoning_content"), NoThinking: thinkingOff,
		},
	}
}

func azure() wireopenai.Dialect {
	d := wireopenai.OpenAI()
	d.Provider = "azure"
	return d
}

// mistral takes ids of nine letters and digits, and an answer between results
// and a prompt. (Error bodies quoted in public issues, 2025 and 2026.)
func mistral() wireopenai.Dialect {
	const idLen = 9
	return wireopenai.Dialect{Provider: "mistral", IDs: wire.IDRule{MinLen: idLen, MaxLen: idLen}, AnswerAfterResults: true}
}
