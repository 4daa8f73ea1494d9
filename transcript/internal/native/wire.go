package native

import "strings"

// Wires whose thinking a tool may have stored.
const (
	WireAnthropic = "anthropic"
	WireGemini    = "gemini"
	WireResponses = "openai-responses"
)

// Wire returns the wire that a provider's thinking belongs to, as tools name
// their providers, or "" where that cannot be told from the name. A provider
// that serves models of several makers is told apart by the model.
func Wire(provider, model string) string {
	provider, model = strings.ToLower(provider), strings.ToLower(model)
	switch {
	case strings.Contains(provider, "anthropic"), strings.Contains(model, "claude"):
		return WireAnthropic
	case strings.Contains(provider, "google"), strings.Contains(provider, "gemini"), strings.Contains(model, "gemini"):
		return WireGemini
	}
	return ""
}
