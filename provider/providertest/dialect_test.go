package providertest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/wire/anthropic"
	"github.com/stemma-history/stemma/wire/gemini"
	"github.com/stemma-history/stemma/wire/openai"
)

// overflowWords are how clients in production recognise each server's refusal.
// (npm @earendil-works/pi-ai 1.6.0, 2026-11.)
var overflowWords = map[string]string{
	"anthropic":        `prompt (?:is )?too long`,
	"anthropic-older":  "input length and `max_tokens` exceed context limit: (\\d+) \\+ (\\d+) > (\\d+)",
	"anthropic-edge":   `request_too_large`,
	"bedrock":          `input is too long( for requested model)?`,
	"vertex":           `request size \(\d+ bytes\) exceeds`,
	"openai":           `maximum context length is (\d+) tokens`,
	"openai-responses": `exceeds the context window`,
	"gemini":           `input token count.*exceeds the maximum`,
	"gemini-older":     `input token count.*exceeds the maximum`,
	"deepseek":         `maximum context length is (\d+) tokens`,
	"vllm":             `maximum context length is (\d+) tokens`,
	"litellm":          `ContextWindowExceededError`,
	"xai":              `maximum prompt length is (\d+)`,
	"groq":             `reduce the length of the messages`,
	"openrouter":       `maximum context length is (\d+) tokens`,
	"poolside":         `exceeds (?:the )?maximum allowed input length of [\d,]+ tokens?`,
	"together":         `input \(\d+ tokens\) is longer than the model'?s context length \(\d+ tokens\)`,
	"copilot":          `exceeds the limit of (\d+)`,
	"llamacpp":         `exceeds the available context size`,
	"lmstudio":         `model is loaded with context length of only (\d+)`,
	"ollama":           `prompt too long; exceeded (?:max )?context length`,
	"minimax":          `context window exceeds limit`,
	"kimi":             `exceeded model token limit`,
	"mistral":          `too large for model with \d+ maximum context length`,
	"dashscope":        `range of input length should be`,
	"zai":              `prompt exceeds max length`,
	"cerebras":         `^$`,
	"cohere":           `too many tokens`,
	"ds4":              `prompt has [\d,]+ tokens?, but the configured context size is`,
	"kronk":            `input tokens \[\d+\] exceed context window \[\d+\]`,
	"vercel":           `Input too long: \d+ input tokens, limit is \d+`,
}

// prompts are requests with a text, by wire.
func prompts(wireName, text string) (path, body string) {
	switch wireName {
	case anthropic.Wire:
		body = `{"model":"claude-opus-5-5","max_tokens":100,"messages":[{"role":"user","content":"` + text + `"}]}`
	case openai.WireChat:
		body = `{"model":"gpt-oss-120b","messages":[{"role":"user","content":"` + text + `"}]}`
	case openai.WireResponses:
		body = `{"model":"gpt-5.5","input":"` + text + `"}`
	case gemini.Wire:
		body = `{"contents":[{"parts":[{"text":"` + text + `"}]}]}`
	default:
		body = `{"model":"a-local-one","stream":false,"truncate":false,"messages":[{"role":"user","content":"` + text + `"}]}`
	}
	return paths[wireName], body
}

func TestEveryServerHasItsOwnWordsForTooLong(t *testing.T) {
	for _, d := range Dialects() {
		t.Run(d.Name, func(t *testing.T) {
			c := serve(t, Config{Dialect: d, Window: 1000})
			c.must(prompts(d.Wire, "hello"))
			path, body := prompts(d.Wire, Words(2000))
			status, answer, err := c.post(path, body)
			if err != nil {
				t.Fatal(err)
			}
			j := c.Journal()
			if !j[1].Overflow || j[1].Tokens <= 1000 {
				t.Errorf("recorded as %+v", j[1])
			}
			words, speaks := overflowWords[d.Name]
			if !speaks {
				if d.Silent == Speaks || status != 200 {
					t.Errorf("neither words nor silence: %d %s", status, answer)
				}
				return
			}
			if status != d.Status || !regexp.MustCompile("(?i)"+words).MatchString(answer) {
				t.Errorf("%d %s", status, answer)
			}
			if strings.ContainsAny(answer, "{") && !strings.HasPrefix(answer, "{") || strings.Contains(answer, "{used}") {
				t.Errorf("no JSON, or not filled in: %s", answer)
			}
		})
	}
}

