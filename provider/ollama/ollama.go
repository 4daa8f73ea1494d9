package ollama

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/provider/internal/draft"
	"github.com/stemma-history/stemma/provider/internal/transport"
	wireopenai "github.com/stemma-history/stemma/wire/openai"
	"github.com/stemma-history/stemma/wire/wires"
)

// BaseURL is where it usually is.
const BaseURL = "http://127.0.0.1:11434"

// Provider is one server. It is safe for concurrent use.
type Provider struct {
	client *transport.Client
	url    string       // of the chat
	tags   string       // of the list of models
	http   *http.Client // for that list
}

var _ provider.Provider = (*Provider)(nil)

// New returns the server at the address that the settings say. The error names
// what is wrong with them.
func New(s provider.Settings) (*Provider, error) {
	s.Name = cmp.Or(s.Name, "ollama")
	base := strings.TrimSuffix(strings.TrimSuffix(cmp.Or(s.BaseURL, BaseURL), "/"), "/v1") // its other API
	url, err := transport.Join(base, "/api/chat")
	if err != nil {
		return nil, err
	}
	tags, err := transport.Join(base, "/api/tags")
	if err != nil {
		return nil, err
	}
	return &Provider{client: transport.New(s, transport.Bearer), url: url, tags: tags, http: cmp.Or(s.HTTP, http.DefaultClient)}, nil
}

// Name implements [provider.Provider].
func (p *Provider) Name() string { return p.client.Name() }

// Wire implements [provider.Provider].
func (p *Provider) Wire() wires.Wire {
	return wires.Chat(wireopenai.Dialect{Provider: "ollama", IDs: wireopenai.OpenAI().IDs, Reasoning: "thinking"})
}

// Send implements [provider.Provider].
func (p *Provider) Send(ctx context.Context, r provider.Request, show func(provider.Delta)) (provider.Answer, error) {
	d := draft.New(show)
	d.Message.Wire = wireopenai.WireChat
	head, err := translate(r.Body.JSON, r.Window)
	if err != nil {
		return d.Answer, &provider.Error{Kind: provider.Invalid, Provider: p.Name(), Message: "the body is none of this provider's wire", Err: err}
	}
	return p.client.Send(ctx, r, transport.Call{URL: p.url, Head: head, Members: members(r), Lines: true}, d, &reader{Draft: d})
}

// members returns what goes behind the body. Models that think are told by a
// word, or only whether; others refuse to be told.
func members(r provider.Request) []transport.Member {
	all := []transport.Member{{JSON: `"stream":true,"truncate":false,"shift":false`}}
	think := func(value string) transport.Member {
		return transport.Member{JSON: `"think":` + value, Words: []string{"does not support thinking", "think value", "invalid think"}}
	}
	switch {
	case r.ThinkingOff:
		all = append(all, think("false"))
	case r.Effort != "":
		m, plain := think(string(rawjson.AppendString(nil, r.Effort))), think("true")
		m.Else = &plain
		all = append(all, m)
	}
	return all
}
