package anthropic

import (
	"fmt"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/wire/internal/verdict"
)

// block is what the checker looks at in a content block.
type block struct {
	kind                    string
	text, id, name, toolUse []byte // as written; nil where absent
	signature, data         []byte
	cache                   []byte
	inputKind               byte
	source                  source
	isObject                bool
	innerFrom, innerTo      int    // its content, in checker.inner
	extra                   string // the first member that the API does not know
}

func (b *block) is(kind string) bool { return b.kind == kind }

func (c *checker) readMessages() {
	if c.r.Kind() != '[' {
		c.r.Value()
		c.refuse(stageShape, "messages: Input should be a valid list")
		return
	}
	c.thread.Elements(c.r, &c.done, progress.clone, func(n int) {
		c.done.messages++
		c.message(n)
	})
}

func (c *checker) message(n int) {
	if c.r.Kind() != '{' {
		c.r.Value()
		c.refuse(stageShape, "messages.%d: Input should be a valid dictionary", n)
		return
	}
	c.blocks, c.inner = c.blocks[:0], c.inner[:0]
	var m role
	hasContent := false
	c.r.Object(func(key []byte) {
		switch string(key) {
		case "role":
			m.name = rawjson.Text(c.r.Value())
		case "content":
			hasContent = true
			c.content(n)
		default:
			if c.limits.StrictKeys {
				c.refuse(stageShape, "messages.%d.%s: Extra inputs are not permitted", n, key)
			}
		}
	})
	if !hasContent {
		c.refuse(stageShape, "messages.%d.content: Field required", n)
	}
	c.role(n, &m)
	for k := range c.blocks {
		c.checkBlock(n, k, &m)
	}
	c.pair(n, m.name)
	c.done.before, c.done.last = c.done.last, m
}

// content reads what a message says: a string, or blocks.
func (c *checker) content(n int) {
	switch c.r.Kind() {
	case '"':
		if text := c.r.Value(); len(text) > 2 {
			c.blocks = append(c.blocks, block{kind: "text", text: text, isObject: true})
		}
	case '[':
		c.r.Array(func(int) { c.blocks = append(c.blocks, c.block(true)) })
	default:
		c.r.Value()
		c.refuse(stageShape, "messages.%d.content: Input should be a valid list", n)
	}
}

// block reads a block, and what a result holds where it may hold blocks.
func (c *checker) block(outer bool) block {
	b := block{isObject: c.r.Kind() == '{'}
	if !b.isObject {
		c.r.Value()
		return b
	}
	var extras []string
	c.r.Object(func(key []byte) {
		switch string(key) {
		case "type":
			b.kind = kindOf(c.r.Value())
		case "text":
			b.text = c.r.Value()
		case "id":
			b.id = c.r.Value()
		case "name":
			b.name = c.r.Value()
		case "tool_use_id":
			b.toolUse = c.r.Value()
		case "signature":
			b.signature = c.r.Value()
		case "data":
			b.data = c.r.Value()
		case "cache_control":
			b.cache = c.r.Value()
		case "input":
			b.inputKind = c.r.Kind()
		case "source":
			b.source = c.source()
		case "content":
			if outer && c.r.Kind() == '[' {
				b.innerFrom = len(c.inner)
				c.r.Array(func(int) { c.inner = append(c.inner, c.block(false)) })
				b.innerTo = len(c.inner)
			}
		}
		if c.limits.StrictKeys {
			extras = append(extras, string(key))
		}
	})
	if c.limits.StrictKeys {
		b.extra = firstExtra(b.kind, extras)
	}
	return b
}

// kindOf returns the type of a block; the frequent ones without a copy.
func kindOf(value []byte) string {
	switch string(value) {
	case `"text"`:
		return "text"
	case `"tool_use"`:
		return "tool_use"
	case `"tool_result"`:
		return "tool_result"
	case `"thinking"`:
		return "thinking"
	case `"image"`:
		return "image"
	}
	return rawjson.Text(value)
}

// firstExtra returns the first member that a block of a known kind cannot have.
// (SDK v2.15.0, 2026-11.)
func firstExtra(kind string, keys []string) string {
	var known string
	switch kind {
	case "text":
		known = "text citations cache_control"
	case "image":
		known = "source transformations cache_control"
	case "document":
		known = "source title context citations cache_control"
	case "search_result":
		known = "source title content citations cache_control"
	case "tool_use":
		known = "id name input caller toolset_name cache_control"
	case "tool_result":
		known = "tool_use_id content is_error toolset_name cache_control"
	case "thinking":
		known = "thinking signature"
	case "redacted_thinking":
		known = "data"
	default:
		return ""
	}
	for _, key := range keys {
		if key != "type" && !strings.Contains(" "+known+" ", " "+key+" ") {
			return key
		}
	}
	return ""
}

