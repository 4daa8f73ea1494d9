package gemini

import (
	"fmt"
	"slices"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/internal/verdict"
)

// The API is taken to check in this order.
const (
	stageShape = iota
	stageTurns
	stageMedia
	stageSignatures
	stageParameters
)

// Check reads a generateContent body as the API does and returns its refusal, in
// its words, or nil. It sees what a body alone shows; the zero limits check its
// structure only. It never counts tokens. (Texts: bodies quoted in public
// issues, 2023 to 2026; that for the number of images is in the API's style
// only.)
func Check(body []byte, limits wire.Limits) *wire.Refusal {
	return check(body, limits, &verdict.Thread[progress]{})
}

// check is [Check] for a body that may begin as one that has passed.
func check(body []byte, limits wire.Limits, thread *verdict.Thread[progress]) *wire.Refusal {
	if limits.BodyBytes > 0 && len(body) > limits.BodyBytes {
		return refusal("Request payload size exceeds the limit: %d bytes.", limits.BodyBytes)
	}
	c := checker{limits: limits, r: rawjson.NewReader(body), thread: thread}
	c.object("", verdict.Path{}, c.member)
	if fault := thread.Unreadable(body, c.r.End()); fault != "" {
		return refusal("Invalid JSON payload received. %s", fault)
	}
	c.conclude()
	return c.stages.First()
}

func refusal(format string, args ...any) *wire.Refusal {
	return &wire.Refusal{Status: 400, Type: "INVALID_ARGUMENT", Message: fmt.Sprintf(format, args...)}
}

type checker struct {
	limits wire.Limits
	r      *rawjson.Reader
	thread *verdict.Thread[progress]
	stages verdict.Stages
	parts  []part // of the content being read
	done   progress
}

// progress is what the checker knows of the contents so far.
type progress struct {
	contents int
	turns    turns
	images   int
	unsigned *unsigned // the first of the current turn
}

// clone returns a copy that is not changed by the contents that follow.
func (p progress) clone() progress { return p }

// unsigned is the first call of an answer, without a signature.
type unsigned struct {
	content int
	name    string
}

func (c *checker) refuse(stage int, format string, args ...any) {
	if c.stages.Open(stage) {
		c.stages.Add(stage, refusal(format, args...))
	}
}

// object reads the members of the next value, which is at path.
func (c *checker) object(request string, path verdict.Path, f func(key []byte) (known bool)) {
	if c.r.Kind() != '{' {
		c.r.Value()
		c.refuse(stageShape, "Invalid value at '%s' (%s), expected an object", path, request)
		return
	}
	c.r.Object(func(key []byte) {
		if f(key) || !c.limits.StrictKeys {
			return
		}
		at := ""
		if path != (verdict.Path{}) {
			at = fmt.Sprintf(" at '%v'", path)
		}
		c.refuse(stageShape, "Invalid JSON payload received. Unknown name \"%s\"%s: Cannot find field.", key, at)
	})
}

// topKeys are the further members of a body. (SDK v1.77.0, 2026-10.)
func topKeys() []string {
	return []string{"systemInstruction", "system_instruction", "toolConfig", "tool_config", "safetySettings", "safety_settings", "cachedContent", "cached_content", "labels", "model", "store", "serviceTier", "service_tier"}
}

func (c *checker) member(key []byte) bool {
	switch string(key) {
	case "contents":
		c.readContents()
	case "tools":
		c.tools()
	case "generationConfig", "generation_config":
		c.generation(c.r.Value())
	default:
		return slices.Contains(topKeys(), string(key))
	}
	return true
}

func (c *checker) generation(config []byte) {
	tokens := rawjson.Get(config, "maxOutputTokens")
	if n := rawjson.Int(tokens); tokens != nil && c.limits.MaxOutput > 0 && (n < 1 || n > int64(c.limits.MaxOutput)) {
		c.refuse(stageParameters, "Unable to submit request because it has a maxOutputTokens value of %d but the supported range is from 1 (inclusive) to %d (exclusive). Update the value and try again.", n, c.limits.MaxOutput+1)
	}
}

func (c *checker) tools() {
	if c.r.Kind() != '[' {
		c.r.Value()
		return
	}
	count := 0
	c.r.Array(func(i int) {
		tool := c.r.Value()
		declarations := rawjson.Get(tool, "functionDeclarations")
		if declarations == nil {
			declarations = rawjson.Get(tool, "function_declarations")
		}
		k := -1
		_ = rawjson.Elements(declarations, func(d []byte) error {
			k++
			count++
			if n := rawjson.Text(rawjson.Get(d, "name")); n == "" || n != name(n) {
				c.refuse(stageShape, "* GenerateContentRequest.tools[%d].function_declarations[%d].name: Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of %d.\n", i, k, maxNameLen)
			}
			return nil
		})
	})
	if most := c.limits.Tools; most > 0 && count > most {
		c.refuse(stageShape, "* GenerateContentRequest.tools: at most %d function declarations are supported, got %d.\n", most, count)
	}
}

// conclude checks what only the whole body shows.
func (c *checker) conclude() {
	if c.done.contents == 0 {
		c.refuse(stageShape, "* GenerateContentRequest.contents: contents is not specified\n")
	}
	c.done.turns.end(c)
	if most := c.limits.Media; most > 0 && c.done.images > most {
		c.refuse(stageMedia, "The request has %d images, but at most %d are supported.", c.done.images, most)
	}
	if u := c.done.unsigned; u != nil && c.limits.CallSignatures {
		c.refuse(stageSignatures, "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:%s`, position %d.", u.name, u.content+1)
	}
}
