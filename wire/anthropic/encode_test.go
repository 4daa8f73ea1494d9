package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

func answer(parts ...message.Part) message.Message {
	return message.Message{Role: message.Assistant, Author: message.ByModel, Wire: Wire, Model: "claude-opus-5", Parts: parts}
}

func request(messages ...message.Message) wire.Request {
	r := wire.Request{Frame: wire.Frame{Model: "claude-opus-5", Wire: Wire, System: []string{"be brief"}, Tools: []wire.Tool{{Name: "bash", Schema: []byte(`{"type":"object"}`)}}}, MaxOutput: 1000}
	for i, m := range messages {
		r.View.Messages = append(r.View.Messages, wire.Message{Message: m, At: history.Handle{Depth: i + 1}})
	}
	return r
}

// body encodes r and returns the messages as the model reads them.
func body(t *testing.T, r wire.Request) string {
	t.Helper()
	b, err := Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	var parsed struct{ Messages json.RawMessage }
	if err := json.Unmarshal(b.JSON, &parsed); err != nil {
		t.Fatalf("%v in %s", err, b.JSON)
	}
	return strings.ReplaceAll(string(parsed.Messages), `,"cache_control":{"type":"ephemeral"}`, "")
}

func TestTheWholeBody(t *testing.T) {
	b, err := Encode(request(
		message.Prompt("list"),
		answer(message.Thinking{Text: "hm", Signature: "Eq=="}, message.Text{Text: "Looking."}, message.ToolCall{ID: "toolu_1", Name: "bash", Arguments: []byte(`{"z":1, "cmd":"ls \u00e9"}`)}),
		message.Results(message.ToolResult{CallID: "toolu_1", Outcome: message.Failed, Content: []message.Content{message.Text{Text: "no <such> dir"}}}),
	))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"model":"claude-opus-5","tools":[{"name":"bash","input_schema":{"type":"object"}}],` +
		`"system":[{"type":"text","text":"be brief","cache_control":{"type":"ephemeral"}}],` +
		`"messages":[{"role":"user","content":[{"type":"text","text":"list"}]},` +
		`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"Eq=="},{"type":"text","text":"Looking."},{"type":"tool_use","id":"toolu_1","name":"bash","input":{"z":1, "cmd":"ls \u00e9"}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"no <such> dir"}],"is_error":true,"cache_control":{"type":"ephemeral"}}]}],` +
		`"max_tokens":1000}`
	if string(b.JSON) != want {
		t.Errorf("got  %s\nwant %s", b.JSON, want)
	}
}

func TestWhatTheAPIWouldRefuseIsRepaired(t *testing.T) {
	for _, c := range []struct {
		name string
		path []message.Message
		want string // in the messages
	}{
		{"begins with an answer", []message.Message{answer(message.Text{Text: "hi"}), message.Prompt("x")}, `"text":"` + beginsWithAnswer},
		{"ends with an answer", []message.Message{message.Prompt("x"), answer(message.Text{Text: "done "})}, `"text":"` + goOn},
		{"broken arguments", []message.Message{answer(message.ToolCall{ID: "a", Name: "bash", Arguments: []byte(`{"cmd":`)})}, `"input":{"malformed_arguments":"{\"cmd\":"}`},
		{"no arguments", []message.Message{answer(message.ToolCall{ID: "a", Name: "bash"})}, `"input":{}`},
		{"a name with a dot", []message.Message{answer(message.ToolCall{ID: "a", Name: "fs.read/x"})}, `"name":"fs_read_x"`},
		{"a long id", []message.Message{answer(message.ToolCall{ID: strings.Repeat("a", 65), Name: "bash"})}, `"id":"toolu_1_1"`},
		{"a denied call without words", []message.Message{answer(message.ToolCall{ID: "a", Name: "bash"}), message.Results(message.ToolResult{CallID: "a", Outcome: message.Denied})}, `denied`},
		{"an image of another kind", []message.Message{{Role: message.User, Author: message.ByPerson, Parts: []message.Part{message.Image{Media: message.Media{Type: "image/tiff", Data: []byte("x")}}}}}, `[1.1: image of type image/tiff`},
		{"an image whose bytes are gone", []message.Message{{Role: message.User, Author: message.ByPerson, Parts: []message.Part{message.Image{Media: message.Media{Type: "image/png"}}}}}, `[1.1: image/png whose bytes were not kept]`},
		{"records of other tools", []message.Message{message.Prompt("x"), answer(message.Opaque{Format: "gemini", Raw: []byte(`{"secret":1}`)}), message.Prompt("y")}, `[{"role":"user","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := body(t, request(c.path...)); !strings.Contains(got, c.want) {
				t.Errorf("%s\nis not in %s", c.want, got)
			}
		})
	}
}

func TestAnEmptyViewIsRefused(t *testing.T) {
	if _, err := Encode(request()); err == nil || !strings.Contains(err.Error(), "at least one message is required") {
		t.Errorf("error %v", err)
	}
}

// TestThinkingGoesBackOnlyWhereItsSealFits (P2).
func TestThinkingGoesBackOnlyWhereItsSealFits(t *testing.T) {
	r := request(message.Prompt("first"))
	sent, err := Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	thought := answer(message.Thinking{Text: "hm", Signature: "Eq=="}, message.Text{Text: "yes"})
	next := func(prompt string, checks bool, seals ...message.Hash) string {
		r := request(message.Prompt(prompt), thought, message.Prompt("second"))
		r.ChecksThinking = checks
		r.View.Messages[1].Seals = seals
		return body(t, r)
	}
	const block = `"thinking":"hm"`
	if got := next("first", true, sent.Seal); !strings.Contains(got, block) {
		t.Errorf("its seal fits, and it is left out: %s", got)
	}
	if got := next("FIRST", true, sent.Seal); strings.Contains(got, block) || !strings.Contains(got, `"text":"yes"`) {
		t.Errorf("what stands before it changed, and it is sent: %s", got)
	}
	if got := next("first", true); strings.Contains(got, block) {
		t.Errorf("nothing is known of its prefix, and it is sent: %s", got)
	}
	if got := next("FIRST", false); !strings.Contains(got, block) {
		t.Errorf("the model does not check, and it is left out: %s", got)
	}
	thought.Model = "claude-sonnet-5"
	if got := next("first", false, sent.Seal); strings.Contains(got, block) {
		t.Errorf("it is another model's, and it is sent: %s", got)
	}
}

// drawView makes any view: roles in any order, calls answered or not, ids that
// repeat, empty texts, images, parts of other wires.
func drawView() *rapid.Generator[[]message.Message] {
	id := rapid.SampledFrom([]string{"", "a", "b", "call_0", "x!", "toolu_2_1"})
	text := rapid.SampledFrom([]string{"", " \n", "words", "trailing ", "\x00\u2028<&>", "\xff"})
	content := rapid.Custom(func(t *rapid.T) message.Content {
		switch rapid.IntRange(0, 3).Draw(t, "content") {
		case 0:
			return message.Image{Media: message.Media{Type: rapid.SampledFrom([]string{"image/png", "image/tiff", ""}).Draw(t, "type"), Data: []byte("png")}}
		case 1:
			return message.Opaque{Format: rapid.SampledFrom([]string{Wire, "gemini"}).Draw(t, "format"), Raw: []byte(`{"type":"search_result"}`)}
		case 2:
			return message.Document{Media: message.Media{Type: "application/pdf", Data: []byte("pdf")}}
		}
		return message.Text{Text: text.Draw(t, "text")}
	})
	part := rapid.Custom(func(t *rapid.T) message.Part {
		switch rapid.IntRange(0, 5).Draw(t, "part") {
		case 0:
			return message.Thinking{Text: "hm", Signature: "s"}
		case 1, 2:
			return message.ToolCall{ID: id.Draw(t, "id"), Name: rapid.SampledFrom([]string{"bash", "a.b", ""}).Draw(t, "name"), Arguments: []byte(rapid.SampledFrom([]string{`{}`, `[1]`, `{`, ``}).Draw(t, "arguments"))}
		case 3:
			return message.ToolResult{CallID: id.Draw(t, "id"), Content: rapid.SliceOfN(content, 0, 2).Draw(t, "content"), Outcome: rapid.SampledFrom([]message.Outcome{message.OK, message.Denied}).Draw(t, "outcome")}
		}
		return content.Draw(t, "content")
	})
	allowed := func(role message.Role, p message.Part) bool {
		switch p.(type) {
		case message.Thinking, message.ToolCall:
			return role == message.Assistant
		case message.ToolResult:
			return role == message.Tool
		case message.Image, message.Document:
			return role == message.User
		}
		return true
	}
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) message.Message {
		role := rapid.SampledFrom([]message.Role{message.User, message.Assistant, message.Tool}).Draw(t, "role")
		m := message.Message{Role: role, Author: message.ByModel, Wire: Wire, Model: "claude-opus-5"}
		for _, p := range rapid.SliceOfN(part, 0, 4).Draw(t, "parts") {
			if allowed(role, p) {
				m.Parts = append(m.Parts, p)
			}
		}
		return m
	}), 0, 10)
}

// TestEveryViewIsSendable (P2) leaves nothing for the API to refuse.
func TestEveryViewIsSendable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := append(drawView().Draw(t, "path"), message.Prompt("last"))
		b, err := Encode(request(path...))
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(b.JSON) {
			t.Fatalf("not JSON: %s", b.JSON)
		}
	})
}

// TestRequestsGrowByAppending (P9): without cache marks, the blocks of a
// request are the first blocks of the next one.
func TestRequestsGrowByAppending(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := append(drawView().Draw(t, "path"), message.Prompt("now"))
		more := append(path[:len(path):len(path)], answer(message.Text{Text: "ok"}), message.Prompt("then"))
		before, after := blocks(t, path), blocks(t, more)
		if !bytes.HasPrefix(after, before) {
			t.Fatalf("\n%s\nis no beginning of\n%s", before, after)
		}
	})
}

// blocks returns frame and content blocks as one flat list, each with its role.
func blocks(t *rapid.T, path []message.Message) []byte {
	b, err := Encode(request(path...))
	if err != nil {
		t.Fatal(err)
	}
	var parsed struct {
		Tools, System []json.RawMessage
		Messages      []struct {
			Role    string
			Content []json.RawMessage
		}
	}
	if err := json.Unmarshal(b.JSON, &parsed); err != nil {
		t.Fatal(err)
	}
	var flat bytes.Buffer
	for _, m := range parsed.Messages {
		for _, c := range m.Content {
			fmt.Fprintf(&flat, "%s %s\n", m.Role, bytes.ReplaceAll(c, []byte(`,"cache_control":{"type":"ephemeral"}`), nil))
		}
	}
	return flat.Bytes()
}

func TestCheckRefusesInTheWordsOfTheAPI(t *testing.T) {
	user, call := `{"role":"user","content":"x"}`, `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"b","input":{}}]}`
	result := func(id string) string {
		return `{"role":"user","content":[{"type":"tool_result","tool_use_id":"` + id + `"}]}`
	}
	for _, c := range []struct{ messages, want string }{
		{``, "messages: at least one message is required"},
		{`{"role":"assistant","content":"x"}`, `messages: first message must use the "user" role`},
		{user + `,{"role":"assistant","content":[]}`, "messages.1: all messages must have non-empty content except for the optional final assistant message"},
		{`{"role":"user","content":[{"type":"text","text":""}]}`, "messages: text content blocks must be non-empty"},
		{`{"role":"user","content":[{"type":"text","text":" "}]}`, "messages: text content blocks must contain non-whitespace text"},
		{user + `,{"role":"assistant","content":"y"}`, "This model does not support assistant message prefill"},
		{user + "," + call, "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a."},
		{user + "," + call + "," + user, "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a."},
		{user + "," + call + `,{"role":"user","content":[{"type":"text","text":"first"},{"type":"tool_result","tool_use_id":"a"}]}`, "`tool_use` ids were found without"},
		{user + "," + call + "," + result("b"), "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: b."},
		{result("a"), "messages.0.content.0: unexpected `tool_use_id`"},
		{user + "," + call + `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"},{"type":"tool_result","tool_use_id":"a"}]}`, "messages.2.content.1: each tool_use must have a single result."},
		{user + "," + call + "," + result("a") + "," + call + "," + result("a"), "messages.3.content.0: `tool_use` ids must be unique"},
		{user + `,{"role":"assistant","content":[{"type":"tool_use","id":"x!","name":"b","input":{}}]}`, "String should match pattern"},
		{user + `,{"role":"assistant","content":[{"type":"thinking","thinking":"x"}]}`, "messages.1.content.0.thinking.signature: Field required"},
		{`{"role":"user","content":[` + strings.Repeat(`{"type":"text","text":"x","cache_control":{"type":"ephemeral"}},`, 4) + `{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}`, "A maximum of 4 blocks with cache_control may be provided. Found 5."},
		{user, ""},
		{user + "," + call + "," + result("a"), ""},
		{user + "," + user, ""},
	} {
		got := ""
		if r := Check([]byte(`{"model":"m","messages":[` + c.messages + `]}`)); r != nil {
			got = r.Message
		}
		if got != c.want && (c.want == "" || !strings.Contains(got, c.want)) {
			t.Errorf("%s\n got %q\nwant %q", c.messages, got, c.want)
		}
	}
}
