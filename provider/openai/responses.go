package openai

import (
	"cmp"
	"context"
	"fmt"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/provider/internal/draft"
	"github.com/stemma-history/stemma/provider/internal/transport"
	wireopenai "github.com/stemma-history/stemma/wire/openai"
	"github.com/stemma-history/stemma/wire/wires"
)

// Responses is a server that speaks the Responses API. It is safe for concurrent
// use.
type Responses struct {
	client *transport.Client
	url    string
}

var _ provider.Provider = (*Responses)(nil)

// NewResponses returns a server at the address that the settings say, the
// vendor's own by default. The error names what is wrong with them.
func NewResponses(s provider.Settings) (*Responses, error) {
	s.Name = cmp.Or(s.Name, "openai")
	url, err := transport.Join(cmp.Or(s.BaseURL, BaseURL), "/v1/responses")
	if err != nil {
		return nil, err
	}
	return &Responses{client: transport.New(s, transport.Bearer), url: url}, nil
}

// Name implements [provider.Provider].
func (p *Responses) Name() string { return p.client.Name() }

// Wire implements [provider.Provider].
func (p *Responses) Wire() wires.Wire {
	w, _ := wires.Named(wireopenai.WireResponses) // always known
	return w
}

// Send implements [provider.Provider].
func (p *Responses) Send(ctx context.Context, r provider.Request, show func(provider.Delta)) (provider.Answer, error) {
	d := draft.New(show)
	d.Message.Wire = wireopenai.WireResponses
	return p.client.Send(ctx, r, transport.Call{
		URL:     p.url,
		Head:    r.Body.JSON[:len(r.Body.JSON)-1],
		Members: responsesMembers(r, p.client.Model(r.Model)),
	}, d, &responsesReader{Draft: d})
}

// responsesMembers returns what goes behind the body. A summary of the thinking
// is shown to verified organisations only. (Error bodies quoted in public
// issues, 2025 and 2026.)
func responsesMembers(r provider.Request, m catalog.Model) []transport.Member {
	all := []transport.Member{{JSON: `"stream":true`}}
	if m.Thinking == "" && r.Effort == "" {
		return all
	}
	words := []string{"reasoning.effort", "'reasoning'", "reasoning_effort"}
	withSummary := append(words, "reasoning.summary", "reasoning summaries")
	effort := word(r.Effort)
	if r.ThinkingOff {
		effort = "none"
	}
	plain := &transport.Member{JSON: fmt.Sprintf(`"reasoning":{"effort":"%s"}`, effort), Words: words}
	switch {
	case r.ThinkingOff:
		return append(all, *plain)
	case effort == "":
		return append(all, transport.Member{JSON: `"reasoning":{"summary":"auto"}`, Words: withSummary})
	}
	return append(all, transport.Member{JSON: fmt.Sprintf(`"reasoning":{"effort":"%s","summary":"auto"}`, effort), Words: withSummary, Else: plain})
}
