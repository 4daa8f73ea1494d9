package openai

import (
	"maps"
	"slices"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/internal/verdict"
)

// CheckResponses reads a Responses body as the API does and returns its refusal,
// in its words, or nil. It sees what a body alone shows; the zero limits check
// its structure only. It never counts tokens. (Texts: bodies quoted in public
// issues, 2025 and 2026; those for the number and the size of images are in the
// API's style only.)
func CheckResponses(body []byte, limits wire.Limits) *wire.Refusal {
	return checkResponses(body, limits, &verdict.Thread[responsesProgress]{})
}

// checkResponses is [CheckResponses] for a body that may begin as one that has
// passed.
func checkResponses(body []byte, limits wire.Limits, thread *verdict.Thread[responsesProgress]) *wire.Refusal {
	if r := tooLarge(body, limits); r != nil {
		return r
	}
	c := responsesChecker{checker: newChecker(body, limits), thread: thread}
	c.object(verdict.Path{}, c.member)
	c.conclude()
	return c.verdict(thread.Unreadable(body, c.r.End()), c.done.images)
}

type responsesChecker struct {
	*checker
	thread   *verdict.Thread[responsesProgress]
	sent     sentItem // the item being read
	hasInput bool
	unkept   bool // the provider is asked to store nothing
	earlier  bool // it has more of the conversation than the body
	done     responsesProgress
}

// responsesProgress is what the checker knows of the items so far.
type responsesProgress struct {
	images   int
	waiting  map[string]bool // ids of calls without output
	calls    []string        // those, in order, and some that have theirs
	unstored *string         // the id of the first item that only a store could give
	thinking string          // the reasoning item that still needs one behind it
}

// clone returns a copy that is not changed by the items that follow.
func (p responsesProgress) clone() responsesProgress {
	p.waiting, p.calls = maps.Clone(p.waiting), slices.Clone(p.calls)
	return p
}

// responsesKeys are the further members of a body. (SDK v3.99.0, 2026-11.)
func responsesKeys() []string {
	return []string{"stream", "stream_options", "background", "instructions", "max_tool_calls", "parallel_tool_calls", "prompt_cache_key", "safety_identifier",
		"temperature", "top_logprobs", "top_p", "user", "context_management", "include", "metadata", "moderation", "prompt", "prompt_cache_retention",
		"service_tier", "truncation", "access_programs", "image", "prompt_cache_options", "reasoning", "text", "tool_choice", "cyber"}
}

func (c *responsesChecker) member(key []byte) bool {
	switch string(key) {
	case "input":
		c.hasInput = true
		c.input()
	case "model":
		c.model, c.hasModel = rawjson.Text(c.r.Value()), true
	case "store":
		c.unkept = c.r.Kind() == 'f'
	case "previous_response_id", "conversation":
		c.earlier = c.r.Kind() != 'n'
	case "max_output_tokens":
		c.maxTokens, c.maxTokensKey = c.r.Value(), string(key)
	case "tools":
		c.toolList()
	default:
		return slices.Contains(responsesKeys(), string(key))
	}
	return true
}

func (c *responsesChecker) toolList() {
	if c.r.Kind() != '[' {
		c.wrongType(verdict.Path{}.Member("tools"), "an array of objects")
		return
	}
	count := 0
	c.r.Array(func(i int) {
		count++
		tool := c.r.Value()
		if rawjson.Text(rawjson.Get(tool, "type")) == "function" {
			c.name(rawjson.Get(tool, "name"), verdict.Path{}.Item("tools", i), "name")
		}
	})
	c.tools(count)
}

func (c *responsesChecker) input() {
	switch c.r.Kind() {
	case '"':
		c.r.Value()
	case '[':
		count := 0
		c.thread.Elements(c.r, &c.done, responsesProgress.clone, func(n int) {
			count++
			c.item(verdict.Path{}.Item("input", n))
		})
		if count == 0 {
			c.refuse(stageShape, codeEmptyArray, "input", "Invalid 'input': empty array. Expected an array with minimum length 1, but got an empty array instead.")
		}
	default:
		c.wrongType(verdict.Path{}.Member("input"), "one of a string or array of input items")
	}
}

