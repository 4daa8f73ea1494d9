package wiretest

import (
	"bytes"
	"fmt"
	"image"
	"image/gif"
	"image/png"
	"strings"
	"sync"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

// Model is the model that answers in drawn conversations.
const Model = "test-model-3"

// Path draws a conversation as a store may hold it: parallel calls, calls that
// were interrupted, ids that repeat, results that come late, twice or not at
// all, empty and huge texts of all scripts, images that can be sent and that
// cannot, thinking, blocks of this wire and of others, records of tools. Most
// answers are the model's own over the named wire. The path ends where a
// request may be made: with a prompt, or with results.
func Path(wireName string) *rapid.Generator[[]message.Message] {
	return rapid.Custom(func(t *rapid.T) []message.Message {
		d := drawer{T: t, wire: wireName}
		var path []message.Message
		for range rapid.IntRange(0, 8).Draw(t, "turns") {
			path = append(path, d.turn()...)
		}
		if n := len(path); n > 0 && path[n-1].Author == message.ByTool && d.chance(2) {
			return path
		}
		return append(path, message.Prompt("What now?"))
	})
}

// View returns a path as a view that shows all of it.
func View(path []message.Message) wire.View {
	var v wire.View
	for i, m := range path {
		v.Messages = append(v.Messages, wire.Message{Message: m, At: history.Handle{Depth: i + 1}})
	}
	return v
}

// Request returns a request for a view of the whole path.
func Request(wireName string, path []message.Message) wire.Request {
	return wire.Request{
		Frame: wire.Frame{
			System: []string{"Be brief.", " "},
			Tools:  []wire.Tool{{Name: "bash", Description: "runs", Schema: []byte(`{"type":"object","properties":{"cmd":{"type":"string"}}}`)}, {Name: "fs.read"}},
			Model:  Model,
			Wire:   wireName,
		},
		View:      View(path),
		MaxOutput: 1000,
	}
}

type drawer struct {
	*rapid.T
	wire string
}

// chance reports true once in n times.
func (d *drawer) chance(n int) bool { return rapid.IntRange(1, n).Draw(d.T, "chance") == n }

func pick[V any](d *drawer, label string, values ...V) V {
	return rapid.SampledFrom(values).Draw(d.T, label)
}

// turn draws a prompt, an answer with what became of its calls, or a fault.
func (d *drawer) turn() []message.Message {
	switch rapid.IntRange(0, 9).Draw(d.T, "turn") {
	case 0, 1, 2:
		return []message.Message{d.user(pick(d, "author", message.ByPerson, message.ByHarness, message.ByDigest))}
	case 3:
		return []message.Message{d.answer(0)}
	case 4:
		return []message.Message{d.silent()}
	case 5:
		return []message.Message{d.anything()}
	}
	answer := d.answer(rapid.IntRange(1, 4).Draw(d.T, "calls"))
	return append([]message.Message{answer}, d.results(answer)...)
}

func (d *drawer) user(author message.Author) message.Message {
	m := message.Message{Role: message.User, Author: author}
	for range rapid.IntRange(1, 3).Draw(d.T, "parts") {
		m.Parts = append(m.Parts, d.content(true))
	}
	return m
}

// silent draws another program's own record.
func (d *drawer) silent() message.Message {
	return message.Message{Role: message.User, Author: message.ByHarness, Parts: []message.Part{message.Opaque{Format: "some-tool", Raw: []byte(`{"mode":1}`)}}}
}

// anything draws a message whose parts stand where they should not.
func (d *drawer) anything() message.Message {
	m := message.Message{Role: pick(d, "role", message.User, message.Assistant, message.Tool), Author: message.ByModel, Wire: d.wire, Model: Model}
	for range rapid.IntRange(0, 4).Draw(d.T, "parts") {
		switch rapid.IntRange(0, 3).Draw(d.T, "part") {
		case 0:
			m.Parts = append(m.Parts, d.call())
		case 1:
			m.Parts = append(m.Parts, message.ToolResult{CallID: d.id(), Content: []message.Content{d.content(true)}})
		case 2:
			m.Parts = append(m.Parts, d.thinking())
		default:
			m.Parts = append(m.Parts, d.content(m.Role != message.Assistant))
		}
	}
	return m
}

func (d *drawer) answer(calls int) message.Message {
	m := message.Message{Role: message.Assistant, Author: message.ByModel, Wire: d.wire, Model: Model, Settled: d.chance(6)}
	switch {
	case d.chance(6):
		m.Model = "another-model"
	case d.chance(6):
		m.Wire = pick(d, "wire", "anthropic", "openai-chat", "openai-responses", "gemini")
		d = &drawer{d.T, m.Wire} // what it says is that wire's own
	}
	if d.chance(2) {
		m.Parts = append(m.Parts, d.thinking())
	}
	if calls == 0 || d.chance(2) {
		m.Parts = append(m.Parts, d.text())
	}
	for range calls {
		m.Parts = append(m.Parts, d.call())
		if d.chance(8) {
			m.Parts = append(m.Parts, d.thinking(), d.text())
		}
	}
	if d.chance(5) {
		m.Parts = append(m.Parts, d.content(false))
	}
	return m
}

func (d *drawer) id() string {
	return pick(d, "id", "", "a", "b", "call_0", "x!", "ünïcode", "toolu_2_1", "call_2_1", "functions.bash:0", strings.Repeat("long", 20))
}

func (d *drawer) call() message.ToolCall {
	return message.ToolCall{
		ID:        d.id(),
		Name:      pick(d, "name", "bash", "bash", "fs.read", "", "9 lives", "名前", strings.Repeat("n", 200)),
		Arguments: []byte(pick(d, "arguments", `{}`, `{"z":1.0, "cmd":"ls \u00e9"}`, `{"half":"\ud83d"}`, `[1]`, `{"cmd":`, ``, "\xff", ` {"a":1} `)),
		Signature: pick(d, "signature", "", "", "c2ln", "no base64!"),
		Extra:     pick(d, "extra", "", "", extra(d.wire), "{", "[1]"),
	}
}

// results draws what became of the calls of an answer.
func (d *drawer) results(answer message.Message) []message.Message {
	var results []message.ToolResult
	for _, c := range answer.Calls {
		if d.chance(6) {
			continue // interrupted
		}
		r := message.ToolResult{CallID: c.ID, Outcome: pick(d, "outcome", message.OK, message.OK, message.Failed, message.Denied, message.Aborted, message.Unknown)}
		for range rapid.IntRange(0, 2).Draw(d.T, "contents") {
			r.Content = append(r.Content, d.content(true))
		}
		if results = append(results, r); d.chance(8) {
			results = append(results, r) // twice
		}
	}
	if d.chance(3) {
		results = rapid.Permutation(results).Draw(d.T, "order")
	}
	var messages []message.Message
	for len(results) > 0 {
		n := rapid.IntRange(1, len(results)).Draw(d.T, "together")
		messages = append(messages, message.Results(results[:n]...))
		results = results[n:]
		if d.chance(8) {
			messages = append(messages, d.silent())
		}
		if d.chance(10) {
			messages = append(messages, d.user(message.ByPerson)) // the rest comes late
		}
	}
	return messages
}

func (d *drawer) thinking() message.Part {
	if d.chance(5) {
		return message.RedactedThinking{Data: pick(d, "data", "ZGF0YQ==", "")}
	}
	t := message.Thinking{Text: pick(d, "thought", "hm", "", "考え"), Signature: pick(d, "signature", "c2ln", "")}
	if d.chance(3) {
		t.Raw = []byte(pick(d, "raw", rawThinking(d.wire), `{`))
	}
	return t
}

func (d *drawer) text() message.Text {
	t := message.Text{Text: pick(d, "text", "", " \n", "words", "trailing ", "\x00\u2028<&>\"\\", "\xff\xfe", "\xed\xa0\xbd half", "English, Русский, 中文, עברית, العربية, हिन्दी, ไทย, 👩‍👩‍👧", "\u3000")}
	if d.chance(40) {
		t.Text = strings.Repeat("A line of a long result.\n", 1600)
	}
	if d.wire == "gemini" && d.chance(4) {
		t.Signature = pick(d, "signature", "c2ln", "no base64!")
	}
	return t
}

func (d *drawer) content(user bool) message.Content {
	switch rapid.IntRange(0, 7).Draw(d.T, "content") {
	case 0:
		return d.image()
	case 1:
		raw := native(d.wire, user)
		return message.Opaque{Format: pick(d, "format", d.wire, "some-tool"), Raw: []byte(pick(d, "raw", raw, `{`))}
	case 2:
		return d.document()
	}
	return d.text()
}

func (d *drawer) image() message.Image {
	return message.Image{Media: pick(d, "image", images()...)}
}

// images are drawn from again and again.
var images = sync.OnceValue(func() []message.Media {
	return []message.Media{
		{Type: "image/png", Data: PNG(3, 2)},
		{Type: "image/png", Data: PNG(300, 200)},
		{Type: "image/jpeg", Data: PNG(1, 1)}, // labelled wrongly
		{Type: "image/gif", Data: GIF()},
		{Type: "image/png", Data: []byte("no image")},
		{Type: "image/png", Data: []byte{}},
		{Type: "image/tiff", Data: []byte("II*\x00")},
		{Type: "image/png"},
		{URL: "https://example.org/a.png"},
		{URL: "data:image/png;base64,!"},
		{},
	}
})

func (d *drawer) document() message.Document {
	return message.Document{Media: pick(d, "document",
		message.Media{Type: "application/pdf", Data: []byte("%PDF-1.4"), Name: "a.pdf"},
		message.Media{Type: "text/plain", Data: []byte("notes")},
		message.Media{Type: "application/zip", Data: []byte("PK")},
		message.Media{Type: "application/pdf", URL: "https://example.org/a.pdf"},
		message.Media{},
	)}
}

// PNG returns an image of a size in pixels.
func PNG(widthPx, heightPx int) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, widthPx, heightPx))); err != nil {
		panic(fmt.Sprintf("encoding a gray image in memory: %v", err))
	}
	return b.Bytes()
}

