// Package provider speaks to models.
//
// A Provider sends the body of a request, written by package wire, and reads
// the answer while it streams. What goes wrong comes back as an [*Error] whose
// kind says what a run can do about it: make the request smaller, wait, ask the
// person. [Classify] knows the words of some thirty servers, [Truncated] what is
// in none, and [Retrying] sends again what may pass (promise P2: what cannot be
// sent is understood; P11 builds on the numbers). The packages below this one
// speak a wire each over HTTP; providers names them, and providertest plays the
// other side as strictly as the real ones.
package provider

import (
	"context"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/wires"
)

// A Provider answers requests at one address, over one wire. It is safe for
// concurrent use.
type Provider interface {
	// Name is what people call it: anthropic, openrouter, ollama.
	Name() string
	// Wire writes and checks the bodies that it takes, its dialect included.
	Wire() wires.Wire
	// Send sends a request and reads the answer. show is called with each piece
	// as it comes, one call at a time, and not after Send returned; nil shows
	// nothing.
	//
	// The error is an [*Error], or that of ctx where it was cancelled. The
	// answer then holds what had come: its message has Stop set, and calls whose
	// arguments were cut.
	Send(ctx context.Context, r Request, show func(Delta)) (Answer, error)
}

// A Request is a body on its way.
type Request struct {
	Model string
	// Body was written by the provider's wire.
	Body wire.Body
	// Effort is how hard the model thinks: low, medium, high, or a provider's
	// own word. Default: the model's own.
	Effort string
	// ThinkingOff asks for an answer without thinking, where the model can.
	ThinkingOff bool
	// CacheKey is the same for the requests of a conversation and its forks.
	CacheKey string
	// Estimate is what the prompt was taken to cost, in tokens, and Window what
	// the model accepts. An answer whose bill fits neither shows that the
	// provider has cut the prompt without a word. 0: not known.
	Estimate, Window int
}

// A Delta is a piece of an answer that is under way.
type Delta struct {
	Kind DeltaKind
	// Part is the index of the part in the answer's message.
	Part int
	// Text is the next piece: of a text, of thinking, of the JSON of a call's
	// arguments. For CallBegins it is the tool's name.
	Text string
}

// A DeltaKind says what a Delta is a piece of.
type DeltaKind int

const (
	TextDelta DeltaKind = iota
	ThinkingDelta
	CallBegins
	ArgumentsDelta
)

// An Answer is what came back.
type Answer struct {
	// Message has role, author, wire, model and stop set. Its parts are what a
	// later request sends back byte for byte.
	Message message.Message
	Usage   history.Usage
	// Dropped is how many thinking blocks of the request the provider says that
	// it left out, because what stands before them has changed.
	Dropped int
}