func TestSomeServersSayNothing(t *testing.T) {
	long := `{"role":"user","content":"` + Words(400) + `"},{"role":"assistant","content":"` + Words(400) + `"},`
	body := `{"model":"glm-5.3","messages":[{"role":"system","content":"Be brief."},` + long + long + `{"role":"user","content":"What was the first word?"}]}`
	ask := func(name string) (prompt int64, finish, text string) {
		d, _ := DialectNamed(name)
		answer := []byte(serve(t, Config{Dialect: d, Window: 1500}).must(paths[openai.WireChat], body))
		elements(get(answer, "choices"), func(v []byte) { finish, text = textAt(v, "finish_reason"), textAt(v, "message", "content") })
		return integer(get(answer, "usage", "prompt_tokens")), finish, text
	}
	if n, finish, text := ask("ollama-silent"); n > 1500 || n < 500 || finish != "stop" || text == "" {
		t.Errorf("cut to %d tokens, %s %q", n, finish, text)
	}
	if n, finish, text := ask("zai-silent"); n <= 1500 || finish != "stop" || text == "" {
		t.Errorf("billed %d tokens, %s %q", n, finish, text)
	}
	if n, finish, text := ask("mimo"); n != 1500 || finish != "length" || text != "" {
		t.Errorf("billed %d tokens, %s %q", n, finish, text)
	}
}

func TestOllamaCutsUnlessItIsToldNotTo(t *testing.T) {
	c := serve(t, Config{Models: nil})
	body := func(extra string) string {
		return `{"model":"gpt-oss-120b","stream":false,` + extra + `"messages":[{"role":"user","content":"` + Words(4000) + `"},{"role":"assistant","content":"Well."},{"role":"user","content":"And now?"}]}`
	}
	answer := []byte(c.must("/api/chat", body("")))
	if n := integer(get(answer, "prompt_eval_count")); n > 100 || textAt(answer, "message", "content") != "You said: “And now?”" {
		t.Errorf("%d tokens: %s", n, answer)
	}
	status, answer2, _ := c.post("/api/chat", body(`"truncate":false,`))
	if status != 400 || !strings.HasPrefix(textAt([]byte(answer2), "error"), "prompt too long; exceeded max context length by ") {
		t.Errorf("%d %s", status, answer2)
	}
	answer = []byte(c.must("/api/chat", body(`"truncate":false,"options":{"num_ctx":20000},`)))
	if n := integer(get(answer, "prompt_eval_count")); n < 4000 {
		t.Errorf("%d tokens", n)
	}
}

func TestOverflowComesInsideAStreamOfResponses(t *testing.T) {
	c := serve(t, Config{Window: 1000})
	_, body := prompts(openai.WireResponses, Words(2000))
	answer := c.must("/v1/responses", strings.Replace(body, `{`, `{"stream":true,`, 1))
	if !strings.Contains(answer, "event: response.created") || !strings.Contains(answer, "event: response.failed") || !strings.Contains(answer, `"error":{"code":"context_length_exceeded","message":"Your input exceeds the context window`) {
		t.Error(answer)
	}
	if r := c.Journal()[0]; r.Status != 200 || r.Refused == "" || !r.Overflow || r.Usage.Output != 0 {
		t.Errorf("recorded as %+v", r)
	}
}

func TestServersShowThinkingUnderTheirOwnNames(t *testing.T) {
	for name, member := range map[string]string{"openai": "", "deepseek": "reasoning_content", "openrouter": "reasoning"} {
		d, _ := DialectNamed(name)
		script := In(Answer{}.Think("Hm.").Say("Yes."))
		c := serve(t, Config{Dialect: d, Script: script})
		for _, streamed := range []string{"", `"stream":true,`} {
			answer := c.must(paths[openai.WireChat], `{`+streamed+`"model":"gpt-5.5","messages":[{"role":"user","content":"x"}]}`)
			if shown := strings.Contains(answer, `"`+member+`":"Hm."`); shown != (member != "") {
				t.Errorf("%s: %s", name, answer)
			}
		}
		if j := c.Journal(); j[0].Usage.Reasoning == 0 {
			t.Errorf("%s: thinking is not billed", name)
		}
	}
}

func TestUnknownDialectsAreNamed(t *testing.T) {
	if _, err := DialectNamed("klingon"); err == nil || !strings.Contains(err.Error(), "openrouter") {
		t.Error(err)
	}
}
