package anthropic

import (
	"fmt"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/wire"
)

// Check reads a request body as the API does and returns its refusal, in its
// words, or nil. It checks what a body alone shows: roles, content, pairing of
// calls and results, cache marks. (Texts: bodies quoted in public issues and
// probes, 2025 and 2026.)
func Check(body []byte) *wire.Refusal {
	c := checker{ids: map[string]bool{}}
	if err := rawjson.Members(body, func(key string, v []byte) error {
		switch key {
		case "messages":
			c.messages = v
		case "system":
			c.marks(v)
		case "tools":
			c.marks(v)
		}
		return nil
	}); err != nil {
		return refuse("the request body is not valid JSON: %v", err)
	}
	n := -1
	if err := rawjson.Elements(c.messages, func(m []byte) error {
		n++
		if r := c.message(n, m); r != nil {
			return r
		}
		return nil
	}); err != nil {
		if r, ok := err.(*wire.Refusal); ok {
			return r
		}
		return refuse("messages: %v", err)
	}
	return c.end(n + 1)
}

func refuse(format string, args ...any) *wire.Refusal {
	return &wire.Refusal{Status: 400, Type: "invalid_request_error", Message: fmt.Sprintf(format, args...)}
}

type checker struct {
	messages []byte
	ids      map[string]bool // tool_use ids of the whole request
	open     []string        // those of the message before, not answered yet
	openAll  map[string]bool // those of the message before
	openAt   int
	lastRole string
	lastEnd  string // the text that ends the last message
	cached   int    // cache marks
}

// block is what the checker looks at.
type block struct {
	kind, text, id, toolUse string
	signature, data         []byte
}

func (c *checker) message(n int, m []byte) *wire.Refusal {
	role := rawjson.Text(rawjson.Get(m, "role"))
	content := rawjson.Get(m, "content")
	if n == 0 && role != "user" {
		return refuse(`messages: first message must use the "user" role`)
	}
	c.lastRole, c.lastEnd = role, ""
	if len(content) > 0 && content[0] == '"' {
		text := rawjson.Text(content)
		if text == "" {
			return refuse("messages.%d: all messages must have non-empty content except for the optional final assistant message", n)
		}
		return c.blocks(n, role, []block{{kind: "text", text: text}})
	}
	var blocks []block
	if err := rawjson.Elements(content, func(v []byte) error {
		c.mark(v)
		blocks = append(blocks, block{
			kind: rawjson.Text(rawjson.Get(v, "type")), text: rawjson.Text(rawjson.Get(v, "text")),
			id: rawjson.Text(rawjson.Get(v, "id")), toolUse: rawjson.Text(rawjson.Get(v, "tool_use_id")),
			signature: rawjson.Get(v, "signature"), data: rawjson.Get(v, "data"),
		})
		return nil
	}); err != nil {
		return refuse("messages.%d.content: Input should be a valid list", n)
	}
	if len(blocks) == 0 {
		return refuse("messages.%d: all messages must have non-empty content except for the optional final assistant message", n)
	}
	return c.blocks(n, role, blocks)
}

// blocks checks one message: texts, then the results it owes, then its calls.
func (c *checker) blocks(n int, role string, blocks []block) *wire.Refusal {
	for k, b := range blocks {
		switch {
		case b.kind == "text" && b.text == "":
			return refuse("messages: text content blocks must be non-empty")
		case b.kind == "text" && strings.TrimSpace(b.text) == "":
			return refuse("messages: text content blocks must contain non-whitespace text")
		case b.kind == "thinking" && b.signature == nil:
			return refuse("messages.%d.content.%d.thinking.signature: Field required", n, k)
		case b.kind == "redacted_thinking" && b.data == nil:
			return refuse("messages.%d.content.%d.redacted_thinking.data: Field required", n, k)
		}
	}
	if r := c.results(n, blocks); r != nil {
		return r
	}
	c.openAt, c.open, c.openAll = n, nil, map[string]bool{}
	for k, b := range blocks {
		if b.kind != "tool_use" {
			continue
		}
		switch {
		case !validID(b.id):
			return refuse("messages.%d.content.%d.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", n, k)
		case c.ids[b.id]:
			return refuse("messages.%d.content.%d: `tool_use` ids must be unique", n, k)
		}
		c.ids[b.id], c.openAll[b.id] = true, true
		c.open = append(c.open, b.id)
	}
	if last := blocks[len(blocks)-1]; last.kind == "text" {
		c.lastEnd = last.text
	}
	return nil
}

// results checks that the message begins with one result for each call of the
// message before it, and has no others.
func (c *checker) results(n int, blocks []block) *wire.Refusal {
	answered := map[string]bool{}
	leading := true
	for k, b := range blocks {
		if b.kind != "tool_result" {
			leading = false
			continue
		}
		switch {
		case !c.openAll[b.toolUse]:
			return refuse("messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", n, k, b.toolUse)
		case answered[b.toolUse]:
			return refuse("messages.%d.content.%d: each tool_use must have a single result. Found multiple `tool_result` blocks with id: %s", n, k, b.toolUse)
		case leading:
			answered[b.toolUse] = true
		}
	}
	return c.unanswered(answered)
}

func (c *checker) unanswered(answered map[string]bool) *wire.Refusal {
	var missing []string
	for _, id := range c.open {
		if !answered[id] {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return refuse("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", c.openAt, strings.Join(missing, ", "))
}

func (c *checker) marks(blocks []byte) {
	_ = rawjson.Elements(blocks, func(v []byte) error { c.mark(v); return nil })
}

func (c *checker) mark(block []byte) {
	if !rawjson.IsNull(rawjson.Get(block, "cache_control")) {
		c.cached++
	}
}

func (c *checker) end(messages int) *wire.Refusal {
	if messages == 0 {
		return refuse("messages: at least one message is required")
	}
	if r := c.unanswered(nil); r != nil {
		return r
	}
	if c.lastRole == "assistant" {
		return refuse("This model does not support assistant message prefill. The conversation must end with a user message.")
	}
	if c.cached > 4 {
		return refuse("A maximum of 4 blocks with cache_control may be provided. Found %d.", c.cached)
	}
	return nil
}