// sentItem is what the checker looks at in an item.
type sentItem struct {
	kind, role                              string
	id, callID, name, arguments, encrypted  []byte
	hasContent, hasSummary, hasOutput, text bool
	parts                                   []sentInput
}

type sentInput struct {
	kind string
	url  []byte
}

func (c *responsesChecker) item(path verdict.Path) {
	it := &c.sent
	*it = sentItem{parts: it.parts[:0]}
	c.object(path, func(key []byte) bool {
		switch string(key) {
		case "type":
			it.kind = kindOf(c.text(path, "type"))
		case "role":
			it.role = kindOf(c.text(path, "role"))
		case "id":
			it.id = c.r.Value()
		case "call_id":
			it.callID = c.r.Value()
		case "name":
			it.name = c.r.Value()
		case "arguments":
			it.arguments = c.text(path, "arguments")
		case "encrypted_content":
			it.encrypted = c.r.Value()
		case "summary":
			it.hasSummary = true
		case "content":
			it.hasContent = c.r.Kind() != 'n'
			c.parts(path, "content", it)
		case "output":
			it.hasOutput = true
			c.parts(path, "output", it)
		}
		return true // items of other kinds have members of their own
	})
	if it.kind == "" && it.role != "" {
		it.kind = "message"
	}
	c.checkItem(path, it)
}

func (c *responsesChecker) parts(path verdict.Path, member string, it *sentItem) {
	if c.r.Kind() != '[' {
		it.text = c.r.Kind() == '"'
		c.r.Value()
		return
	}
	c.r.Array(func(k int) {
		if c.r.Kind() != '{' {
			c.wrongType(path.Item(member, k), "an object")
			return
		}
		var p sentInput
		c.r.Object(func(key []byte) {
			switch string(key) {
			case "type":
				p.kind = kindOf(c.r.Value())
			case "image_url":
				p.url = c.r.Value()
			}
		})
		it.parts = append(it.parts, p)
	})
}

func (c *responsesChecker) checkItem(path verdict.Path, it *sentItem) {
	c.following(it)
	switch it.kind {
	case "message":
		c.message(path, it)
	case "function_call", "custom_tool_call":
		c.call(path, it)
	case "function_call_output", "custom_tool_call_output":
		c.output(path, it)
	case "reasoning":
		c.reasoning(path, it)
	case "item_reference":
		c.mustBeStored(string(verdict.Inside(it.id)))
	case "":
		c.missing(path.Member("type"))
	}
}

func (c *responsesChecker) message(path verdict.Path, it *sentItem) {
	var want string
	switch it.role {
	case "user", "system", "developer":
		want = "input_text input_image input_file input_audio"
	case "assistant":
		want = "output_text refusal"
	default:
		c.refuse(stageShape, codeValue, path.Member("role").String(), "Invalid value: '%s'. Supported values are: 'assistant', 'system', 'developer', and 'user'.", it.role)
		return
	}
	switch {
	case !it.hasContent:
		c.missing(path.Member("content"))
	case len(it.parts) == 0 && !it.text:
		c.refuse(stageShape, codeEmptyArray, path.Member("content").String(), "Invalid '%s.content': empty array. Expected an array with minimum length 1, but got an empty array instead.", path)
	}
	c.checkParts(path, "content", want, it.parts)
}

// checkParts checks parts of the item at path. want are the kinds that it takes.
func (c *responsesChecker) checkParts(path verdict.Path, member, want string, parts []sentInput) {
	for k, p := range parts {
		at := path.Item(member, k)
		switch {
		case p.kind == "" || !strings.Contains(" "+want+" ", " "+p.kind+" "):
			c.refuse(stageShape, codeValue, at.String(), "Invalid value: '%s'. Supported values are: '%s'.", p.kind, strings.Join(strings.Fields(want), "', '"))
		case p.kind == "input_image" && p.url != nil:
			c.done.images++
			c.image(p.url, at.Member("image_url"))
		}
	}
}

