package providers

import (
	"strings"
	"testing"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/provider/internal/streamtest"
	"github.com/stemma-history/stemma/wire"
)

func TestEveryProviderIsFoundByItsName(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range All() {
		if seen[e.Name] {
			t.Errorf("%s is there twice", e.Name)
		}
		seen[e.Name] = true
		p, err := Named(e.Name, provider.Settings{BaseURL: "http://127.0.0.1:9/v1"})
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
			continue
		}
		if p.Name() != e.Name {
			t.Errorf("%s is called %s", e.Name, p.Name())
		}
		if own, err := Named(e.Name, provider.Settings{Name: "mine"}); e.BaseURL != "" && (err != nil || own.Name() != "mine") || e.BaseURL == "" && (err == nil || own != nil) {
			t.Errorf("%s without a base URL: %v, %v", e.Name, own, err)
		}
		if _, err := p.Wire().Encode(streamtest.Frame(p.Wire(), "model", message.Prompt("hi"))); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		if refusal := p.Wire().Check([]byte(`{}`), wire.Limits{}); refusal == nil {
			t.Errorf("%s takes an empty body", e.Name)
		}
		for _, v := range e.KeyVars {
			if v != strings.ToUpper(v) {
				t.Errorf("%s: %s is no variable", e.Name, v)
			}
		}
	}
	if _, err := Named("acme", provider.Settings{}); err == nil || !strings.Contains(err.Error(), "anthropic, openai, gemini, ollama, azure") {
		t.Errorf("%v", err)
	}
}
