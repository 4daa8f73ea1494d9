package anthropic

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/wiretest"
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

// messagesOf encodes r and returns the messages as the model reads them.
func messagesOf(t *testing.T, r wire.Request) string {
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
		{"begins with an answer", []message.Message{answer(message.Text{Text: "hi"}), message.Prompt("x")}, `"text":"` + wire.Opening},
		{"ends with an answer", []message.Message{message.Prompt("x"), answer(message.Text{Text: "done "})}, `"text":"` + wire.GoOn},
		{"broken arguments", []message.Message{answer(message.ToolCall{ID: "a", Name: "bash", Arguments: []byte(`{"cmd":`)})}, `"input":{"malformed_arguments":"{\"cmd\":"}`},
		{"no arguments", []message.Message{answer(message.ToolCall{ID: "a", Name: "bash"})}, `"input":{}`},
		{"a name with a dot", []message.Message{answer(message.ToolCall{ID: "a", Name: "fs.read/x"})}, `"name":"fs_read_x"`},
		{"a long id", []message.Message{answer(message.ToolCall{ID: strings.Repeat("a", 65), Name: "bash"})}, `"id":"toolu_1_1"`},
		{"a denied call without words", []message.Message{answer(message.ToolCall{ID: "a", Name: "bash"}), message.Results(message.ToolResult{CallID: "a", Outcome: message.Denied})}, `denied`},
		{"an image of another kind", []message.Message{{Role: message.User, Author: message.ByPerson, Parts: []message.Part{message.Image{Media: message.Media{Type: "image/tiff", Data: []byte("II*")}}}}}, `[1.1: image of type image/tiff`},
		{"an image whose bytes are gone", []message.Message{{Role: message.User, Author: message.ByPerson, Parts: []message.Part{message.Image{Media: message.Media{Type: "image/png"}}}}}, `[1.1: image/png whose bytes were not kept]`},
		{"an image that is none", []message.Message{{Role: message.User, Author: message.ByPerson, Parts: []message.Part{message.Image{Media: message.Media{Type: "image/png", Data: []byte("x")}}}}}, `[1.1: image/png that cannot be read]`},
		{"an image with another type's label", []message.Message{{Role: message.User, Author: message.ByPerson, Parts: []message.Part{message.Image{Media: message.Media{Type: "image/jpeg", Data: wiretest.PNG(1, 1)}}}}}, `"media_type":"image/png"`},
		{"an image of too many pixels", []message.Message{{Role: message.User, Author: message.ByPerson, Parts: []message.Part{message.Image{Media: message.Media{Type: "image/png", Data: wiretest.PNG(8001, 1)}}}}}, `[1.1: image/png of 8001 x 1 pixels, more than this provider takes]`},
		{"an image that the model drew", []message.Message{message.Prompt("x"), answer(message.Text{Text: "here"}, message.Image{Media: message.Media{Type: "image/png", Data: wiretest.PNG(1, 1)}})}, `{"role":"user","content":[{"type":"text","text":"[From the answer above (2.2):]"},{"type":"image"`},
		{"half a surrogate pair", []message.Message{message.Prompt("a\xed\xa0\xbdb"), answer(message.ToolCall{ID: "a", Name: "bash", Arguments: []byte(`{"a":"\ud83d"}`)})}, `"input":{"a":"\ufffd"}`},
		{"thinking without a signature", []message.Message{message.Prompt("x"), answer(message.Thinking{Text: "hm"}, message.Text{Text: "yes"})}, `{"role":"assistant","content":[{"type":"text","text":"yes"}]}`},
		{"an image block that could not be decoded", []message.Message{{Role: message.User, Author: message.ByPerson, Parts: []message.Part{message.Opaque{Format: Wire, Raw: []byte(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"!"}}`)}}}}, `[1.1: data that cannot be read]`},
		{"records of other tools", []message.Message{message.Prompt("x"), answer(message.Opaque{Format: "gemini", Raw: []byte(`{"secret":1}`)}), message.Prompt("y")}, `[{"role":"user","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := messagesOf(t, request(c.path...)); !strings.Contains(got, c.want) {
				t.Errorf("%s\nis not in %s", c.want, got)
			}
		})
	}
}

// TestAPausedAnswerIsSentLast: the model goes on with it, inside a tool of the
// server's.
func TestAPausedAnswerIsSentLast(t *testing.T) {
	search := message.Opaque{Format: Wire, Raw: []byte(`{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}`)}
	paused := answer(message.Text{Text: "Looking."}, search)
	paused.Stop = "pause_turn"
	if got := messagesOf(t, request(message.Prompt("x"), paused)); !strings.HasSuffix(got, string(search.Raw)+`]}]`) {
		t.Errorf("something follows: %s", got)
	}
	paused.Stop = message.StopEnd
	if got := messagesOf(t, request(message.Prompt("x"), paused)); !strings.Contains(got, wire.GoOn) {
		t.Errorf("an answer that was not paused is last: %s", got)
	}
}

func TestFramesMayBeEmpty(t *testing.T) {
	r := request(message.Prompt("x"))
	r.Frame.Tools, r.Frame.System = nil, []string{" ", ""}
	b, err := Encode(r)
	if want := `{"model":"claude-opus-5","messages":[{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}],"max_tokens":1000}`; err != nil || string(b.JSON) != want {
		t.Errorf("got  %s (%v)\nwant %s", b.JSON, err, want)
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
		return messagesOf(t, r)
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
