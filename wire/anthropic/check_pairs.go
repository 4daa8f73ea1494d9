package anthropic

import (
	"maps"
	"slices"
	"strings"

	"github.com/stemma-history/stemma/wire/internal/verdict"
)

// pairs is the state of pairing calls with results. Messages of the same role
// in a row count as one: the API merges them.
type pairs struct {
	role     string          // of the messages read last
	at       int             // the first of them that has calls, for the words of the refusal
	calls    []string        // of the answer before, or of the one being read
	answered map[string]bool // whether each of them is
	leading  bool            // nothing but results in the user message so far
}

// clone returns a copy that is not changed by the messages that follow.
func (p pairs) clone() pairs {
	p.calls, p.answered = slices.Clone(p.calls), maps.Clone(p.answered)
	return p
}

// pair checks that a message begins with one result for each call of the answer
// before it, and has no others.
func (c *checker) pair(n int, role string) {
	p := &c.done.pairs
	if role == "system" {
		return
	}
	if role != p.role {
		c.turn(n, role)
	}
	for k := range c.blocks {
		switch b := &c.blocks[k]; {
		case role == "assistant" && b.is("tool_use"):
			if len(p.calls) == 0 {
				p.at = n
			}
			id := string(verdict.Inside(b.id))
			p.calls, p.answered[id] = append(p.calls, id), false
		case role == "user" && b.is("tool_result"):
			c.result(n, k, string(verdict.Inside(b.toolUse)))
		default:
			p.leading = false
		}
	}
}

// turn goes on to a message of the other role.
func (c *checker) turn(n int, role string) {
	p := &c.done.pairs
	if role == "assistant" {
		c.unanswered()
		p.calls = p.calls[:0]
		if clear(p.answered); p.answered == nil {
			p.answered = map[string]bool{}
		}
	}
	p.role, p.leading = role, true
}

func (c *checker) result(n, k int, id string) {
	p := &c.done.pairs
	answered, called := p.answered[id]
	switch {
	case !called:
		c.refuse(stagePairing, "messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", n, k, id)
	case answered:
		c.refuse(stagePairing, "messages.%d.content.%d: each tool_use must have a single result. Found multiple `tool_result` blocks with id: %s", n, k, id)
	case p.leading:
		p.answered[id] = true
	}
}

func (c *checker) unanswered() {
	p := &c.done.pairs
	var missing []string
	for _, id := range p.calls {
		if !p.answered[id] {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		c.refuse(stagePairing, "messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", p.at, strings.Join(missing, ", "))
	}
}
