package providertest

import (
	"fmt"

	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/anthropic"
	"github.com/stemma-history/stemma/wire/gemini"
	"github.com/stemma-history/stemma/wire/openai"
)

// A speaker is one wire, seen from the provider's side.
type speaker struct {
	name   string
	check  func(body []byte, l wire.Limits) *wire.Refusal
	limits func() wire.Limits
	read   func(body []byte) *prompt
	// whole is an answer in one piece, stream in frames: what is sent at once.
	whole  func(*reply) []byte
	stream func(*reply, Chunks) [][]byte
	// envelope is what a refusal looks like, failed the same in a stream.
	envelope func(r *wire.Refusal, requestID string) []byte
	failed   func(*reply, *wire.Refusal) []byte
	// media is the type of a stream.
	media string
}

const eventStream = "text/event-stream; charset=utf-8"

func speakerOf(wireName string) speaker {
	switch wireName {
	case anthropic.Wire:
		return speaker{wireName, anthropic.Check, anthropic.Limits, readAnthropic, wholeAnthropic, streamAnthropic, envelopeAnthropic, failedAnthropic, eventStream}
	case openai.WireChat:
		return speaker{wireName, openai.CheckChat, openai.Limits, readChat, wholeChat, streamChat, envelopeOpenAI, failedChat, eventStream}
	case openai.WireResponses:
		return speaker{wireName, openai.CheckResponses, openai.Limits, readResponses, wholeResponses, streamResponses, envelopeOpenAI, failedResponses, eventStream}
	case gemini.Wire:
		return speaker{wireName, gemini.Check, gemini.Limits, readGemini, wholeGemini, streamGemini, envelopeGemini, failedGemini, eventStream}
	}
	return speaker{wireOllama, checkOllama, func() wire.Limits { return wire.Limits{} }, readOllama, wholeOllama, streamOllama, envelopeOllama, failedOllama, "application/x-ndjson"}
}

// event is a frame of a stream of server-sent events; without a name it has
// data only.
func event(name string, data any) []byte {
	if name == "" {
		return fmt.Appendf(nil, "data: %s\n\n", encode(data))
	}
	return fmt.Appendf(nil, "event: %s\ndata: %s\n\n", name, encode(data))
}

// pieces cuts a text into runs of n characters.
func pieces(text string, n int) []string {
	var cut []string
	start, count := 0, 0
	for i := range text {
		if count == n {
			cut = append(cut, text[start:i])
			start, count = i, 0
		}
		count++
	}
	if start < len(text) {
		cut = append(cut, text[start:])
	}
	return cut
}
