package gemini

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/provider/internal/draft"
	"github.com/stemma-history/stemma/provider/internal/transport"
	wiregemini "github.com/stemma-history/stemma/wire/gemini"
	"github.com/stemma-history/stemma/wire/wires"
)

// BaseURL is the vendor's own address.
const BaseURL = "https://generativelanguage.googleapis.com/v1beta"

// Provider is the API at one address. It is safe for concurrent use.
type Provider struct {
	client *transport.Client
	base   string
}

var _ provider.Provider = (*Provider)(nil)

// New returns the API that the settings say. The error names what is wrong with
// them.
func New(s provider.Settings) (*Provider, error) {
	s.Name = cmp.Or(s.Name, "gemini")
	p := &Provider{base: cmp.Or(s.BaseURL, BaseURL)}
	if _, err := p.url("model"); err != nil {
		return nil, err
	}
	p.client = transport.New(s, func(h http.Header, key string) { h.Set("X-Goog-Api-Key", key) })
	return p, nil
}

// url returns the address of a model.
func (p *Provider) url(model string) (string, error) {
	return transport.Join(p.base, "/v1beta/models/"+url.PathEscape(strings.TrimPrefix(model, "models/"))+":streamGenerateContent?alt=sse")
}

// Name implements [provider.Provider].
func (p *Provider) Name() string { return p.client.Name() }

// Wire implements [provider.Provider].
func (p *Provider) Wire() wires.Wire {
	w, _ := wires.Named(wiregemini.Wire) // always known
	return w
}

// Send implements [provider.Provider].
func (p *Provider) Send(ctx context.Context, r provider.Request, show func(provider.Delta)) (provider.Answer, error) {
	d := draft.New(show)
	d.Message.Wire = wiregemini.Wire
	address, err := p.url(r.Model)
	if err != nil {
		return d.Answer, &provider.Error{Kind: provider.Invalid, Provider: p.Name(), Err: err}
	}
	head, config := split(r.Body.JSON)
	return p.client.Send(ctx, r, transport.Call{URL: address, Head: head, Members: members(r, p.client.Model(r.Model), config)}, d, newReader(d))
}
