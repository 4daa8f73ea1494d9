package anthropic

import (
	"slices"

	"github.com/stemma-history/stemma/internal/rawjson"
)

// A mark is a cache mark, and the place it has. The API reads tools first, then
// the system prompt, then the messages, however a body orders them.
type mark struct {
	long bool // an hour
	at   string
}

// ttlOf returns how long a cache mark asks for; empty if it is none.
func ttlOf(cache []byte) string {
	if rawjson.IsNull(cache) {
		return ""
	}
	if ttl := rawjson.Text(rawjson.Get(cache, "ttl")); ttl != "" {
		return ttl
	}
	return "5m"
}

func (c *checker) mark(list *[]mark, b block, at func() string) {
	ttl := ttlOf(b.cache)
	if ttl == "" {
		return
	}
	if ttl != "5m" && ttl != "1h" {
		c.refuse(stageShape, "%s.cache_control.ttl: Input should be '5m' or '1h'", at())
	}
	*list = append(*list, mark{long: ttl == "1h", at: at()})
}

func (c *checker) concludeMarks() {
	all := slices.Concat(c.tools, c.system, c.done.marks)
	count := len(all)
	if last := c.done.lastMark; c.top != "" {
		if last != "" && last != c.top {
			c.refuse(stageMarks, "Top-level cache_control has ttl='%s' but the target block already has cache_control with ttl='%s'", c.top, last)
		}
		if last == "" {
			count++
		}
	}
	if count > 4 {
		c.refuse(stageMarks, "A maximum of 4 blocks with cache_control may be provided. Found %d.", count)
	}
	short := false
	for _, mark := range all {
		if mark.long && short {
			c.refuse(stageMarks, "%s.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.", mark.at)
		}
		short = short || !mark.long
	}
}
