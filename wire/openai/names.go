package openai

// Names of the two wires in messages and opaque parts.
const (
	WireChat      = "openai-chat"
	WireResponses = "openai-responses"
)
