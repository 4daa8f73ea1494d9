// Package providers names the providers, for those who learn at run time which
// one a model is at.
package providers

import (
	"fmt"
	"strings"

	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/provider/anthropic"
	"github.com/stemma-history/stemma/provider/gemini"
	"github.com/stemma-history/stemma/provider/ollama"
	"github.com/stemma-history/stemma/provider/openai"
)

// CompatibleName is that of a server of which nothing is known but that it
// speaks Chat Completions. It needs a base URL.
const CompatibleName = "openai-compatible"

// An Entry is a provider that is known.
type Entry struct {
	Name string
	// BaseURL is where it usually is; empty where everyone has an address of
	// their own.
	BaseURL string
	// KeyVars are the environment variables that usually hold the key; the first
	// that is set counts. Empty where none is needed. Reading them is up to the
	// program.
	KeyVars []string
	// New returns the provider at the address that the settings say.
	New func(provider.Settings) (provider.Provider, error)
}

// All returns the providers, the vendors with APIs of their own first, then the
// servers that speak Chat Completions, by name.
func All() []Entry {
	all := []Entry{
		{"anthropic", anthropic.BaseURL, []string{"ANTHROPIC_API_KEY"}, as(anthropic.New)},
		{"openai", openai.BaseURL, []string{"OPENAI_API_KEY"}, as(openai.NewResponses)},
		{"gemini", gemini.BaseURL, []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, as(gemini.New)},
		{"ollama", ollama.BaseURL, []string{"OLLAMA_API_KEY"}, as(ollama.New)},
	}
	for _, s := range append(openai.Servers(), openai.Compatible(CompatibleName)) {
		all = append(all, Entry{s.Name, s.BaseURL, s.KeyVars, as(func(settings provider.Settings) (*openai.Chat, error) {
			return openai.NewChat(s, settings)
		})})
	}
	return all
}

// as makes a constructor return the interface, nil where there is an error.
func as[P provider.Provider](newProvider func(provider.Settings) (P, error)) func(provider.Settings) (provider.Provider, error) {
	return func(s provider.Settings) (provider.Provider, error) {
		p, err := newProvider(s)
		if err != nil {
			return nil, err
		}
		return p, nil
	}
}

// Named returns the provider with a name, at the address that the settings say.
func Named(name string, s provider.Settings) (provider.Provider, error) {
	var names []string
	for _, e := range All() {
		if e.Name == name {
			return e.New(s)
		}
		names = append(names, e.Name)
	}
	return nil, fmt.Errorf("provider %q is not known: expected one of %s", name, strings.Join(names, ", "))
}
