package wire

import "github.com/stemma-history/stemma/message"

// Limits are what a checker holds a body to beyond its structure: what depends
// on the model, the provider or the account. A zero field refuses nothing. Each
// wire package gives those that hold for every model it speaks to.
type Limits struct {
	// BodyBytes is the longest body.
	BodyBytes int
	// StrictKeys refuses members that the API does not know. Bodies of newer
	// clients fail it.
	StrictKeys bool
	// KnownModel reports whether the provider has a model; nil: any.
	KnownModel func(model string) bool
	// MaxOutput is the most tokens that the model answers with.
	MaxOutput int
	// Tools is the most tools of a request.
	Tools int

	// Media is the most images and document pages of a request.
	Media int
	// ImageBytes is the most that one image may have as it is sent: in base64.
	ImageBytes int
	// SidePx is the longest side of an image, and ManySidePx that of each image
	// where a request has more than ManyImages.
	SidePx, ManyImages, ManySidePx int

	// NoPrefill says that the conversation must not end with an answer.
	NoPrefill bool
	// MidSystem says that the model takes system messages between the others
	// (Anthropic).
	MidSystem bool
	// NoForcedTool says that the model cannot be made to use a tool (Anthropic).
	NoForcedTool bool
	// AdaptiveOnly says that the model thinks as much as it wants: budgets,
	// thinking turned off, and sampling parameters are refused (Anthropic).
	AdaptiveOnly bool
	// Betas are the values of the anthropic-beta header that change what is
	// taken.
	Betas []string
	// CallSignatures says that the first call of each step of the current turn
	// must carry a thought signature (Gemini 3 and later).
	CallSignatures bool
	// Thinking judges each piece of thinking that is sent back; nil: all is
	// genuine and in its place.
	Thinking func(SentThinking) Judgement
}

// SentThinking is a model's thinking as it stands in a body.
type SentThinking struct {
	// Block is the JSON of the block, item or part.
	Block []byte
	// Before holds running hashes of what stands before it, the last of
	// everything: of the frame, then one more for each content block. Thinking
	// and cache marks are left out. Only the anthropic checker fills it.
	Before []message.Hash
	// Previous is the thinking block before it; nil if it is the first.
	Previous []byte
}

// A Judgement is what a provider finds when it looks at thinking.
type Judgement struct {
	Forged bool // not what the provider gave out
	// Moved says that the thinking was made for another conversation, or that
	// what stands before it has changed since.
	Moved bool
	// ChangedAt is where in SentThinking.Before the first change is; -1 if that
	// is not known.
	ChangedAt int
}

// In returns l, or the limits of a wire where l is nil.
func (l *Limits) In(wireLimits Limits) Limits {
	if l == nil {
		return wireLimits
	}
	return *l
}
