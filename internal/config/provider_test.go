package config

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/wire"
)

// A recorder answers every request with an error, and keeps the last.
type recorder struct{ last *http.Request }

func (r *recorder) RoundTrip(q *http.Request) (*http.Response, error) {
	r.last = q
	return nil, errors.New("no network")
}

// requested returns what goes out to a provider.
func requested(t *testing.T, c *Config, name string) (*http.Request, error) {
	t.Helper()
	var r recorder
	p, err := c.Open(name, &http.Client{Transport: &r})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Send(context.Background(), provider.Request{Model: "m", Body: wire.Body{JSON: []byte(`{"model":"m"}`)}}, nil)
	return r.last, err
}

func TestProvidersAreReachedAsTheyAreSet(t *testing.T) {
	for _, test := range []struct {
		content, environment, provider string
		url, header, value             string
	}{
		{"", "ANTHROPIC_API_KEY=k", "anthropic", "https://api.anthropic.com/v1/messages", "X-Api-Key", "k"},
		{"", "OPENAI_API_KEY=k", "openai", "https://api.openai.com/v1/responses", "Authorization", "Bearer k"},
		{"[providers.anthropic]\nbase_url = \"http://proxy\"\nkey_command = \"echo k\"", "", "anthropic", "http://proxy/v1/messages", "X-Api-Key", "k"},
		{"[providers.anthropic]\nbase_url = \"http://proxy\"", "ANTHROPIC_BASE_URL=http://other", "anthropic", "http://other/v1/messages", "", ""},
		{"[providers.anthropic]\nbase_url = \"http://proxy\"", "STEMMA_BASE_URL=http://ours", "anthropic", "http://ours/v1/messages", "", ""},
		{"[providers.x]\nkind = \"openai-chat\"\nbase_url = \"http://x/v1\"\nkey_env = \"X\"\nheaders = { \"X-Team\" = \"t\" }", "X=k", "x", "http://x/v1/chat/completions", "X-Team", "t"},
		{"[providers.x]\ndialect = \"vllm\"\nbase_url = \"http://x/v1\"", "", "x", "http://x/v1/chat/completions", "", ""},
		{"wire = \"anthropic\"\n[providers.x]\ndialect = \"vllm\"\nbase_url = \"http://x/v1\"", "", "x", "http://x/v1/chat/completions", "", ""},
		{"wire = \"openai-chat\"", "OPENAI_API_KEY=k", "openai", "https://api.openai.com/v1/chat/completions", "Authorization", "Bearer k"},
		{"", "OLLAMA_HOST=127.0.0.1:1", "ollama", "http://127.0.0.1:1/api/chat", "", ""},
	} {
		c := mustLoad(t, test.content, test.environment)
		q, err := requested(t, c, test.provider)
		if q == nil {
			t.Errorf("%+v: nothing was sent: %v", test, err)
			continue
		}
		if q.URL.String() != test.url || test.header != "" && q.Header.Get(test.header) != test.value {
			t.Errorf("%+v: sent to %s with %v", test, q.URL, q.Header)
		}
	}
}

func TestAMissingKeyIsSaidBeforeAnythingIsSent(t *testing.T) {
	q, err := requested(t, mustLoad(t, ""), "anthropic")
	var missing *NoKeyError
	if q != nil || !errors.As(err, &missing) || !strings.Contains(missing.Error(), "set ANTHROPIC_API_KEY, or providers.anthropic.key_command") {
		t.Errorf("sent %v, error %v", q, err)
	}
}

func TestAKeyIsMissedBeforeAnythingIsAsked(t *testing.T) {
	for _, test := range []struct {
		content, provider, environment string
		wanted                         bool
	}{
		{"", "anthropic", "", true},
		{"", "anthropic", "ANTHROPIC_API_KEY=x", false},
		{"", "ollama", "", false},
		{"[providers.anthropic]\nkey_command = \"exit 1\"", "anthropic", "", false},
		{"[providers.anthropic]\nkey_env = \"MINE\"", "anthropic", "ANTHROPIC_API_KEY=x", true},
		{"[providers.local]\nkind = \"openai-chat\"\nbase_url = \"http://127.0.0.1:1/v1\"", "local", "", false},
	} {
		err := mustLoad(t, test.content, test.environment).CheckKey(test.provider)
		var missing *NoKeyError
		if errors.As(err, &missing) != test.wanted {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

func TestAModelIsReachedAtItsMakerOrWhereItIsSaid(t *testing.T) {
	for _, test := range []struct{ content, model, provider, name string }{
		{"", "claude-opus-5", "anthropic", "claude-opus-5"},
		{"", "gemini-4-argon", "gemini", "gemini-4-argon"},
		{"", "anthropic/claude-opus-5", "anthropic", "claude-opus-5"},
		{"", "openrouter/anthropic/claude-opus-5", "openrouter", "anthropic/claude-opus-5"},
		{"provider = \"openrouter\"", "anthropic/claude-opus-5", "openrouter", "anthropic/claude-opus-5"},
		{"provider = \"openrouter\"", "nobody-knows", "openrouter", "nobody-knows"},
	} {
		r, err := mustLoad(t, test.content).Reach(test.model)
		if err != nil || r.Provider != test.provider || r.Model != test.name {
			t.Errorf("%+v: %+v, %v", test, r, err)
		}
	}
	if _, err := mustLoad(t, "").Reach("nobody-knows"); err == nil || !strings.Contains(err.Error(), "openrouter/nobody-knows") {
		t.Errorf("an unknown model: %v", err)
	}
}

func TestABudgetFollowsItsSettings(t *testing.T) {
	for _, test := range []struct {
		c                          Compaction
		reserve, threshold, target int
	}{
		{Compaction{}, 16_384, 165_254, 91_808},
		{Compaction{Threshold: Amount{Share: 0.5}, Target: Amount{Tokens: 30_000}}, 16_384, 100_000, 30_000},
		{Compaction{Reserve: Amount{Tokens: 100_000}}, 100_000, 89_999, 50_000},
		{Compaction{Reserve: Amount{Share: 1}}, 100_000, 89_999, 50_000},                                  // half the window at most
		{Compaction{Threshold: Amount{Tokens: 900_000}}, 16_384, 183_616, 91_808},                         // what fits
		{Compaction{Threshold: Amount{Tokens: 9000}, Target: Amount{Tokens: 50_000}}, 16_384, 9000, 9000}, // never above the threshold
	} {
		b := test.c.Budget(200_000)
		if b.Reserve != test.reserve || b.Threshold != test.threshold || b.Target != test.target || b.Tail > b.Target {
			t.Errorf("%+v: %+v", test.c, b)
		}
	}
}
