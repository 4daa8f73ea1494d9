package sdks

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stemma-history/stemma/provider/providertest"
)

// TestPi drives the servers with a whole agent, npm's
// @mariozechner/pi-coding-agent, over every wire: a tool round, and a prompt that
// is refused as too long. STEMMA_PI names its program.
func TestPi(t *testing.T) {
	pi := os.Getenv("STEMMA_PI")
	if pi == "" {
		t.Skip("STEMMA_PI does not name pi; make test-clients installs it")
	}
	for api, at := range map[string]struct{ path, model string }{
		"anthropic-messages":   {"", "claude-sonnet-4-6"},
		"openai-completions":   {"/v1", "gpt-5.5"},
		"openai-responses":     {"/v1", "gpt-5.6-sol"},
		"google-generative-ai": {"/v1beta", "gemini-3.1-pro"},
	} {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "note.txt"), []byte("forty-two"), 0o600); err != nil {
				t.Fatal(err)
			}
			fake := providertest.New(providertest.Config{Script: readsNote(), LogDir: os.Getenv("STEMMA_PI_LOG")})
			server := httptest.NewServer(fake)
			defer server.Close()
			configurePi(t, dir, api, server.URL+at.path, at.model)

			if said := runPi(t, pi, dir, at.model, "What does note.txt say?"); !strings.Contains(said, "It says: forty-two") {
				t.Errorf("pi said: %s", said)
			}
			if j := fake.Journal(); len(j) != 2 || len(j.Refused()) > 0 || j[1].Tokens <= j[0].Tokens {
				t.Errorf("%+v", j)
			}
			runPi(t, pi, dir, at.model, "-c", "overflow once, then say what it says")
			j := fake.Journal()
			if rows := j.Recoveries(); len(rows) != 1 || j[len(j)-1].Refused != "" {
				t.Errorf("recoveries of %v requests, the last one refused: %q", rows, j[len(j)-1].Refused)
			}
			for _, r := range j {
				if r.Refused != "" && !r.Overflow {
					t.Errorf("request %d is refused: %s", r.Number, r.Refused)
				}
			}
		})
	}
}

// readsNote reads a file and says what it says. The first prompt that begins
// with overflow is too long.
func readsNote() providertest.Script {
	var refused atomic.Bool
	return func(a providertest.Ask) providertest.Answer {
		switch results := a.Results(); {
		case len(results) > 0:
			return providertest.Say("It says: " + strings.TrimSpace(results[0].PlainText()))
		case len(a.Tools()) == 0:
			return providertest.Say("## Goal\nTo know what note.txt says.\n## Done\nIt says: forty-two")
		case strings.HasPrefix(a.Prompt(), "overflow") && refused.CompareAndSwap(false, true):
			return providertest.Answer{Fault: providertest.Overflow{}}
		}
		return providertest.Answer{}.Think("A file.").Say("Reading it.").Call("read", `{"path":"note.txt"}`)
	}
}

func configurePi(t *testing.T, home, api, url, model string) {
	t.Helper()
	config := map[string]any{"providers": map[string]any{"fake": map[string]any{
		"baseUrl": url, "api": api, "apiKey": "key",
		"models": []any{map[string]any{"id": model, "reasoning": true, "input": []string{"text", "image"}, "contextWindow": 200_000, "maxTokens": 8000}},
	}}}
	data, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(home, ".pi", "agent")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "models.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// runPi asks pi for one answer, with a home of its own.
func runPi(t *testing.T, pi, home, model string, arguments ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, pi, append([]string{"--provider", "fake", "--model", model, "-p"}, arguments...)...)
	c.Dir = home
	c.Env = append(os.Environ(), "HOME="+home, "PI_OFFLINE=1")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("pi: %v", err)
	}
	return string(out)
}
