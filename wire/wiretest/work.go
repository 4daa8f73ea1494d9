package wiretest

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/message"
)

// Work draws turns of an agent at work, of parts of any size: prompts, some with
// pictures, and answers that think, say something and call tools, known ones
// and others, with what became of the calls. Parts have sizes in bytes.
func Work(turns int, sizes ...int) *rapid.Generator[[]message.Message] {
	return rapid.Custom(func(t *rapid.T) []message.Message {
		w := worker{drawer{T: t}, sizes}
		var path []message.Message
		for range rapid.IntRange(1, turns).Draw(t, "turns") {
			path = append(path, w.turn()...)
		}
		return path
	})
}

type worker struct {
	drawer
	sizes []int
}

func (w *worker) turn() []message.Message {
	if w.chance(3) {
		prompt := message.Prompt(w.long())
		if w.chance(4) {
			prompt.Parts = append(prompt.Parts, w.picture())
		}
		return []message.Message{prompt}
	}
	answer := message.Message{Role: message.Assistant, Author: message.ByModel, Wire: "anthropic", Model: Model, Parts: []message.Part{
		message.Thinking{Text: w.long(), Signature: "c2ln"}, message.Text{Text: w.long()},
	}}
	var results []message.ToolResult
	for range rapid.IntRange(0, 3).Draw(w.T, "calls") {
		call := message.ToolCall{
			ID: pick(&w.drawer, "id", "call_0", "a", "b"), Name: pick(&w.drawer, "tool", "read", "bash", "edit", "grep", "mystery"),
			Arguments: fmt.Appendf(nil, `{"path":%q,"x":%q}`, pick(&w.drawer, "file", "a.go", "b.go"), w.long()),
		}
		answer.Parts = append(answer.Parts, call)
		if w.chance(6) {
			continue // interrupted
		}
		result := message.ToolResult{CallID: call.ID, Outcome: pick(&w.drawer, "outcome", message.OK, message.OK, message.Failed), Content: []message.Content{message.Text{Text: w.long()}}}
		if w.chance(3) {
			result.Content = append(result.Content, w.picture())
		}
		results = append(results, result)
	}
	if len(results) == 0 {
		return []message.Message{answer}
	}
	return []message.Message{answer, message.Results(results...)}
}

// words are of several kinds, to be repeated to any size.
var words = []string{"the quick brown fox ", "func main() { return }\n", `{"id":12345,"ok":true},`, "deadbeef0123", "漢字かな ", "    "}

func (w *worker) long() string {
	kind := rapid.SampledFrom(words).Draw(w.T, "words")
	size := rapid.SampledFrom(w.sizes).Draw(w.T, "size")
	return strings.Repeat(kind, size/len(kind)+1)
}

func (w *worker) picture() message.Image { return pick(&w.drawer, "picture", pictures()...) }

// Gallery draws a prompt for which a tool returned many pictures of any size in
// pixels, and perhaps one whose file is long, of at most so many bytes.
func Gallery(longest int) *rapid.Generator[[]message.Message] {
	return rapid.Custom(func(t *rapid.T) []message.Message {
		w := worker{drawer: drawer{T: t}}
		call := message.ToolCall{ID: "shots", Name: "screenshots", Arguments: []byte(`{}`)}
		var shown []message.Content
		for range rapid.IntRange(1, 40).Draw(t, "pictures") {
			shown = append(shown, w.picture())
		}
		if long := pick(&w.drawer, "long file", longPictures()...); w.chance(4) && long.Size <= int64(longest) {
			shown = append(shown, long)
		}
		return []message.Message{
			message.Prompt("Look at these."),
			{Role: message.Assistant, Author: message.ByModel, Parts: []message.Part{call}},
			message.Results(message.ToolResult{CallID: call.ID, Content: shown}),
		}
	})
}

// pictures are of every size in pixels that providers tell apart.
var pictures = sync.OnceValue(func() []message.Image {
	return []message.Image{
		picture(800, 600, 0), picture(1, 1, 0), picture(1568, 784, 0), picture(2000, 2000, 0), picture(2001, 10, 0),
		picture(8000, 20, 0), picture(8001, 20, 0), picture(640, 480, 0), picture(31, 77, 0), picture(1024, 768, 0),
	}
})

// longPictures are of about as many bytes as providers take, and of more.
var longPictures = sync.OnceValue(func() []message.Image {
	return []message.Image{picture(640, 480, 90_000), picture(1000, 1000, 1_000_000), picture(1000, 1000, 4_000_000), picture(1000, 1000, 8_000_000)}
})

// picture returns a picture whose file is longer than it must be, as by metadata.
func picture(widthPx, heightPx, padding int) message.Image {
	return message.NewImage("image/png", append(PNG(widthPx, heightPx), bytes.Repeat([]byte{0}, padding)...))
}
