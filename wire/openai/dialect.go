package openai

import (
	"strconv"
	"strings"

	"github.com/stemma-history/stemma/wire"
)

// A Dialect is how a server speaks Chat Completions. Many speak it, each a
// little differently.
type Dialect struct {
	Provider string // for the words of an error
	// IDs says which ids of calls the server takes. Mistral, for one, wants
	// exactly nine letters and digits.
	IDs wire.IDRule
	// SystemRole is the role of the system prompt. Default: system, which every
	// server knows.
	SystemRole string
	// MaxTokens names the member that limits the answer. Default: max_tokens,
	// which every server knows.
	MaxTokens string
	// Reasoning names the member in which the server wants the thinking of an
	// answer that called tools (DeepSeek: reasoning_content). Default: none is
	// sent.
	Reasoning string
	// Details says that the server wants thinking that came as reasoning_details
	// back as it was, with every answer (OpenRouter, 2026).
	Details bool
	// Cached says that the server takes a cache key, and cache marks for its
	// newer models.
	Cached bool
	// AnswerAfterResults says that the server wants an answer between results
	// and a user's message (Mistral, 2026-07).
	AnswerAfterResults bool
}

// OpenAI returns the dialect of OpenAI's own API.
func OpenAI() Dialect {
	return Dialect{
		Provider:   "openai",
		IDs:        wire.IDRule{MaxLen: maxChatIDLen, Punctuation: wire.AnyPunctuation, Prefix: "call_"},
		SystemRole: "developer",
		MaxTokens:  "max_completion_tokens",
		Cached:     true,
	}
}

const (
	maxChatIDLen  = 40 // error bodies quoted in public issues, 2025 and 2026
	maxCallIDLen  = 64 // the same, of the Responses API, 2026-06
	maxNameLen    = 64
	maxTools      = 128
	noOutput      = "(no output)" // results must say something
	resultsRead   = "I have read the results."
	markBlock     = `,"prompt_cache_breakpoint":{"mode":"explicit"}}`
	pdf           = "application/pdf"
	unnamed       = "document.pdf"
	imageTypeList = "'png', 'jpeg', 'gif', 'webp'"
)

// Limits returns what the API holds every model's requests to. (Vendor's
// documentation, 2026-10.)
func Limits() wire.Limits {
	return wire.Limits{BodyBytes: 512 << 20, Media: 1500, Tools: maxTools}
}

// marked reports whether a model of OpenAI's takes cache marks: from gpt-5.6 on.
// (SDK v3.99.0, 2026-11.)
func marked(model string) bool {
	version, ok := strings.CutPrefix(model, "gpt-")
	if !ok {
		return false
	}
	version, _, _ = strings.Cut(version, "-")
	major, minor, _ := strings.Cut(version, ".")
	a, err := strconv.Atoi(major)
	b, _ := strconv.Atoi(minor)
	return err == nil && (a > 5 || a == 5 && b >= 6)
}

// reasons reports whether a model of OpenAI's thinks. Those that do not refuse a
// request that asks for their thinking.
func reasons(model string) bool {
	for _, old := range []string{"gpt-3", "gpt-4", "chatgpt-"} {
		if strings.HasPrefix(model, old) {
			return false
		}
	}
	return true
}

func imageTypes() []string { return []string{"image/png", "image/jpeg", "image/gif", "image/webp"} }
