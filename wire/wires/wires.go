// Package wires names the wires, for those who learn at run time which one a
// model speaks.
package wires

import (
	"fmt"
	"strings"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/anthropic"
	"github.com/stemma-history/stemma/wire/gemini"
	"github.com/stemma-history/stemma/wire/openai"
)

// A Wire is one way of speaking to models.
type Wire struct {
	Name string // as in frames, messages and opaque parts
	// NewSession returns what writes the requests of a run.
	NewSession func() wire.Session
	// Check returns the provider's refusal of a body, nil if there is none.
	Check func(body []byte, limits wire.Limits) *wire.Refusal
	// Limits are those that hold for every model.
	Limits func() wire.Limits
}

// Encode returns the body of one request, checked.
func (w Wire) Encode(r wire.Request) (wire.Body, error) { return w.NewSession().Encode(r) }

// Seals returns the seals of the thinking in an answer to a request.
func (w Wire) Seals(r wire.Request, answer message.Message) ([]message.Hash, error) {
	return w.NewSession().Seals(r, answer)
}

// All returns the wires, in the order in which help names them.
func All() []Wire {
	return []Wire{
		{anthropic.Wire, anthropic.NewSession, anthropic.Check, anthropic.Limits},
		Chat(openai.OpenAI()),
		{openai.WireResponses, openai.NewResponsesSession, openai.CheckResponses, openai.Limits},
		{gemini.Wire, gemini.NewSession, gemini.Check, gemini.Limits},
	}
}

// Chat returns Chat Completions as a server speaks it.
func Chat(d openai.Dialect) Wire {
	return Wire{openai.WireChat, d.NewSession, openai.CheckChat, openai.Limits}
}

// Named returns the wire with a name.
func Named(name string) (Wire, error) {
	var names []string
	for _, w := range All() {
		if w.Name == name {
			return w, nil
		}
		names = append(names, w.Name)
	}
	return Wire{}, fmt.Errorf("wire %q is not known: expected one of %s", name, strings.Join(names, ", "))
}
