package config

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/reclaim"
)

// load reads a file with a content, beside it an environment and flags.
func load(t *testing.T, content string, environment []string, flags map[string]string) (*Config, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(Sources{File: file, Environment: environment, Flags: flags})
}

func mustLoad(t *testing.T, content string, environment ...string) *Config {
	t.Helper()
	c, err := load(t, content, environment, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAFlagWinsOverAVariableOverTheFileOverTheDefault(t *testing.T) {
	for _, test := range []struct {
		content     string
		environment []string
		flags       map[string]string
		model       string
		origin      string
	}{
		{"", nil, nil, "", "default"},
		{"\nmodel = \"a\"", nil, nil, "a", "config.toml:2"},
		{"model = \"a\"", []string{"STEMMA_MODEL=b"}, nil, "b", "STEMMA_MODEL"},
		{"model = \"a\"", []string{"STEMMA_MODEL="}, nil, "a", "config.toml:1"},
		{"model = \"a\"", []string{"STEMMA_MODEL=b"}, map[string]string{"model": "c"}, "c", "--model"},
	} {
		c, err := load(t, test.content, test.environment, test.flags)
		if err != nil {
			t.Fatal(err)
		}
		origin := strings.TrimPrefix(c.Origin("model").String(), filepath.Dir(c.File)+"/")
		if c.Model != test.model || origin != test.origin {
			t.Errorf("%+v: model %q from %s", test, c.Model, origin)
		}
	}
}

func TestEverySettingIsRead(t *testing.T) {
	c := mustLoad(t, `
store = "sub/history.db"
model = "m"
provider = "local"
wire = "openai-chat"
base_url = "http://127.0.0.1:1/v1"
models = "/etc/models.toml"
directories = ["~/src", "/srv"]
page_cache = "1.5 GB"
plain = true
colour = "never"
images = "sixel"
[compaction]
rungs = ["elision", "summary"]
threshold = "80%"
target = 0.25
reserve = 20_000
summary = true
summary_model = "small"
[permissions]
bash = "ask"
"bash(git status)" = "allow"
[providers.local]
kind = "openai-chat"
base_url = "http://127.0.0.1:2"
key_env = "LOCAL_KEY"
key_command = "echo k"
dialect = "vllm"
headers = { "X-Team" = "history" }
[mcp.files]
command = "npx"
args = ["-y", "server"]
env = { LOG = "error" }
[mcp.search.headers]
Authorization = "Bearer t"
[mcp.search]
url = "https://example.org"
`)
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	c.values, c.catalog, c.environment = nil, nil, nil
	want := &Config{
		File: c.File, Store: filepath.Join(filepath.Dir(c.File), "sub/history.db"),
		Model: "m", Provider: "local", Wire: "openai-chat", BaseURL: "http://127.0.0.1:1/v1",
		ModelFile: "/etc/models.toml", Directories: []string{filepath.Join(home, "src"), "/srv"},
		PageCache: 1_500_000_000, Plain: true, Colour: "never", Images: "sixel",
		Compaction: Compaction{
			Threshold: Amount{Share: 0.8}, Target: Amount{Share: 0.25}, Reserve: Amount{Tokens: 20_000},
			Rungs: []reclaim.Rung{reclaim.Elision, reclaim.Summary}, Summary: true, SummaryModel: "small",
		},
		Rules:     []tool.Rule{{Tool: "bash", Permission: tool.Ask}, {Tool: "bash", Prefix: "git status", Permission: tool.Allow}},
		Providers: map[string]*Provider{"local": {Name: "local", Kind: "openai-chat", BaseURL: "http://127.0.0.1:2", KeyEnv: "LOCAL_KEY", KeyCommand: "echo k", Headers: map[string]string{"X-Team": "history"}, Dialect: "vllm"}},
		MCP: map[string]*MCPServer{
			"files":  {Name: "files", Command: "npx", Args: []string{"-y", "server"}, Env: map[string]string{"LOG": "error"}},
			"search": {Name: "search", URL: "https://example.org", Headers: map[string]string{"Authorization": "Bearer t"}},
		},
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("read\n%+v\nwant\n%+v", c, want)
	}
}

func TestVariablesTakeEveryForm(t *testing.T) {
	c := mustLoad(t, "", "STEMMA_COMPACTION_THRESHOLD=80%", "STEMMA_COMPACTION_TARGET=0.5", "STEMMA_COMPACTION_RESERVE=9000",
		"STEMMA_COMPACTION_SUMMARY=1", "STEMMA_COMPACTION_RUNGS=elision,images", "STEMMA_PAGE_CACHE=10 MB", "STEMMA_STOR=x", "STEMMA_COLUMNS=80", "STEMMA_PAGER=cat")
	want := Compaction{Threshold: Amount{Share: 0.8}, Target: Amount{Share: 0.5}, Reserve: Amount{Tokens: 9000}, Summary: true, Rungs: []reclaim.Rung{reclaim.Elision, reclaim.Images}}
	if !reflect.DeepEqual(c.Compaction, want) || c.PageCache != 10_000_000 {
		t.Errorf("read %+v and %d", c.Compaction, c.PageCache)
	}
	if len(c.Strangers) != 1 || c.Strangers[0] != "STEMMA_STOR" {
		t.Errorf("strangers %v", c.Strangers)
	}
}

func TestErrorsNameFileLineKeyAndWhatWasExpected(t *testing.T) {
	for content, want := range map[string]string{
		"model = 3":                                        "config.toml: line 1: model: expected a text in quotes",
		"\n[compaction]\n\ntreshold = 0.8":                 "config.toml: line 4: the key compaction.treshold is not known; is compaction.threshold meant?",
		"threshold = 0.8":                                  "config.toml: line 1: the key threshold is not known; is compaction.threshold meant?",
		"[compaction]\nthreshold = 3":                      `config.toml: line 2: compaction.threshold: expected tokens, from 1000 up, or a share of the window, such as 0.8 or "80%"`,
		"[compaction]\nsummary = \"yes\"":                  "config.toml: line 2: compaction.summary: expected true or false",
		"[compaction]\nrungs = [\"magic\"]":                "expected a list of elision, images, snapshot, outline, summary",
		"compaction = 3":                                   "config.toml: line 1: compaction: expected a table, as in [compaction]",
		"[compactoin]":                                     "line 1: the key compactoin is not known",
		"wire = \"smoke\"":                                 "line 1: wire: expected anthropic, openai-chat, openai-responses, gemini",
		"model = \"a\"\nmodel = \"b\"":                     "config.toml: line 2",
		"model = ":                                         "config.toml: line 1",
		"[providers.local]\nbase_url = \"http://x\"":       "config.toml: providers.local is none of the known ones: expected its kind",
		"[providers.openai]\napi_key = \"sk-very-secret\"": "line 2: providers.openai.api_key: keys are not kept here: name a variable with key_env",
		"[providers.openai]\nkind = \"soap\"":              "line 2: providers.openai.kind: expected anthropic, openai-chat",
		"[permissions]\n\"bash(\" = \"allow\"":             "line 2: permissions.\"bash(\": rule \"bash(\"",
		"[mcp.x]\nargs = [\"a\"]":                          "mcp.x: expected a command or a url",
		"[mcp.x]\ncommand = \"a\"\nurl = \"b\"":            "mcp.x: expected a command or a url",
		"[[providers.x]]\nkind = \"gemini\"":               "line 1: providers.x: expected a table, as in [providers.x]",
		"provider = \"nobody\"":                            `config.toml:1: provider "nobody" is neither known nor set`,
		"wire = \"x\"\nplain = 1":                          "line 2: plain: expected true or false", // beside the first problem
	} {
		_, err := load(t, content, nil, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\ngot  %v\nwant %s", content, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "very-secret") {
			t.Errorf("%q: the secret is in the error: %v", content, err)
		}
	}
	if _, err := load(t, "", []string{"STEMMA_PLAIN=perhaps"}, nil); err == nil || err.Error() != "STEMMA_PLAIN: plain: expected true or false" {
		t.Errorf("a wrong variable: %v", err)
	}
}

func TestAMissingFileIsAnErrorOnlyWhereItIsNamed(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.toml")
	if _, err := Load(Sources{File: missing}); err != nil {
		t.Errorf("the default file: %v", err)
	}
	if _, err := Load(Sources{Environment: []string{"STEMMA_CONFIG=" + missing}}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a named file: %v", err)
	}
}

func TestTheExampleIsValidAndSoIsWhatItComments(t *testing.T) {
	c := mustLoad(t, Example)
	if want := mustLoad(t, ""); c.Store != want.Store || len(c.Providers) > 0 {
		t.Errorf("the example sets something: %+v", c)
	}
	// Its second model and the summary model stand for alternatives.
	uncommented := strings.ReplaceAll(Example, "# model = \"openrouter", "## model = \"openrouter")
	var lines []string
	for line := range strings.Lines(uncommented) {
		if bare := strings.TrimPrefix(line, "# "); strings.Contains(bare, " = ") || strings.HasPrefix(bare, "[") {
			line = bare
		}
		lines = append(lines, line)
	}
	c = mustLoad(t, strings.Join(lines, ""))
	for _, s := range settings() {
		found := false
		for _, v := range c.values {
			found = found || v.Origin.Kind == ByFile && matchesPattern(v.path, strings.Split(s.key, "."))
		}
		if !found {
			t.Errorf("the example does not show %s", s.key)
		}
	}
}

func TestAnExampleIsNeverWrittenOverAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stemma", "config.toml")
	if err := WriteExample(file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteExample(file); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("written again: %v", err)
	}
	if data, _ := os.ReadFile(file); string(data) != "mine" {
		t.Errorf("the file is now %q", data)
	}
}

func TestNoSecretIsShown(t *testing.T) {
	c := mustLoad(t, `
base_url = "https://me:very-secret@example.org/v1"
store = "postgres://me:very-secret@db/stemma"
[providers.openai]
key_env = "MY_KEY"
headers = { Authorization = "very-secret" }
[providers.gemini]
key_command = "pass gemini"
[mcp.x]
url = "https://x"
headers = { Authorization = "very-secret" }
env = { TOKEN = "very-secret" }
`, "MY_KEY=very-secret", "ANTHROPIC_API_KEY=very-secret")
	shown, err := json.Marshal(c.Values())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(shown), "very-secret") {
		t.Errorf("a secret is shown: %s", shown)
	}
	abouts := map[string]string{}
	for _, v := range c.Values() {
		abouts[v.Key] = v.About
	}
	for key, want := range map[string]string{
		"providers.anthropic.key":                "set by ANTHROPIC_API_KEY",
		"providers.openai.key":                   "set by MY_KEY",
		"providers.gemini.key":                   "from key_command",
		"providers.openai.headers.Authorization": "set, not shown",
		"mcp.x.env.TOKEN":                        "set, not shown",
	} {
		if abouts[key] != want {
			t.Errorf("%s: %q, want %q", key, abouts[key], want)
		}
	}
}

