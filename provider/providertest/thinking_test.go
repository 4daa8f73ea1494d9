package providertest

import (
	"strings"
	"testing"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire/anthropic"
	"github.com/stemma-history/stemma/wire/gemini"
	"github.com/stemma-history/stemma/wire/openai"
)

// checking are models that look at what stands before their thinking.
var checking = map[string]string{anthropic.Wire: "claude-opus-5-5", openai.WireChat: "gpt-5.6-sol", openai.WireResponses: "gpt-5.6-sol", gemini.Wire: "gemini-3.1-pro"}

func TestAConversationThatOnlyGrowsIsNeverRefused(t *testing.T) {
	for wireName, model := range checking {
		t.Run(wireName, func(t *testing.T) {
			c := serve(t, Config{Script: reads})
			d := c.dialogue(wireName, model)
			for _, prompt := range []string{"first", "second", "third"} {
				d.exchange(prompt, "package a")
			}
			for _, r := range c.Journal() {
				if r.Refused != "" || r.Dropped > 0 {
					t.Errorf("request %d: refused %q, %d dropped", r.Number, r.Refused, r.Dropped)
				}
			}
		})
	}
}

const twoTurns = `{"model":"claude-opus-5-5","max_tokens":100,"messages":[{"role":"user","content":"think of one"},%ANSWER%,{"role":"user","content":"more"}]}`

// answered returns the body of a second request, with the answer to a first.
func answered(c *client) string {
	first := c.must("/v1/messages", `{"model":"claude-opus-5-5","max_tokens":100,"messages":[{"role":"user","content":"think of one"}]}`)
	return strings.Replace(twoTurns, "%ANSWER%", `{"role":"assistant","content":`+string(get([]byte(first), "content"))+`}`, 1)
}

func TestThinkingIsRefusedBehindAnotherPrefix(t *testing.T) {
	c := serve(t, Config{})
	body := answered(c)
	c.must("/v1/messages", body)
	for _, change := range []struct{ name, from, to, place string }{
		{"an earlier message", "think of one", "think of two", "messages.0.content.0"},
		{"the system prompt", `"max_tokens"`, `"system":"Be kind.","max_tokens"`, "system"},
		{"a block more", `"content":"think of one"`, `"content":[{"type":"text","text":"think of one"},{"type":"text","text":"too"}]`, "messages.0.content.1"},
	} {
		status, words := c.refused("/v1/messages", strings.Replace(body, change.from, change.to, 1))
		want := "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.\nRemove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\".\n[Content before this block differs from when it was created, first at `" + change.place + "`.]\n[That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header.]" //nolint:misspell // the API's words
		if status != 400 || words != want {
			t.Errorf("%s: %d %s", change.name, status, words)
		}
	}
}

func TestThinkingIsReadAgainWhereNothingOfItChanged(t *testing.T) {
	c := serve(t, Config{})
	body := answered(c)
	for name, same := range map[string]string{
		"a cache mark":        strings.Replace(body, `"content":"think of one"`, `"content":[{"type":"text","text":"think of one","cache_control":{"type":"ephemeral"}}]`, 1),
		"the shown thought":   strings.Replace(body, `"thinking":"of one"`, `"thinking":"of none"`, 1),
		"another temperature": strings.Replace(body, `"max_tokens":100`, `"max_tokens":99`, 1),
	} {
		if status, answer, _ := c.post("/v1/messages", same); status != 200 {
			t.Errorf("%s: %s", name, answer)
		}
	}
}

func TestMismatchedThinkingIsDroppedWhereThatIsAskedFor(t *testing.T) {
	c := serve(t, Config{})
	body := answered(c)
	body = strings.Replace(body, "think of one", "think of two", 1)
	body = strings.Replace(body, `"max_tokens"`, `"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}},"max_tokens"`, 1) //nolint:misspell // the API's words
	if _, words := c.refused("/v1/messages", body); words != "thinking.block_binding: Extra inputs are not permitted" {
		t.Errorf("without the beta: %s", words)
	}
	answer := c.must("/v1/messages", body, "anthropic-beta: other, thinking-binding-controls-2026-08-01")
	if got := string(get([]byte(answer), "input_transformations")); got != `[{"path":"messages.1.content.0","reason":"prefix_binding_mismatch","type":"thinking_dropped"}]` {
		t.Errorf("reported: %s", got)
	}
	j := c.Journal()
	if last := j[len(j)-1]; last.Dropped != 1 {
		t.Errorf("%d dropped", last.Dropped)
	}
}

func TestForgedThinkingIsRefused(t *testing.T) {
	c := serve(t, Config{})
	body := answered(c)
	at := strings.Index(body, `"signature":"`) + len(`"signature":"`)
	forged := body[:at] + "AAAA" + body[at+4:]
	if status, words := c.refused("/v1/messages", forged); status != 400 || words != "messages.1.content.0: Invalid `signature` in `thinking` block" {
		t.Errorf("%d %s", status, words)
	}
	other := serve(t, Config{Secret: []byte("another")})
	if _, words := other.refused("/v1/messages", body); words != "messages.1.content.0: Invalid `signature` in `thinking` block" {
		t.Errorf("of another server: %s", words)
	}
	again := serve(t, Config{})
	again.must("/v1/messages", body) // a server that was started anew knows its own
}

func TestThinkingOfAnotherModelIsLeftOut(t *testing.T) {
	c := serve(t, Config{})
	answer := c.must("/v1/messages", strings.Replace(answered(c), "claude-opus-5-5", "claude-fable-5-1", 1))
	if got := textAt([]byte(answer), "model"); got != "claude-fable-5-1" {
		t.Errorf("model %s", got)
	}
	if !strings.Contains(answer, modelMismatch) {
		t.Errorf("not reported: %s", answer)
	}
}

