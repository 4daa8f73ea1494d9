package anthropic

import (
	"fmt"
	"slices"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/internal/seen"
	"github.com/stemma-history/stemma/wire/internal/verdict"
)

// The API checks in this order. (Observed by public probes, 2026.)
const (
	stageJSON = iota
	stageShape
	stageModel
	stageContent
	stagePairing
	stagePrefill
	stageMarks
	stageMedia
	stageThinking
	stageParameters
)

// Check reads a request body as the API does and returns its refusal, in its
// words, or nil. It sees what a body alone shows; the zero limits check its
// structure only. It never counts tokens. (Texts: bodies quoted in public issues
// and probes, 2025 and 2026.)
func Check(body []byte, limits wire.Limits) *wire.Refusal {
	return check(body, limits, &verdict.Thread[progress]{})
}

// check is [Check] for a body that may begin as one that has passed.
func check(body []byte, limits wire.Limits, thread *verdict.Thread[progress]) *wire.Refusal {
	if limits.BodyBytes > 0 && len(body) > limits.BodyBytes {
		return &wire.Refusal{Status: 413, Type: "request_too_large", Message: "Request exceeds the maximum size"}
	}
	c := checker{limits: limits, r: rawjson.NewReader(body), thread: thread}
	c.body()
	if fault := thread.Unreadable(body, c.r.End()); fault != "" {
		return refusal("The request body is not valid JSON: %s", fault)
	}
	c.conclude()
	if limits.Thinking != nil && c.stages.Open(stageThinking) {
		c.thinking(body)
	}
	return c.stages.First()
}

func refusal(format string, args ...any) *wire.Refusal {
	return &wire.Refusal{Status: 400, Type: "invalid_request_error", Message: fmt.Sprintf(format, args...)}
}

type checker struct {
	limits wire.Limits
	r      *rawjson.Reader
	thread *verdict.Thread[progress]
	stages verdict.Stages

	params        parameters
	tools, system []mark // cache marks of the frame
	top           string // how long the top-level mark asks for; empty if there is none
	done          progress
	blocks        []block // of the message being read
	inner         []block // inside its results
}

// progress is what the checker knows of the messages so far.
type progress struct {
	messages     int
	before, last role // of the last two messages
	pairs        pairs
	ids          seen.Set // of all calls
	media        media
	marks        []mark // cache marks
	lastMark     string // how long that of the last block asks for
}

// clone returns a copy that is not changed by the messages that follow.
func (p progress) clone() progress {
	p.pairs = p.pairs.clone()
	p.media.large = slices.Clip(p.media.large)
	p.marks = slices.Clip(p.marks)
	return p
}

// role is what the checker keeps of a message.
type role struct {
	name              string
	empty, serverTool bool   // has no content; ends with a call of a server tool
	first             string // kind of the first block
	endsInSpace       bool   // of the last block, a text
}

// parameters are the members of the body beside its content.
type parameters struct {
	model                        string
	hasModel                     bool
	maxTokens                    []byte
	thinking, budget, toolChoice string
	hasBinding                   bool
	onMismatch                   string // what is to become of thinking that is bound elsewhere
	sampling                     string // the first of the sampling parameters
}

func (c *checker) refuse(stage int, format string, args ...any) {
	if c.stages.Open(stage) {
		c.stages.Add(stage, refusal(format, args...))
	}
}

func (c *checker) body() {
	if c.r.Kind() != '{' {
		if c.r.Kind() != 0 {
			c.refuse(stageShape, "Input should be a valid dictionary")
		}
		c.r.Value()
		return
	}
	c.r.Object(func(key []byte) {
		switch string(key) {
		case "messages":
			c.readMessages()
		case "system":
			c.readSystem()
		case "tools":
			c.readTools()
		case "model":
			c.params.model, c.params.hasModel = rawjson.Text(c.r.Value()), true
		case "max_tokens":
			c.params.maxTokens = c.r.Value()
		case "cache_control":
			c.top = ttlOf(c.r.Value())
		case "thinking":
			c.thinkingMode()
		case "tool_choice":
			c.params.toolChoice = rawjson.Text(rawjson.Get(c.r.Value(), "type"))
		case "temperature", "top_p", "top_k":
			if c.params.sampling == "" && !rawjson.IsNull(c.r.Value()) {
				c.params.sampling = string(key)
			}
		default:
			if c.limits.StrictKeys && !slices.Contains(topKeys(), string(key)) {
				c.refuse(stageShape, "%s: Extra inputs are not permitted", key)
			}
		}
	})
}

// topKeys returns the further members of a body. (SDK v2.15.0, 2026-11.)
func topKeys() []string {
	return []string{"stream", "metadata", "stop_sequences", "service_tier", "output_config", "speed", "diagnostics", "container", "inference_geo",
		"context_management", "compaction", "thread", "mcp_servers", "fallbacks", "fallback_credit_token", "billing_policy", "output_format"}
}

func (c *checker) thinkingMode() {
	if c.r.Kind() != '{' {
		c.r.Value()
		return
	}
	c.r.Object(func(key []byte) {
		switch string(key) {
		case "type":
			c.params.thinking = rawjson.Text(c.r.Value())
		case "budget_tokens":
			c.params.budget = string(c.r.Value())
		case "block_binding":
			c.params.hasBinding = true
			c.params.onMismatch = rawjson.Text(rawjson.Get(c.r.Value(), "prefix_mismatch_behavior")) //nolint:misspell // the API's words
		}
	})
}

func (c *checker) readSystem() {
	if c.r.Kind() != '[' {
		c.r.Value()
		return
	}
	c.r.Array(func(i int) {
		b := c.block(false)
		c.mark(&c.system, b, func() string { return fmt.Sprintf("system.%d", i) })
		if empty, _ := verdict.Blank(b.text); empty {
			c.refuse(stageContent, "system: text content blocks must be non-empty")
		}
	})
}

func (c *checker) readTools() {
	if c.r.Kind() != '[' {
		c.r.Value()
		return
	}
	names := map[string]bool{}
	count := 0
	c.r.Array(func(i int) {
		count++
		c.tool(i, names)
	})
	if c.limits.Tools > 0 && count > c.limits.Tools {
		c.refuse(stageShape, "tools: List should have at most %d items after validation, not %d", c.limits.Tools, count)
	}
}

func (c *checker) tool(i int, names map[string]bool) {
	if c.r.Kind() != '{' {
		c.r.Value()
		c.refuse(stageShape, "tools.%d: Input should be a valid dictionary", i)
		return
	}
	var name, kind string
	var schema, cache []byte
	c.r.Object(func(key []byte) {
		switch string(key) {
		case "name":
			name = rawjson.Text(c.r.Value())
		case "type":
			kind = rawjson.Text(c.r.Value())
		case "input_schema":
			schema = c.r.Value()
		case "cache_control":
			cache = c.r.Value()
		}
	})
	c.mark(&c.tools, block{cache: cache}, func() string { return fmt.Sprintf("tools.%d", i) })
	if kind != "" && kind != "custom" {
		return // a tool of the server's
	}
	switch {
	case !validName(name):
		c.refuse(stageShape, "tools.%d.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'", i)
	case schema == nil:
		c.refuse(stageShape, "tools.%d.custom.input_schema: Field required", i)
	case rawjson.Get(schema, "type") == nil:
		c.refuse(stageShape, "tools.%d.custom.input_schema.type: Field required", i)
	case names[name]:
		c.refuse(stageShape, "tools: Tool names must be unique.")
	}
	names[name] = true
}

func validName(name string) bool {
	return wire.IDRule{MaxLen: maxNameLen, Punctuation: "_-"}.Valid(name)
}
