package anthropic

import (
	"cmp"
	"context"
	"net/http"

	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/provider/internal/draft"
	"github.com/stemma-history/stemma/provider/internal/transport"
	wireanthropic "github.com/stemma-history/stemma/wire/anthropic"
	"github.com/stemma-history/stemma/wire/wires"
)

// BaseURL is the vendor's own address.
const BaseURL = "https://api.anthropic.com"

// Provider is the API at one address. It is safe for concurrent use.
type Provider struct {
	client *transport.Client
	url    string
}

var _ provider.Provider = (*Provider)(nil)

// New returns the API that the settings say. The error names what is wrong with
// them.
func New(s provider.Settings) (*Provider, error) {
	s.Name = cmp.Or(s.Name, "anthropic")
	url, err := transport.Join(cmp.Or(s.BaseURL, BaseURL), "/v1/messages")
	if err != nil {
		return nil, err
	}
	return &Provider{client: transport.New(s, func(h http.Header, key string) { h.Set("X-Api-Key", key) }), url: url}, nil
}

// Name implements [provider.Provider].
func (p *Provider) Name() string { return p.client.Name() }

// Wire implements [provider.Provider].
func (p *Provider) Wire() wires.Wire {
	w, _ := wires.Named(wireanthropic.Wire) // always known
	return w
}

// Send implements [provider.Provider].
func (p *Provider) Send(ctx context.Context, r provider.Request, show func(provider.Delta)) (provider.Answer, error) {
	d := draft.New(show)
	d.Message.Wire = wireanthropic.Wire
	return p.client.Send(ctx, r, transport.Call{
		URL:     p.url,
		Header:  http.Header{"Anthropic-Version": {"2023-06-01"}},
		Head:    r.Body.JSON[:len(r.Body.JSON)-1],
		Members: members(r, p.client.Model(r.Model)),
	}, d, &reader{Draft: d, window: r.Window})
}
