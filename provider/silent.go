package provider

import (
	"fmt"

	"github.com/stemma-history/stemma/message"
)

const (
	// leastShare is the least that a whole prompt is billed of what it was taken
	// to cost. Estimates by classes of text are wrong by less.
	leastShare = 0.6
	// smallPrompt is an estimate, in tokens, below which a bill proves nothing:
	// no server has a window that small.
	smallPrompt = 1000
)

// Truncated returns an error where the bill of an answer shows that the provider
// has cut the prompt without a word, as Ollama, z.ai and MiMo do; nil where it
// does not. It looks at the whole prompt, cached or not.
func Truncated(name string, r Request, a Answer) *Error {
	billed := int(a.Usage.Prompt())
	silent := func(format string, args ...any) *Error {
		return &Error{Kind: Overflow, Provider: name, Message: fmt.Sprintf(format, args...),
			Overflow: Excess{Of: OfTokens, Used: max(billed, r.Estimate), Limit: r.Window, Silent: true}}
	}
	switch {
	case billed == 0: // no bill
		return nil
	case r.Window > 0 && billed >= r.Window:
		return silent("the prompt was billed at %d tokens, and the model takes %d: it was cut, or hardly any of the window was left", billed, r.Window)
	case r.Window > 0 && a.Message.Stop == message.StopLength && a.Usage.Output == 0 && billed*100 >= r.Window*99:
		return silent("the answer is empty, and the prompt fills the window of %d tokens: it was cut", r.Window)
	case r.Estimate >= smallPrompt && float64(billed) < leastShare*float64(r.Estimate) && a.Dropped == 0:
		e := silent("the prompt was billed at %d tokens, and should have cost about %d: it was cut", billed, r.Estimate)
		e.Overflow.Limit = billed
		return e
	}
	return nil
}