// GIF returns a small image.
func GIF() []byte {
	var b bytes.Buffer
	if err := gif.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2)), nil); err != nil {
		panic(fmt.Sprintf("encoding a gray image in memory: %v", err))
	}
	return b.Bytes()
}

// native returns a block that only the wire knows, of a user or of an answer.
func native(wireName string, user bool) string {
	switch {
	case wireName == "anthropic" && user:
		return `{"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":"found"}]}`
	case wireName == "anthropic":
		return `{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"}}`
	case wireName == "openai-chat" && user:
		return `{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}}`
	case wireName == "openai-chat":
		return `{"type":"refusal","refusal":"No."}`
	case wireName == "openai-responses" && user:
		return `{"type":"input_file","file_id":"file_1"}`
	case wireName == "openai-responses":
		return `{"type":"web_search_call","id":"ws_1","status":"completed"}`
	case user:
		return `{"fileData":{"fileUri":"https://generativelanguage.googleapis.com/v1beta/files/x"}}`
	}
	return `{"executableCode":{"language":"PYTHON","code":"1"}}`
}

// rawThinking returns thinking as the wire writes it, in another order than this
// program does.
func rawThinking(wireName string) string {
	switch wireName {
	case "openai-responses":
		return `{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"Z0FBQUE="}`
	case "openai-chat":
		return `[{"signature":"c2ln","text":"hm","type":"reasoning.text","index":0}]`
	case "gemini":
		return `{"thoughtSignature":"c2ln","text":"hm","thought":true}`
	}
	return `{"signature":"c2ln","thinking":"hm","type":"thinking"}`
}

// extra returns what a provider says of a call besides.
func extra(wireName string) string {
	if wireName == "anthropic" {
		return `{"caller":{"type":"direct"}}`
	}
	return "{ }"
}