func TestTheUsersModelsComeToTheBuiltInOnes(t *testing.T) {
	c := mustLoad(t, `models = "mine.toml"`)
	if _, err := c.Catalog(); err == nil || !strings.Contains(err.Error(), "config.toml:1: models: ") {
		t.Errorf("a file that is named and missing: %v", err)
	}
	c = mustLoad(t, `models = "mine.toml"`)
	if err := os.WriteFile(c.ModelFile, []byte("[[model]]\nid = \"mine\"\nwindow = 5000\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	models, err := c.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	if m, exact, _ := models.Find("mine"); !exact || m.Window != 5000 {
		t.Errorf("found %+v", m)
	}
	if _, exact, _ := models.Find("claude-opus-5"); !exact {
		t.Error("the built-in ones are gone")
	}
}

func TestAKeyThatACommandPrintsIsUsedForAWhile(t *testing.T) {
	count := filepath.Join(t.TempDir(), "count")
	key := (&keyCommand{provider: "x", line: "echo run >> " + count + "; echo secret"}).key
	for range 3 {
		if k, err := key(context.Background()); k != "secret" || err != nil {
			t.Fatalf("%q, %v", k, err)
		}
	}
	if data, _ := os.ReadFile(count); string(data) != "run\n" {
		t.Errorf("the command ran %d times", strings.Count(string(data), "run"))
	}
	for line, want := range map[string]string{
		"echo very-secret; exit 3":           "providers.x.key_command: exit status 3",
		"echo very-secret; echo very-secret": "providers.x.key_command: expected it to print the key, on one line",
		"true":                               "providers.x.key_command: expected it to print the key, on one line",
		"echo very-secret >&2; kill -9 $$":   "providers.x.key_command: signal: killed",
	} {
		if _, err := (&keyCommand{provider: "x", line: line}).key(context.Background()); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

func TestTheVariablesOfAllKeysAreKnown(t *testing.T) {
	names := mustLoad(t, "[providers.x]\nkind = \"gemini\"\nkey_env = \"MINE\"").KeyVariables()
	for _, want := range []string{"MINE", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is missing from %v", want, names)
		}
	}
}
