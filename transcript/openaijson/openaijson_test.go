package openaijson

import (
	"slices"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/sinktest"
)

const chatMessages = `[
	{"role":"system","content":"be kind"},
	{"role":"user","content":"go"},
	{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"n","arguments":"{\"a\" : 1.0}"}},{"id":"c2","type":"function","function":{"name":"n","arguments":"{}"}}]},
	{"role":"tool","tool_call_id":"c2","content":"two"},
	{"role":"tool","tool_call_id":"c1","content":"one"},
	{"role":"developer","content":"mind the rules"},
	{"role":"assistant","content":"told"}]`

const input = `[
	{"role":"developer","content":"be kind"},
	{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]},
	{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"gA="},
	{"type":"function_call","call_id":"c","name":"n","arguments":"{\"a\" : 1.0}"},
	{"type":"function_call_output","call_id":"c","output":"done"},
	{"type":"message","role":"assistant","content":[{"type":"output_text","text":"told"}]}]`

func expect(t *testing.T, tree *sinktest.Tree, want ...string) {
	t.Helper()
	if got := sinktest.Outline(tree.Path(tree.Tip)); !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func read(t *testing.T, content string) *sinktest.Recording {
	t.Helper()
	return sinktest.ReadBytes(t, Format{}, []byte(content))
}

func TestChatMessagesAreRead(t *testing.T) {
	talk := []string{
		`user/harness opaque:openai-json`,
		`user/person text:"go"`,
		`assistant/model call:n:c1 call:n:c2`,
		`tool/tool result:c2`,
		`tool/tool result:c1`,
		`user/harness text:"mind the rules"`,
		`assistant/model text:"told"`,
	}
	bare := read(t, chatMessages).Trees[0]
	expect(t, bare, talk...)
	whole := read(t, `{"model":"gpt-x","messages":`+chatMessages+`,"temperature":0}`).Trees[0]
	expect(t, whole, append([]string{`user/harness opaque:openai-json`}, talk...)...)
	if whole.ID != bare.ID || whole.Path(whole.Tip)[3].Message.Model != "gpt-x" {
		t.Errorf("conversations %+v, %+v", whole.Conversation, bare.Conversation)
	}
	if got := string(whole.Record(t, "request").Message.Parts[0].(message.Opaque).Raw); got != `{"model":"gpt-x","temperature":0}` {
		t.Errorf("around the messages: %s", got)
	}
	if left := sinktest.Unanswered(bare.Path(bare.Tip)); len(left) > 0 {
		t.Errorf("unanswered: %v", left)
	}
}

func TestItemsAreRead(t *testing.T) {
	talk := []string{
		`user/harness opaque:openai-json`,
		`user/person text:"go"`,
		`assistant/model thinking:"" call:n:c`,
		`tool/tool result:c`,
		`assistant/model text:"told"`,
	}
	expect(t, read(t, input).Trees[0], talk...)
	whole := read(t, `{"model":"gpt-x","input":`+input+`,"store":false}`).Trees[0]
	expect(t, whole, append([]string{`user/harness opaque:openai-json`}, talk...)...)
	parts := whole.Path(whole.Tip)[3].Message.Parts
	if got := parts[0].(message.Thinking); string(got.Raw) != `{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"gA="}` || got.Signature != "gA=" {
		t.Errorf("thinking %+v", got)
	}
	expect(t, read(t, `{"model":"gpt-x","input":"go"}`).Trees[0], `user/harness opaque:openai-json`, `user/person text:"go"`)
}

func TestEachLineForFineTuningIsAConversation(t *testing.T) {
	line := `{"messages":[{"role":"system","content":"be kind"},{"role":"user","content":"go"},{"role":"assistant","content":"done","weight":1}]}`
	recording := read(t, line+"\n"+strings.Replace(line, "go", "stop", 1)+"\n{\"prompt\":1}\n"+line[:40])
	if len(recording.Trees) != 2 || recording.Trees[0].ID == recording.Trees[1].ID {
		t.Fatalf("%d conversations", len(recording.Trees))
	}
	expect(t, recording.Trees[1], `user/harness opaque:openai-json`, `user/person text:"stop"`, `assistant/model text:"done"`)
	if p := recording.Problems; len(p) != 2 || p[0].Line != 3 || p[1].Line != 4 {
		t.Errorf("problems %+v", p)
	}
}

func TestTheNextRequestAddsToTheOneBefore(t *testing.T) {
	for _, list := range []string{chatMessages, input} {
		for at, c := range list {
			if c == '\n' && at > 2 {
				sinktest.Grows(t, read(t, strings.TrimSuffix(list[:at], ",")+"]"), read(t, list))
			}
		}
	}
}

func TestDamageIsReported(t *testing.T) {
	recording := read(t, chatMessages[:strings.Index(chatMessages, `"told"`)])
	if n := len(recording.Trees[0].Records); n != 6 || len(recording.Problems) != 1 {
		t.Errorf("%d records, problems %+v", n, recording.Problems)
	}
	recording = read(t, strings.Replace(chatMessages, `"role":"developer"`, `"role":"oracle"`, 1))
	if p := recording.Problems; len(p) != 1 || !strings.Contains(p[0].What, "oracle") {
		t.Errorf("problems %+v", p)
	}
}

func TestDetectTellsRequestsFromOtherJSON(t *testing.T) {
	for content, want := range map[string]bool{
		chatMessages: true,
		input:        true,
		`[{"role":"user","content":"` + strings.Repeat("x", transcript.HeadLen) + `"}]`: true,
		`[{"name":"x"}]`:                         false,
		`{"messages":[{"text":"x"}]}`:            false,
		`{"input":"x"}`:                          false,
		`{"messages":{}}`:                        false,
		`[1,2]`:                                  false,
		`[{"type":"text","role":"user"}]`:        false,
		``:                                       false,
		`{"role":"user","content":"one a line"}`: false,
	} {
		if got := (Format{}).Detect(sinktest.File([]byte(content))); got != want {
			t.Errorf("%.80s: %v", content, got)
		}
	}
}

func TestReadStopsWithTheContext(t *testing.T) {
	sinktest.Stops(t, Format{}, sinktest.File([]byte(chatMessages)))
	sinktest.Stops(t, Format{}, sinktest.File([]byte(input)))
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(chatMessages))
	f.Add([]byte(`{"model":"m","input":` + input + `}`))
	f.Add([]byte(`{"messages":[{"role":"user","content":"a"}]}` + "\n" + `{"messages":[{"role":"function","name":"f","content":"x"}]}`))
	sinktest.Fuzz(f, Format{}, sinktest.InMemory)
}
