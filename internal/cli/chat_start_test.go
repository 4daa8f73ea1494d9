package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A person who has just installed the program sees, on one screen, what it does
// without a model and how to get to one.
func TestChatFirstStartSaysWhatIsPossible(t *testing.T) {
	t.Parallel()
	c := &chat{newTerminal(t, 80, 24)}
	c.runs("stemma chat")
	c.shows(
		"Welcome. No model can be asked yet.", "stemma import", "stemma rescue FILE", "stemma snapshot FILE", "/tree", "/context",
		"To connect a model: ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY: set one, and begin again",
		"Ollama does not run here", "stemma config init", "stemma fake in another terminal",
	)
	if s := c.screen(); !strings.HasPrefix(s, "· Welcome.") || !strings.HasPrefix(above(s, 0), "new conversation") {
		t.Errorf("the welcome is not one screen:\n%s", s)
	}
	c.enter("Is anybody there?")
	c.shows("No model can be asked: no model is chosen", "> Is anybody there?") // which is not lost
	c.press("C-u")
	c.enter("/model claude-sonnet-5")
	c.shows("No model can be asked: anthropic: no key: set ANTHROPIC_API_KEY")
	c.enter("/context")
	c.shows("0 tokens")
	c.enter("/resume")
	c.shows("There is no conversation yet.")
	c.press("Escape")
	c.shows("> Ask something")
	c.press("C-d")
	c.until("the end of the app", func(s string) bool { return !strings.Contains(s, "Ask something") })
}

// With a model named, the key that it wants is named too; with a key, how to go
// on from there.
func TestChatFirstStartNamesTheKey(t *testing.T) {
	t.Parallel()
	c := &chat{newTerminal(t, 80, 24)}
	c.runs("STEMMA_MODEL=gpt-5.5 stemma chat")
	c.shows("Welcome.", "OPENAI_API_KEY is what gpt-5.5 wants: set it, and begin again")
	c.press("C-d")
	c.until("the end of the app", func(s string) bool { return !strings.Contains(s, "Ask something") })
	c.runs("ANTHROPIC_API_KEY=any exec stemma chat")
	c.shows("Welcome.", "ANTHROPIC_API_KEY is set: /model NAME begins")
	c.enter("/model claude-sonnet-5")
	c.until("the model", func(s string) bool { return strings.Contains(above(s, 0), "of 1.0M · claude-sonnet-5") })
}

func TestChatFirstStartFindsOllama(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/tags":
			io.WriteString(w, `{"models":[{"name":"qwen3:4b","size":2600000000},{"name":"llama3.2:latest"},{"name":"gemma3:1b"}]}`)
		case "/api/chat":
			io.WriteString(w, `{"model":"qwen3:4b","message":{"role":"assistant","content":"At your service."},"done":true,"done_reason":"stop","prompt_eval_count":900,"eval_count":4}`+"\n")
		}
	}))
	t.Cleanup(server.Close)
	c := &chat{newTerminal(t, 80, 24, "OLLAMA_HOST="+server.Listener.Addr().String())}
	c.runs("exec stemma chat")
	c.shows("Welcome.", "Ollama runs here: /model ollama/qwen3:4b begins; also llama3.2:latest and 1 more")
	c.enter("/model ollama/qwen3:4b")
	c.until("the model", func(s string) bool { return strings.Contains(above(s, 0), "qwen3:4b") })
	c.says("Good morning.")
	c.shows("At your service.")
	c.keeps("person: Good morning.", "model: At your service.")
}

// What stemma fake prints is all that is needed to try the app.
func TestChatFirstStartWithTheVariablesOfFake(t *testing.T) {
	t.Parallel()
	term := newTerminal(t, 80, 24)
	for _, variable := range playedProvider(term) {
		term.runs("export " + variable)
	}
	c := &chat{term}
	c.runs("stemma chat")
	c.until("the model", func(s string) bool { return strings.Contains(above(s, 0), "claude-sonnet-5") })
	c.says("Good morning.")
	c.shows("You said: “Good morning.”")
	c.keeps("person: Good morning.", "model: You said: “Good morning.”")
	c.press("C-d")
	c.shows("stemma chat 0", "resumes this conversation")
	if modes := c.tmux("display", "-p", "#{alternate_on}#{mouse_any_flag}#{cursor_flag}"); modes != "001\n" {
		t.Errorf("the terminal is not as it was: %s", modes)
	}
	c.runs("clear; exec stemma chat @")
	c.shows("You said: “Good morning.”")
}
