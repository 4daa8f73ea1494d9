package providertest

import (
	"time"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
)

// A prompt is a request taken apart. The blocks and messages are slices of its
// body, which has passed the checker.
type prompt struct {
	model  string
	system []string
	tools  []string
	// blocks are what the model reads, in its order: tools, system prompt,
	// messages.
	blocks []block
	frame  int // how many of them are no messages
	said   []said
	decode func(said) []message.Message

	stream    bool
	maxOutput int // 0 where the request does not say
	// mode is what else the cached messages depend on: tool choice and thinking.
	mode        string
	thinkingOff bool
	// shows says that the answer may show its thinking, or must return it sealed.
	shows bool
	// drops says that thinking which does not fit is to be left out.
	drops bool
	// countsUsage says that a stream is to end with the usage.
	countsUsage bool
	cacheKey    string
	// window is what the request sets it to (Ollama), 0 where it does not.
	window int
	// whole says that the prompt must not be cut (Ollama).
	whole bool
}

// said is a message of a request.
type said struct {
	role string
	json []byte
}

// A block is a piece of the prompt that is counted and cached as one.
type block struct {
	role    string
	json    []byte // an object, or a string that stands for a text
	message int    // index of its message; -1 in the frame
	// cached is how long the prompt up to here is asked to be cached; 0: it is
	// not.
	cached time.Duration
	// sealed says that it is thinking: what other thinking is bound to leaves it
	// out.
	sealed bool
}

func (p *prompt) tool(name string, json []byte) {
	p.tools = append(p.tools, name)
	p.add(block{role: "tools", json: json, message: -1})
}

func (p *prompt) instruct(text string, json []byte) {
	p.system = append(p.system, text)
	p.add(block{role: "system", json: json, message: -1})
}

func (p *prompt) add(b block) { p.blocks = append(p.blocks, b) }

// say takes a message; its blocks follow.
func (p *prompt) say(role string, json []byte) { p.said = append(p.said, said{role, json}) }

// piece takes a block of the message said last.
func (p *prompt) piece(json []byte) *block {
	n := len(p.said) - 1
	p.add(block{role: p.said[n].role, json: json, message: n})
	return &p.blocks[len(p.blocks)-1]
}

// pieces takes the elements of an array, or the one value that stands for it.
func (p *prompt) pieces(content []byte, each func(*block)) {
	if rawjson.IsNull(content) {
		return
	}
	if content[0] != '[' {
		each(p.piece(content))
		return
	}
	_ = rawjson.Elements(content, func(v []byte) error {
		each(p.piece(v))
		return nil
	})
}

// fields returns the members of an object.
func fields(object []byte) map[string][]byte {
	m := map[string][]byte{}
	_ = rawjson.Members(object, func(key string, v []byte) error { // it has been checked
		m[key] = v
		return nil
	})
	return m
}

// elements calls f for the elements of an array.
func elements(array []byte, f func(v []byte)) {
	_ = rawjson.Elements(array, func(v []byte) error { // it has been checked
		f(v)
		return nil
	})
}

// get returns the value at the end of a path of keys.
func get(object []byte, path ...string) []byte {
	for _, key := range path {
		object = rawjson.Get(object, key)
	}
	return object
}

func textAt(object []byte, path ...string) string { return rawjson.Text(get(object, path...)) }
