package anthropic

import (
	"fmt"
	"slices"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/wire"
)

// bindingBeta is the header value with which a request may say what becomes of
// thinking that is bound to another prefix.
const bindingBeta = "thinking-binding-controls-2026-08-01"

// thinking asks the judge about each thinking block, in order.
func (c *checker) thinking(body []byte) {
	drops := c.params.onMismatch == "drop_block"
	var previous []byte
	var places []string
	dropping := false // after one block is dropped, all later ones are
	walk(body, func(_ string, block []byte, before *Prefix, n, k int) {
		at := fmt.Sprintf("messages.%d.content.%d", n, k)
		places = append(places, at)
		if !isThinking(block) || dropping {
			return
		}
		j := c.limits.Thinking(wire.SentThinking{Block: block, Before: before.Hashes(), Previous: previous})
		switch {
		case j.Forged && rawjson.Text(rawjson.Get(block, "type")) == "redacted_thinking":
			c.refuse(stageThinking, "%s: Invalid `data` in `redacted_thinking` block", at)
		case j.Forged:
			c.refuse(stageThinking, "%s: Invalid `signature` in `thinking` block", at)
		case j.Moved && drops:
			dropping = true
		case j.Moved:
			c.refuse(stageThinking, "%s", c.moved(at, places, j.ChangedAt))
		}
		previous = block
	})
}

// moved returns the words for a block that is bound to another prefix. changed
// is the first of the running hashes that differs: the frame's, or that after a
// block.
func (c *checker) moved(at string, places []string, changed int) string {
	words := at + ": Invalid `signature` in `thinking` block. The block is bound to a different conversation.\n" +
		"Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\"." //nolint:misspell // the API's words
	switch {
	case changed == 0:
		words += "\n[Content before this block differs from when it was created, first at `system`.]"
	case changed > 0 && changed <= len(places):
		words += "\n[Content before this block differs from when it was created, first at `" + places[changed-1] + "`.]"
	}
	if !slices.Contains(c.limits.Betas, bindingBeta) {
		words += "\n[That setting requires the `" + bindingBeta + "` value in the `anthropic-beta` header.]"
	}
	return words
}
