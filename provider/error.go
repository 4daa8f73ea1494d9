package provider

import (
	"fmt"
	"time"
)

// A Kind is what a run can do about an error.
type Kind string

const (
	// Overflow: the request is too large. See [Error.Overflow] for what of it.
	Overflow Kind = "overflow"
	// RateLimit: too many requests. Wait for RetryAfter.
	RateLimit Kind = "rate_limit"
	// Overloaded: the provider is busy or failed on its side. Wait, and try again.
	Overloaded Kind = "overloaded"
	// Network: no answer, or one that was cut.
	Network Kind = "network"
	// Auth: the key is missing, wrong, or not allowed to do this; or the account
	// has to be paid.
	Auth Kind = "auth"
	// Invalid: the provider does not take the request as it is. Sending it again
	// does not help.
	Invalid Kind = "invalid"
	// Declined: the provider does not want to answer. (A model that does not
	// want to gives an answer, with [message.StopRefusal].)
	Declined Kind = "declined"
)

// An Error is a provider's no.
type Error struct {
	Kind     Kind
	Provider string
	Status   int    // HTTP status; 0 where there was none
	Message  string // the provider's own words
	// Overflow is set where Kind is Overflow.
	Overflow Excess
	// RetryAfter is how long the provider asks to wait, 0 where it does not say.
	RetryAfter time.Duration
	// Final says that trying again does not help, by the provider's own word.
	Final bool
	// Shown says that a piece of an answer had been shown: the request must not
	// be repeated unsaid.
	Shown     bool
	RequestID string // for the provider's support
	Err       error  // what is below, such as a network error
}

// An Excess is what of a request is too large.
type Excess struct {
	Of Measure
	// Used and Limit are in the unit of Of, 0 where the refusal has no numbers.
	Used, Limit int
	// Blind says that the model reads no images at all.
	Blind bool
	// Silent says that nothing was refused: the bill shows that the provider
	// cut the prompt.
	Silent bool
}

// A Measure is what a limit counts.
type Measure string

const (
	// OfTokens: of the prompt, or of the prompt and the answer that was asked for.
	OfTokens Measure = "tokens"
	// OfBytes: of the body.
	OfBytes Measure = "bytes"
	// OfImages: their number, size in pixels, or bytes; or the model reads none.
	OfImages Measure = "images"
	// OfOutput: the answer may not be as long as was asked for, in tokens.
	OfOutput Measure = "output"
)

func (e *Error) Error() string {
	what := e.Message
	switch {
	case what != "":
	case e.Err != nil:
		what = e.Err.Error()
	case e.Kind == Overflow:
		what = fmt.Sprintf("the request is too large (%s)", e.Overflow.Of)
	default:
		what = "refused without a word"
	}
	if e.Status != 0 {
		return fmt.Sprintf("%s: %s (HTTP %d)", e.Provider, what, e.Status)
	}
	return fmt.Sprintf("%s: %s", e.Provider, what)
}

func (e *Error) Unwrap() error { return e.Err }

// Again reports whether the same request may succeed later.
func (e *Error) Again() bool {
	return !e.Final && (e.Kind == RateLimit || e.Kind == Overloaded || e.Kind == Network)
}