// role checks who speaks.
func (c *checker) role(n int, m *role) {
	if n == 0 && m.name != "user" {
		c.refuse(stageContent, `messages: first message must use the "user" role`)
	}
	switch m.name {
	case "user", "assistant":
	case "system":
		if !c.mayBeSystem(n) {
			c.refuse(stagePrefill, "role 'system' is not supported on this model")
		}
	default:
		c.refuse(stageShape, "messages.%d.role: Input should be 'user' or 'assistant'", n)
	}
	before := &c.done.last
	if before.name == "system" && m.name != "assistant" {
		c.refuse(stagePrefill, "role 'system' is not supported on this model")
	}
	if before.empty {
		c.refuse(stageContent, "messages.%d: all messages must have non-empty content except for the optional final assistant message", n-1)
	}
	m.empty = len(c.blocks) == 0
	if m.empty {
		return
	}
	m.first = c.blocks[0].kind
	last := c.blocks[len(c.blocks)-1]
	m.serverTool = last.is("server_tool_use")
	m.endsInSpace = last.is("text") && endsInSpace(last.text)
}

// mayBeSystem reports whether message n may be a system message: it stands
// behind a user's, or behind an answer that ends in a server tool.
func (c *checker) mayBeSystem(n int) bool {
	if !c.limits.MidSystem || n == 0 {
		return false
	}
	before := &c.done.last
	return before.name == "user" || before.name == "assistant" && before.serverTool
}

func (c *checker) checkBlock(n, k int, m *role) {
	b := &c.blocks[k]
	c.stands(n, k, m.name, b)
	c.shape(b, func() string { return fmt.Sprintf("messages.%d.content.%d", n, k) })
	c.mark(&c.done.marks, *b, func() string { return fmt.Sprintf("messages.%d.content.%d", n, k) })
	c.done.lastMark = ttlOf(b.cache)
	if !b.is("tool_result") {
		return
	}
	for i := b.innerFrom; i < b.innerTo; i++ {
		in := &c.inner[i]
		at := func() string {
			return fmt.Sprintf("messages.%d.content.%d.tool_result.content.%d", n, k, i-b.innerFrom)
		}
		c.shape(in, at)
		c.mark(&c.done.marks, *in, at)
	}
}

// stands checks that a block may stand in a message of a role.
func (c *checker) stands(n, k int, role string, b *block) {
	switch b.kind {
	case "tool_use", "thinking", "redacted_thinking":
		if role != "assistant" {
			c.refuse(stageContent, "messages.%d: `%s` blocks can only be in `assistant` messages", n, b.kind)
		}
	case "tool_result", "image", "document":
		if role != "user" {
			c.refuse(stageContent, "messages.%d: `%s` blocks can only be in `user` messages", n, b.kind)
		}
	case "text":
	default:
		if role == "system" {
			c.refuse(stagePrefill, "role 'system' is not supported on this model")
		}
	}
}

// shape checks one block by itself.
func (c *checker) shape(b *block, at func() string) {
	if !b.isObject {
		c.refuse(stageShape, "%s: Input should be a valid dictionary", at())
		return
	}
	if b.extra != "" {
		c.refuse(stageShape, "%s.%s.%s: Extra inputs are not permitted", at(), b.kind, b.extra)
	}
	switch b.kind {
	case "text":
		switch empty, blank := verdict.Blank(b.text); {
		case empty:
			c.refuse(stageContent, "messages: text content blocks must be non-empty")
		case blank:
			c.refuse(stageContent, "messages: text content blocks must contain non-whitespace text")
		}
	case "tool_use":
		c.toolUse(b, at)
	case "thinking":
		switch {
		case b.signature == nil:
			c.refuse(stageThinking, "%s.thinking.signature: Field required", at())
		case len(verdict.Inside(b.signature)) == 0:
			c.refuse(stageThinking, "%s: Invalid `signature` in `thinking` block", at())
		}
		if !rawjson.IsNull(b.cache) {
			c.refuse(stageShape, "%s.thinking.cache_control: Extra inputs are not permitted", at())
		}
	case "redacted_thinking":
		if b.data == nil {
			c.refuse(stageThinking, "%s.redacted_thinking.data: Field required", at())
		}
	case "image", "document":
		c.medium(b, at)
	case "":
		c.refuse(stageShape, "%s.type: Field required", at())
	}
}

func (c *checker) toolUse(b *block, at func() string) {
	id := string(verdict.Inside(b.id))
	switch {
	case !toolIDs.Valid(id) && len(id) > toolIDs.MaxLen:
		c.refuse(stagePairing, "%s.tool_use.id: String should have at most %d characters", at(), toolIDs.MaxLen)
	case !toolIDs.Valid(id):
		c.refuse(stagePairing, "%s.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", at())
	case c.done.ids.Has(id):
		c.refuse(stagePairing, "%s: `tool_use` ids must be unique", at())
	case !validName(string(verdict.Inside(b.name))):
		c.refuse(stageShape, "%s.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'", at())
	case b.inputKind != '{':
		c.refuse(stageShape, "%s.tool_use.input: Input should be a valid dictionary", at())
	}
	c.done.ids.Add(id)
}
