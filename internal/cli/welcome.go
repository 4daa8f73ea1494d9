package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/config"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/provider/ollama"
)

// welcome is what a person reads who has no model yet. It fits a terminal of 80
// columns and 24 lines.
func (o *chatOptions) welcome(ctx context.Context) string {
	return `Welcome. No model can be asked yet. This works without one:
  stemma import         the sessions of other tools on this machine; /resume
  stemma rescue FILE    a session that is stuck at the wall runs again
  stemma snapshot FILE  text as dense pages
  /tree                 the whole conversation: go back, compare, mark
  /context              what fills a model's window, and what would free it

To connect a model:
` + o.waysToAModel(ctx) + `
  stemma config init    a file in which every setting is explained

To try it without any:
  stemma fake           in another terminal; set here the variables it prints,
                        and begin again`
}

// waysToAModel says what is there of a key and of Ollama, and what to do.
func (o *chatOptions) waysToAModel(ctx context.Context) string {
	settings, err := o.settings()
	if err != nil {
		return "  " + words.OneLine(err.Error())
	}
	var set []string
	for _, name := range settings.KeyVariables() {
		if os.Getenv(name) != "" {
			set = append(set, name)
		}
	}
	keys := `  ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY: set one, and begin again
                        with --model NAME; stemma models lists the names`
	var missing *config.NoKeyError
	name := cmp.Or(o.model, settings.Model)
	switch reached, err := settings.Reach(name); {
	case name != "" && err == nil && errors.As(settings.CheckKey(reached.Provider), &missing):
		keys = fmt.Sprintf("  %-21s is what %s wants: set it, and begin again", missing.Variables[0], words.OneLine(name))
	case len(set) > 0:
		keys = fmt.Sprintf("  %-21s is set: /model NAME begins; /model lists the names", strings.Join(set, ", "))
	}
	return keys + "\n  Ollama                " + saysOllama(ctx, settings)
}

// ollamaTime is how long Ollama may take to answer: it is on this machine, or
// near.
const ollamaTime = time.Second

// saysOllama says whether Ollama runs, and what it has.
func saysOllama(ctx context.Context, settings *config.Config) string {
	p, err := settings.Open("ollama", &http.Client{Timeout: ollamaTime})
	if err != nil {
		return words.OneLine(err.Error())
	}
	server, ok := p.(*ollama.Provider)
	if !ok {
		return "is set to be another server"
	}
	names, err := server.Models(ctx)
	switch {
	case err != nil:
		return "does not run here; once it does: /model ollama/NAME"
	case len(names) == 0:
		return "runs here, without a model: ollama pull gets one"
	}
	return fmt.Sprintf("runs here: /model ollama/%s begins%s", words.OneLine(names[0]), others(names[1:]))
}

// others names one more, and counts the rest.
func others(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return "; also " + words.OneLine(names[0])
	}
	return fmt.Sprintf("; also %s and %d more", words.OneLine(names[0]), len(names)-1)
}

// checkKey says whether the model of a conversation that is new can be asked: a
// conversation that is there can be made room in without a key.
func (o *chatOptions) checkKey(settings *config.Config, c history.Conversation) error {
	if c.Entries > 0 {
		return nil
	}
	reached, err := settings.Reach(cmp.Or(o.model, c.Model, settings.Model))
	if err != nil {
		return nil //nolint:nilerr // opening the run says so, with what to do
	}
	if err := settings.CheckKey(reached.Provider); err != nil {
		return &provider.Error{Kind: provider.Auth, Provider: reached.Provider, Message: "no key: " + err.Error(), Err: err}
	}
	return nil
}
