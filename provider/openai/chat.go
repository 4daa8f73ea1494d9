package openai

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/provider/internal/draft"
	"github.com/stemma-history/stemma/provider/internal/transport"
	wireopenai "github.com/stemma-history/stemma/wire/openai"
	"github.com/stemma-history/stemma/wire/wires"
)

// BaseURL is the vendor's own address.
const BaseURL = "https://api.openai.com/v1"

// Chat is a server that speaks Chat Completions. It is safe for concurrent use.
type Chat struct {
	client *transport.Client
	url    string
	server Server
}

var _ provider.Provider = (*Chat)(nil)

// NewChat returns a server at the address that the settings say. The error names
// what is wrong with them.
func NewChat(server Server, s provider.Settings) (*Chat, error) {
	s.Name = cmp.Or(s.Name, server.Name)
	base := cmp.Or(s.BaseURL, server.BaseURL)
	if base == "" {
		return nil, fmt.Errorf("%s needs a base URL: it has no address that is the same for all", s.Name)
	}
	url, err := transport.Join(base, "/v1/chat/completions")
	if err != nil {
		return nil, err
	}
	return &Chat{client: transport.New(s, server.auth()), url: url, server: server}, nil
}

func (s Server) auth() func(http.Header, string) {
	if s.KeyHeader == "" {
		return transport.Bearer
	}
	return func(h http.Header, key string) { h.Set(s.KeyHeader, key) }
}

// Name implements [provider.Provider].
func (c *Chat) Name() string { return c.client.Name() }

// Wire implements [provider.Provider].
func (c *Chat) Wire() wires.Wire { return wires.Chat(c.server.Dialect) }

// Send implements [provider.Provider].
func (c *Chat) Send(ctx context.Context, r provider.Request, show func(provider.Delta)) (provider.Answer, error) {
	d := draft.New(show)
	d.Message.Wire = wireopenai.WireChat
	return c.client.Send(ctx, r, transport.Call{
		URL:     c.url,
		Head:    r.Body.JSON[:len(r.Body.JSON)-1],
		Members: c.server.members(r),
	}, d, newChatReader(d))
}

// members returns what goes behind the body. A server that does not know how to
// be asked for a bill or an effort goes without.
func (s Server) members(r provider.Request) []transport.Member {
	all := []transport.Member{
		{JSON: `"stream":true`},
		{JSON: `"stream_options":{"include_usage":true}`, Words: []string{"stream_options"}},
	}
	for _, m := range s.Members {
		all = append(all, optional(m))
	}
	if s.Session != "" && r.CacheKey != "" {
		all = append(all, optional(strings.Replace(s.Session, "%s", word(r.CacheKey), 1)))
	}
	if s.ClaudeCache != "" && strings.Contains(r.Model, "claude") {
		all = append(all, optional(s.ClaudeCache))
	}
	switch {
	case r.ThinkingOff:
		if s.NoThinking != "" {
			all = append(all, optional(s.NoThinking))
		}
	case r.Effort != "":
		all = append(all, optional(strings.Replace(cmp.Or(s.Effort, `"reasoning_effort":"%s"`), "%s", word(r.Effort), 1)))
	}
	return all
}

// optional is a member that a server may refuse by its name. A name that is also
// a plain word counts only where it is marked as a name.
func optional(json string) transport.Member {
	name, _, _ := strings.Cut(strings.TrimPrefix(json, `"`), `"`)
	if strings.Contains(name, "_") {
		return transport.Member{JSON: json, Words: []string{name}}
	}
	return transport.Member{JSON: json, Words: []string{"'" + name, "`" + name, `\"` + name, ": " + name + `"`, name + ": "}}
}

// word makes an effort fit into a JSON string: it is a word.
func word(effort string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == '"' || r == '\\' {
			return -1
		}
		return r
	}, effort)
}
