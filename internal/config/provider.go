package config

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/provider/anthropic"
	"github.com/stemma-history/stemma/provider/gemini"
	"github.com/stemma-history/stemma/provider/ollama"
	"github.com/stemma-history/stemma/provider/openai"
	"github.com/stemma-history/stemma/provider/providers"
)

// A Provider is what is set of one: a known one where its name is, or one of a
// kind. What is not set is as that is.
type Provider struct {
	Name       string
	Kind       string // anthropic, openai-chat, openai-responses, gemini or ollama
	BaseURL    string
	KeyEnv     string // the variable that has the key
	KeyCommand string // prints the key; run by the shell
	Headers    map[string]string
	Dialect    string // of a server that speaks openai-chat, such as vllm
}

// The APIs that providers speak.
const (
	kindAnthropic = "anthropic"
	kindChat      = "openai-chat"
	kindResponses = "openai-responses"
	kindGemini    = "gemini"
	kindOllama    = "ollama"
)

var kinds = []string{kindAnthropic, kindChat, kindResponses, kindGemini, kindOllama}

// baseVariables are those that the vendors' own clients read for their address.
var baseVariables = map[string]string{
	"anthropic": "ANTHROPIC_BASE_URL",
	"openai":    "OPENAI_BASE_URL",
	"gemini":    "GOOGLE_GEMINI_BASE_URL",
	"ollama":    "OLLAMA_HOST",
}

// vendors are the providers of models whose maker goes by another name in the
// catalogue.
var vendors = map[string]string{"google": "gemini", "z.ai": "zai"}

// Reached is a model at a provider.
type Reached struct {
	Provider string
	Model    string // as the provider calls it
	Known    catalog.Model
	Exact    bool // the catalogue lists the model itself; else what it resembles
}

// Reach returns where a model is: at the provider that is set, at the one that
// its name begins with (openrouter/anthropic/claude-opus-5), or at its maker.
func (c *Config) Reach(model string) (Reached, error) {
	models, err := c.Catalog()
	if err != nil {
		return Reached{}, err
	}
	r := Reached{Provider: c.Provider, Model: model}
	begin, rest, cut := strings.Cut(model, "/")
	if cut && (r.Provider == "" || r.Provider == begin) && c.knows(begin) {
		r.Provider, r.Model = begin, rest
	}
	r.Known, r.Exact, _ = models.Find(r.Model)
	if r.Provider == "" {
		r.Provider = cmp.Or(vendors[r.Known.Provider], r.Known.Provider)
		if !c.knows(r.Provider) {
			return r, fmt.Errorf("model %s: its provider is not known: set provider, or name it before the model, as in openrouter/%[1]s", model)
		}
	}
	return r, nil
}

// knows reports whether a name is that of a provider.
func (c *Config) knows(name string) bool {
	_, known := knownProvider(name)
	return known || c.Providers[name] != nil
}

func knownProvider(name string) (providers.Entry, bool) {
	all := providers.All()
	i := slices.IndexFunc(all, func(e providers.Entry) bool { return e.Name == name })
	if i < 0 {
		return providers.Entry{}, false
	}
	return all[i], true
}

// Open returns the provider with a name, as it is set. The client makes its
// requests. A key is looked for when a request is made.
func (c *Config) Open(name string, client *http.Client) (provider.Provider, error) {
	p := Provider{Name: name}
	if set := c.Providers[name]; set != nil {
		p = *set
	}
	known, isKnown := knownProvider(name)
	models, err := c.Catalog()
	if err != nil {
		return nil, err
	}
	s := provider.Settings{Name: name, BaseURL: c.baseURL(&p), Key: c.keyOf(&p), HTTP: client, Catalog: models}
	if len(p.Headers) > 0 {
		s.Header = http.Header{}
		for header, value := range p.Headers {
			s.Header.Set(header, value)
		}
	}
	if p.Dialect == "" { // a server with one speaks openai-chat
		p.Kind = cmp.Or(p.Kind, c.Wire)
	}
	if isKnown && p.Kind == "" && p.Dialect == "" {
		return known.New(s)
	}
	s.BaseURL = cmp.Or(s.BaseURL, known.BaseURL)
	return p.openKind(s)
}

func (p *Provider) openKind(s provider.Settings) (provider.Provider, error) {
	switch p.Kind {
	case kindAnthropic:
		return opened(anthropic.New(s))
	case kindResponses:
		return opened(openai.NewResponses(s))
	case kindGemini:
		return opened(gemini.New(s))
	case kindOllama:
		return opened(ollama.New(s))
	case "", kindChat:
		if p.Kind == "" && p.Dialect == "" {
			break
		}
		server := openai.Compatible(p.Name)
		for _, each := range openai.Servers() {
			if each.Name == cmp.Or(p.Dialect, p.Name) {
				server = each
			}
		}
		server.Name = p.Name
		return opened(openai.NewChat(server, s))
	}
	return nil, fmt.Errorf("provider %s is not known: set providers.%[1]s.kind to %s, and base_url; or take one of the known ones: %s", p.Name, strings.Join(kinds, ", "), strings.Join(knownNames(), ", "))
}

// opened makes a constructor's result one of the interface.
func opened[P provider.Provider](p P, err error) (provider.Provider, error) {
	if err != nil {
		return nil, err
	}
	return p, nil
}

func knownNames() []string {
	var names []string
	for _, e := range providers.All() {
		names = append(names, e.Name)
	}
	return names
}

// baseURL returns the address: a flag or variable of ours, the variable of the
// vendor, what is set for this provider, or "" for its own.
func (c *Config) baseURL(p *Provider) string {
	usual := c.environment[baseVariables[p.Name]]
	if p.Name == "ollama" && usual != "" && !strings.Contains(usual, "://") {
		usual = "http://" + usual // Ollama takes HOST:PORT
	}
	if origin := c.Origin("base_url").Kind; origin == ByFlag || origin == ByEnvironment {
		return c.BaseURL
	}
	return cmp.Or(usual, p.BaseURL, c.BaseURL)
}
