package anthropic

import (
	"bytes"
	"slices"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/wire/internal/verdict"
)

// conclude checks what only the whole body shows.
func (c *checker) conclude() {
	c.unanswered()
	c.concludeEnd()
	c.concludeMarks()
	c.concludeMedia()
	c.concludeParameters()
}

// concludeEnd checks who speaks last.
func (c *checker) concludeEnd() {
	if c.done.messages == 0 {
		c.refuse(stageContent, "messages: at least one message is required")
		return
	}
	last := &c.done.last
	if last.name != "assistant" {
		if last.empty {
			c.refuse(stageContent, "messages.%d: all messages must have non-empty content except for the optional final assistant message", c.done.messages-1)
		}
		return
	}
	if c.limits.NoPrefill && !last.serverTool {
		c.refuse(stagePrefill, "This model does not support assistant message prefill. The conversation must end with a user message.")
	}
	if last.endsInSpace {
		c.refuse(stageContent, "messages: final assistant content cannot end with trailing whitespace")
	}
}

// endsInSpace reports whether the text of a JSON string does.
func endsInSpace(value []byte) bool {
	const escape = len(`\ud83d\ude00`) // the longest
	inside := value[min(1, len(value)):max(len(value)-1, 0)]
	if bytes.IndexByte(inside[max(len(inside)-escape, 0):], '\\') >= 0 {
		inside = verdict.Inside(value)
	}
	return len(inside) > 0 && strings.IndexByte(" \n\r\t", inside[len(inside)-1]) >= 0
}

// concludeParameters checks the members beside the content.
func (c *checker) concludeParameters() {
	p, l := &c.params, c.limits
	if !p.hasModel {
		c.refuse(stageShape, "model: Field required")
	} else if l.KnownModel != nil && !l.KnownModel(p.model) && c.stages.Open(stageModel) {
		r := refusal("model: %s", p.model)
		r.Status, r.Type = 404, "not_found_error"
		c.stages.Add(stageModel, r)
	}
	if p.hasBinding && !slices.Contains(l.Betas, bindingBeta) {
		c.refuse(stageShape, "thinking.block_binding: Extra inputs are not permitted")
	}
	tokens := rawjson.Int(p.maxTokens)
	switch {
	case p.maxTokens == nil && l.MaxOutput > 0:
		c.refuse(stageShape, "max_tokens: Field required")
	case tokens < 0:
		c.refuse(stageShape, "max_tokens: Input should be greater than or equal to 0")
	case l.MaxOutput > 0 && tokens > int64(l.MaxOutput):
		c.refuse(stageParameters, "max_tokens: %d > %d, which is the maximum allowed number of output tokens for %s", tokens, l.MaxOutput, p.model)
	}
	c.thinkingParameters(tokens)
	if l.NoForcedTool && (p.toolChoice == "any" || p.toolChoice == "tool") {
		c.refuse(stageParameters, `tool_choice: type "tool" and "any" are not supported for this model.`)
	}
}

func (c *checker) thinkingParameters(maxTokens int64) {
	p := &c.params
	if c.limits.AdaptiveOnly {
		if p.thinking == "enabled" || p.thinking == "disabled" {
			c.refuse(stageParameters, `"thinking.type.%s" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`, p.thinking) //nolint:misspell // the API's words
		}
		if p.sampling != "" {
			c.refuse(stageParameters, "`%s` is deprecated for this model.", p.sampling)
		}
		return
	}
	if p.thinking != "enabled" {
		return
	}
	switch budget := rawjson.Int([]byte(p.budget)); {
	case budget < 1024:
		c.refuse(stageParameters, "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
	case p.maxTokens != nil && budget >= maxTokens:
		c.refuse(stageParameters, "`max_tokens` must be greater than `thinking.budget_tokens`.")
	}
	c.openRound()
}

// openRound checks that an answer whose tools have just run begins with
// thinking, as models with manual thinking want it.
func (c *checker) openRound() {
	answer, results := &c.done.before, &c.done.last
	if answer.name != "assistant" || results.first != "tool_result" {
		return
	}
	if answer.first != "thinking" && answer.first != "redacted_thinking" {
		c.refuse(stageThinking, "messages.%d.content.0.type: Expected `thinking` or `redacted_thinking`, but found `%s`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`.", c.done.messages-2, answer.first) //nolint:misspell // the API's words
	}
}