func (c *responsesChecker) call(path verdict.Path, it *sentItem) {
	id := c.id(it.callID, path, "call_id", maxCallIDLen)
	c.name(it.name, path, "name")
	if it.kind == "function_call" && it.arguments == nil {
		c.missing(path.Member("arguments"))
	}
	if c.done.waiting == nil {
		c.done.waiting = map[string]bool{}
	}
	if len(c.done.waiting) == 0 {
		c.done.calls = c.done.calls[:0]
	}
	if !c.done.waiting[id] {
		c.done.waiting[id], c.done.calls = true, append(c.done.calls, id)
	}
}

func (c *responsesChecker) output(path verdict.Path, it *sentItem) {
	id := c.id(it.callID, path, "call_id", maxCallIDLen)
	if !it.hasOutput {
		c.missing(path.Member("output"))
	}
	if !c.done.waiting[id] && !c.earlier {
		c.refuse(stagePairing, "", "input", "No tool call found for function call output with call_id %s.", id)
	}
	delete(c.done.waiting, id)
	c.checkParts(path, "output", "input_text input_image input_file", it.parts)
}

func (c *responsesChecker) reasoning(path verdict.Path, it *sentItem) {
	id := string(verdict.Inside(it.id))
	if !it.hasSummary {
		c.missing(path.Member("summary"))
	}
	encrypted := verdict.Inside(it.encrypted)
	if len(encrypted) == 0 {
		c.mustBeStored(id)
	} else if judge := c.limits.Thinking; judge != nil && judge(wire.SentThinking{Block: it.encrypted}).Forged {
		c.refuse(stageThinking, codeEncrypted, "", "The encrypted content %s could not be verified. Reason: Encrypted content could not be decrypted or parsed.", abridged(encrypted))
	}
	if c.done.thinking = id; id == "" {
		c.done.thinking = path.String()
	}
}

func (c *responsesChecker) mustBeStored(id string) {
	if c.done.unstored == nil {
		c.done.unstored = &id
	}
}

// abridged shows the ends of encrypted content.
func abridged(content []byte) string {
	if len(content) <= 8 {
		return string(content)
	}
	return string(content[:4]) + "..." + string(content[len(content)-4:])
}

// following checks that an item of the same answer stands behind a reasoning
// item.
func (c *responsesChecker) following(it *sentItem) {
	if c.done.thinking == "" {
		return
	}
	if it.kind == "message" && it.role != "assistant" || strings.HasSuffix(it.kind, "_output") {
		c.dangling()
	}
	c.done.thinking = ""
}

func (c *responsesChecker) dangling() {
	c.refuse(stagePairing, "", "input", "Item '%s' of type 'reasoning' was provided without its required following item.", c.done.thinking)
}

func (c *responsesChecker) conclude() {
	if !c.hasInput {
		c.missing(verdict.Path{}.Member("input"))
	}
	if c.done.thinking != "" {
		c.dangling()
	}
	for _, id := range c.done.calls {
		if c.done.waiting[id] {
			c.refuse(stagePairing, "", "input", "No tool output found for function call %s.", id)
		}
	}
	if c.done.unstored != nil && c.unkept && c.stages.Open(stageThinking) {
		r := refusal("", "input", "Item with id '%s' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.", *c.done.unstored)
		r.Status = 404
		c.stages.Add(stageThinking, r)
	}
	if n := rawjson.Int(c.maxTokens); c.maxTokens != nil && n < minOutput && !rawjson.IsNull(c.maxTokens) {
		c.refuse(stageShape, codeBelowMinimum, "max_output_tokens", "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= %d, but got %d instead.", minOutput, n)
	}
}
