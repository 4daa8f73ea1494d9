package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/provider/providertest"
	"github.com/stemma-history/stemma/wire/anthropic"
	"github.com/stemma-history/stemma/wire/gemini"
	"github.com/stemma-history/stemma/wire/openai"
)

type fakeOptions struct {
	*app
	addr, wire, model, dialect, log, key string
	window, maxOutput                    int
	factor                               float64
	loose, repeatIDs, json               bool
}

func newFake(a *app) *cobra.Command {
	o := &fakeOptions{app: a}
	c := &cobra.Command{
		Use:   "fake",
		Short: "Play the providers of models, to try agents without a key",
		Long: `Serve the APIs of Anthropic, OpenAI (both), Google and Ollama on this machine until interrupted. Requests are refused as the real ones refuse them, in their words; tokens, the prompt cache and prices are counted, and each request is told on a line with what it would have cost.

The model repeats what it is told. These words make it do something else, at the beginning of a prompt: tool NAME JSON (a line a call), think TEXT, long N, fail STATUS, cut N, hang N. Asked for a summary, it answers with the headings alone.`,
		Example: `  stemma fake --window 32000          # the wall comes early
  stemma fake --dialect llamacpp      # another server's words
  stemma fake --log requests --json   # keep the bodies; the address as JSON`,
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	f := c.Flags()
	f.StringVar(&o.addr, "addr", "127.0.0.1:0", "listen on `HOST:PORT`; port 0 takes a free one")
	f.StringVar(&o.wire, "wire", "", "print the settings of the clients of one `WIRE` only")
	f.StringVarP(&o.model, "model", "m", "", "serve `MODEL` too, whatever its name")
	f.IntVarP(&o.window, "window", "w", 0, "give every model a window of `N` tokens (default: its own)")
	f.IntVar(&o.maxOutput, "max-output", 0, "let no answer be longer than `N` tokens (default: the model's own limit)")
	f.Float64Var(&o.factor, "factor", 1.35, "bill `F` tokens for one of o200k")
	f.StringVar(&o.dialect, "dialect", "", "play the server `NAME`, such as groq, llamacpp or ollama-silent")
	f.StringVar(&o.key, "key", "", "take no other `KEY` (default: any)")
	f.StringVar(&o.log, "log", "", "write a file for each request into `DIR`")
	f.BoolVar(&o.loose, "loose", false, "take members that the APIs do not know")
	f.BoolVar(&o.repeatIDs, "repeat-ids", false, "give calls the same ids in every answer, as some servers do")
	_ = c.RegisterFlagCompletionFunc("model", a.completeModel) // they exist
	_ = c.RegisterFlagCompletionFunc("wire", cobra.FixedCompletions(fakeWires(), cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("dialect", completeDialect)
	jsonFlag(c, &o.json)
	return c
}

func completeDialect(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	for _, d := range providertest.Dialects() {
		names = append(names, d.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// A setting is a variable of the environment that leads a client to the fake.
type setting struct {
	Wire  string `json:"wire"`
	Name  string `json:"name"`
	Value string `json:"value"`
}

// settings returns what clients read: the vendors' own, and most others.
func settings(url, key string) []setting {
	return []setting{
		{anthropic.Wire, "ANTHROPIC_BASE_URL", url},
		{anthropic.Wire, "ANTHROPIC_API_KEY", key},
		{openai.WireChat, "OPENAI_BASE_URL", url + "/v1"},
		{openai.WireChat, "OPENAI_API_KEY", key},
		{openai.WireResponses, "OPENAI_BASE_URL", url + "/v1"},
		{openai.WireResponses, "OPENAI_API_KEY", key},
		{gemini.Wire, "GOOGLE_GEMINI_BASE_URL", url},
		{gemini.Wire, "GEMINI_API_KEY", key},
		{"ollama", "OLLAMA_HOST", url},
	}
}

func fakeWires() []string {
	return []string{anthropic.Wire, openai.WireChat, openai.WireResponses, gemini.Wire, "ollama"}
}

// config checks the flags, and makes the server's of them.
func (o *fakeOptions) config(observe func(providertest.Record)) (providertest.Config, error) {
	c := providertest.Config{
		Window: o.window, MaxOutput: o.maxOutput, Factor: o.factor, Key: o.key,
		Loose: o.loose, RepeatIDs: o.repeatIDs, LogDir: o.log, Observe: observe,
	}
	if o.factor <= 0 || o.window < 0 || o.maxOutput < 0 {
		return c, usagef("--factor, --window and --max-output: expected numbers above 0")
	}
	models, err := o.catalog()
	if err != nil {
		return c, err
	}
	c.Catalog = models
	if o.wire != "" && !slices.Contains(fakeWires(), o.wire) {
		return c, usagef("--wire %s: expected one of %s", o.wire, strings.Join(fakeWires(), ", "))
	}
	if o.dialect != "" {
		d, err := providertest.DialectNamed(o.dialect)
		if err != nil {
			return c, usageError{err}
		}
		c.Dialect = d
	}
	if o.model != "" {
		m, _, known := models.Find(o.model)
		if !known {
			m = catalog.Model{Window: unknownWindow}
		}
		m.ID = o.model
		c.Models = []catalog.Model{m}
	}
	return c, nil
}

func (o *fakeOptions) run(ctx context.Context) error {
	records := make(chan providertest.Record)
	c, err := o.config(func(r providertest.Record) {
		select {
		case records <- r:
		case <-ctx.Done():
		}
	})
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.addr)
	if err != nil {
		return fmt.Errorf("--addr %s: %w", o.addr, err)
	}
	fake := providertest.New(c)
	server := &http.Server{Handler: fake, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	defer server.Close() //nolint:errcheck // what is under way is given up
	if err := o.printStart("http://" + listener.Addr().String()); err != nil {
		return err
	}
	for {
		select {
		case r := <-records:
			o.printRecord(r)
		case err := <-served:
			return err
		case <-ctx.Done():
			o.printEnd(fake.Journal())
			if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
				return cause // nobody reads any more
			}
			return nil
		}
	}
}

func (o *fakeOptions) printStart(url string) error {
	start := struct {
		URL string    `json:"url"`
		Env []setting `json:"env"`
	}{URL: url}
	for _, s := range settings(url, cmp.Or(o.key, "fake")) {
		if o.wire == "" || o.wire == s.Wire {
			start.Env = append(start.Env, s)
		}
	}
	if o.json {
		if err := o.printJSON(start); err != nil {
			return err
		}
		return o.out.Flush()
	}
	o.out.printf("serving at %s until Ctrl-C\n\n", url)
	said := map[string]bool{}
	for _, s := range start.Env {
		if !said[s.Name] {
			o.out.printf("export %s=%s\n", s.Name, s.Value)
		}
		said[s.Name] = true
	}
	if model := o.tried(); model != "" {
		o.out.printf("export STEMMA_MODEL=%s\n", model)
	}
	o.out.print("\n")
	return o.out.Flush()
}

// tried is a model for stemma itself to ask, where those of the catalogue are
// served.
func (o *fakeOptions) tried() string {
	if o.model != "" || o.dialect != "" {
		return ""
	}
	return map[string]string{
		"": "claude-sonnet-5", anthropic.Wire: "claude-sonnet-5", openai.WireChat: "gpt-5.5", openai.WireResponses: "gpt-5.5",
		gemini.Wire: "gemini-3.1-pro", "ollama": "ollama/qwen3",
	}[o.wire]
}

// printRecord tells what became of a request: on standard error, so that the
// address alone is data.
func (o *fakeOptions) printRecord(r providertest.Record) {
	what := fmt.Sprintf("%s tokens, %s from the cache, $%.4f", words.Thousands(r.Tokens), words.Thousands(int(r.Usage.CacheRead)), r.Usage.CostUSD)
	if r.Refused != "" {
		what = fmt.Sprintf("%s tokens, refused: %s", words.Thousands(r.Tokens), words.OneLine(r.Refused))
	}
	o.err.printf("%4d %s %s %s: %s\n", r.Number, r.Action, r.Wire, words.OneLine(r.Model), what)
	_ = o.err.Flush() // it is only told
}

func (o *fakeOptions) printEnd(j providertest.Journal) {
	o.err.printf("%s, %s refused, $%.4f, %.0f%% of the input from the cache\n", words.Count(len(j), "request"), words.Thousands(len(j.Refused())), j.CostUSD(), 100*j.CacheReadShare())
}
