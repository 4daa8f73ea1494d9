package anthropic

import (
	"crypto/sha256"
	"hash"
	"slices"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
)

// A Prefix is the running hash of what stands before a place in a conversation,
// as the API binds thinking to it: tools, system prompt and every earlier
// content block. Cache marks and thinking are left out; the order of members
// does not count, nor whether a text is written as a string or as a block.
// (Vendor's documentation, 2026-09.)
type Prefix struct {
	h      hash.Hash
	hashes []message.Hash
	scan   []byte
}

// NewPrefix returns the prefix of a frame: the raw tools and system prompt of a
// body, empty where it has none.
func NewPrefix(tools, system []byte) *Prefix {
	p := &Prefix{h: sha256.New()}
	p.write(tools)
	if len(system) > 0 && system[0] == '"' {
		system = textBlocks(system)
	}
	p.write(system)
	p.end()
	return p
}

// PrefixOf returns the prefix that an answer to a body has.
func PrefixOf(body []byte) *Prefix {
	return walk(body, func(string, []byte, *Prefix, int, int) {})
}

// walk builds the prefix of a body and shows f each block with what stands
// before it.
func walk(body []byte, f func(role string, block []byte, before *Prefix, n, k int)) *Prefix {
	var tools, system, messages []byte
	_ = rawjson.Members(body, func(key string, v []byte) error {
		switch key {
		case "tools":
			tools = v
		case "system":
			system = v
		case "messages":
			messages = v
		}
		return nil
	})
	p := NewPrefix(tools, system)
	n := -1
	_ = rawjson.Elements(messages, func(m []byte) error {
		n++
		role, content := rawjson.Text(rawjson.Get(m, "role")), rawjson.Get(m, "content")
		if len(content) > 0 && content[0] == '"' {
			content = textBlocks(content)
		}
		k := -1
		return rawjson.Elements(content, func(b []byte) error {
			k++
			f(role, b, p, n, k)
			p.Add(role, b)
			return nil
		})
	})
	return p
}

func textBlocks(text []byte) []byte {
	return slices.Concat([]byte(`[{"type":"text","text":`), text, []byte(`}]`))
}

// Add takes the next content block.
func (p *Prefix) Add(role string, block []byte) {
	if !isThinking(block) {
		p.h.Write([]byte(role))
		p.write(block)
	}
	p.end()
}

func isThinking(block []byte) bool {
	kind := rawjson.Text(rawjson.Get(block, "type"))
	return kind == "thinking" || kind == "redacted_thinking"
}

// Hashes returns the running hashes: of the frame, then after each block.
func (p *Prefix) Hashes() []message.Hash { return p.hashes }

// Last returns the hash of everything.
func (p *Prefix) Last() message.Hash { return p.hashes[len(p.hashes)-1] }

func (p *Prefix) write(value []byte) {
	p.scan = appendCanonical(p.scan[:0], value)
	p.h.Write(p.scan)
	p.h.Write([]byte{0})
}

func (p *Prefix) end() { p.hashes = append(p.hashes, message.Hash(p.h.Sum(nil))) }

// appendCanonical writes a value without spaces, members in the order of their
// names, strings with the fewest escapes, and no cache marks.
func appendCanonical(dst, value []byte) []byte {
	if len(value) == 0 {
		return dst
	}
	switch value[0] {
	case '{':
		type member struct {
			key   string
			value []byte
		}
		var members []member
		_ = rawjson.Members(value, func(key string, v []byte) error {
			if key != "cache_control" {
				members = append(members, member{key, v})
			}
			return nil
		})
		slices.SortStableFunc(members, func(a, b member) int {
			switch {
			case a.key < b.key:
				return -1
			case a.key > b.key:
				return 1
			}
			return 0
		})
		dst = append(dst, '{')
		for _, m := range members {
			dst = append(rawjson.AppendString(dst, m.key), ':')
			dst = append(appendCanonical(dst, m.value), ',')
		}
		return append(dst, '}')
	case '[':
		dst = append(dst, '[')
		_ = rawjson.Elements(value, func(v []byte) error {
			dst = append(appendCanonical(dst, v), ',')
			return nil
		})
		return append(dst, ']')
	case '"':
		return rawjson.AppendString(dst, rawjson.Text(value))
	}
	return append(dst, value...)
}