func TestThinkingMayGoFromTheEndsButNotFromTheMiddle(t *testing.T) {
	script := func(a Ask) Answer { return Answer{}.Think("About " + a.Prompt()).Say("Yes.") }
	c := serve(t, Config{Script: script})
	d := c.dialogue(anthropic.Wire, "claude-opus-5-5")
	for _, prompt := range []string{"one", "two", "three"} {
		d.exchange(prompt, "")
	}
	d.say(message.Prompt("four"))
	without := func(answers ...int) string {
		e := *d
		e.seals = false // it is the server that is to find out
		e.view.Messages = append(e.view.Messages[:0:0], e.view.Messages...)
		for _, i := range answers {
			m := &e.view.Messages[2*i+1]
			m.Parts, m.Seals = m.Parts[1:], nil
		}
		return e.ask()
	}
	for _, c := range []struct {
		name    string
		answers []int
		refused bool
	}{{"none", nil, false}, {"the first", []int{0}, false}, {"the last", []int{2}, false}, {"all", []int{0, 1, 2}, false}, {"the middle", []int{1}, true}} {
		if refusal := without(c.answers...); (refusal != "") != c.refused {
			t.Errorf("without thinking of %s: %q", c.name, refusal)
		}
	}
}

func TestOpenAIDropsReasoningWithoutRefusing(t *testing.T) {
	c := serve(t, Config{})
	first := c.must("/v1/responses", `{"model":"gpt-5.6-sol","include":["reasoning.encrypted_content"],"input":[{"role":"user","content":"think of one"}]}`)
	items := strings.Trim(string(get([]byte(first), "output")), "[]")
	body := `{"model":"gpt-5.6-sol","input":[{"role":"user","content":"think of one"},` + items + `,{"role":"user","content":"more"}]}`
	if answer := c.must("/v1/responses", body); strings.Contains(answer, "input_transformations") {
		t.Errorf("nothing has changed: %s", answer)
	}
	whole := c.Journal()[1].Tokens
	answer := c.must("/v1/responses", strings.Replace(body, "of one", "of two", 1))
	if got := string(get([]byte(answer), "input_transformations")); !strings.Contains(got, `"action":"removed"`) || !strings.Contains(got, `"reason":"prefix_mismatch"`) || !strings.Contains(got, `"id":"rs_`) {
		t.Errorf("reported: %s", got)
	}
	if cut := c.Journal()[2]; cut.Dropped != 1 || cut.Tokens >= whole {
		t.Errorf("%d dropped, %d tokens billed, %d with all", cut.Dropped, cut.Tokens, whole)
	}
	forged := strings.Replace(body, `"encrypted_content":"`, `"encrypted_content":"AAAA`, 1)
	if status, words := c.refused("/v1/responses", forged); status != 400 || !strings.Contains(words, "could not be verified") {
		t.Errorf("forged: %d %s", status, words)
	}
}

func TestGeminiWantsTheSignatureOfTheCurrentTurn(t *testing.T) {
	c := serve(t, Config{})
	path := paths[gemini.Wire]
	first := c.must(path, `{"contents":[{"role":"user","parts":[{"text":"tool read {}"}]}]}`)
	var call string
	elements(get([]byte(first), "candidates"), func(v []byte) { call = string(get(v, "content")) })
	body := `{"contents":[{"role":"user","parts":[{"text":"tool read {}"}]},` + call + `,{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"x"}}}]}]}`
	c.must(path, body)
	signature := textAt([]byte(call[strings.Index(call, `[`)+1:]), "thoughtSignature")
	if status, words := c.refused(path, strings.Replace(body, `,"thoughtSignature":"`+signature+`"`, "", 1)); status != 400 || !strings.HasPrefix(words, "Function call is missing a thought_signature in functionCall parts.") || !strings.HasSuffix(words, "function call `default_api:read`, position 2.") {
		t.Errorf("without: %d %s", status, words)
	}
	if status, words := c.refused(path, strings.Replace(body, signature, "AAAA"+signature[4:], 1)); status != 400 || words != "Corrupted thought signature." {
		t.Errorf("another: %d %s", status, words)
	}
	c.must(path, strings.Replace(body, signature, "skip_thought_signature_validator", 1))
}

func TestDetailsOfThinkingAreWantedBackBehindTheSamePrefix(t *testing.T) {
	d, err := DialectNamed("openrouter")
	if err != nil {
		t.Fatal(err)
	}
	c := serve(t, Config{Dialect: d})
	path := paths[openai.WireChat]
	first := c.must(path, `{"model":"anthropic/claude-opus-5-5","messages":[{"role":"user","content":"think of one"}]}`)
	var answer string
	elements(get([]byte(first), "choices"), func(v []byte) { answer = string(get(v, "message")) })
	body := `{"model":"anthropic/claude-opus-5-5","messages":[{"role":"user","content":"think of one"},` + answer + `,{"role":"user","content":"more"}]}`
	if !strings.Contains(body, `"reasoning_details":[{`) {
		t.Fatalf("no details: %s", answer)
	}
	c.must(path, body)
	const words = "Provider returned error: messages.1.content.0: Invalid `signature` in `thinking` block"
	for name, changed := range map[string]string{
		"another prefix":      strings.Replace(body, "of one", "of two", 1),
		"a forged signature":  strings.Replace(body, `"signature":"`, `"signature":"AAAA`, 1),
		"a missing signature": strings.Replace(body, `"signature"`, `"other"`, 1),
	} {
		if status, got := c.refused(path, changed); status != 400 || got != words {
			t.Errorf("%s: %d %s", name, status, got)
		}
	}
	c.must(path, strings.ReplaceAll(strings.Replace(body, "of one", "of two", 1), "claude-opus-5-5", "claude-opus-5")) // which does not look
}
