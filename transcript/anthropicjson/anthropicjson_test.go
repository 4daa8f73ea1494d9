package anthropicjson

import (
	"slices"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/sinktest"
)

const messages = `[
	{"role":"user","content":"go"},
	{"role":"assistant","content":[{"type":"thinking","thinking":"t\u00e9","signature":"s=="},{"type":"tool_use","id":"c","name":"n","input":{"a" : 1.0}}]},
	{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"done","cache_control":{"type":"ephemeral"}},{"type":"text","text":"now tell"}]},
	{"role":"assistant","content":"told"}]`

const request = `{"model":"claude-x","max_tokens":10,"system":[{"type":"text","text":"be kind"}],"messages":` + messages + `,"tools":[{"name":"n","input_schema":{}}]}`

func expect(t *testing.T, tree *sinktest.Tree, want ...string) {
	t.Helper()
	if got := sinktest.Outline(tree.Path(tree.Tip)); !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestARequestAndTheArrayOfItsMessagesAreRead(t *testing.T) {
	talk := []string{
		`user/person text:"go"`,
		`assistant/model thinking:"té" call:n:c`,
		`tool/tool result:c`,
		`user/person text:"now tell"`,
		`assistant/model text:"told"`,
	}
	bare := sinktest.ReadBytes(t, Format{}, []byte(messages)).Trees[0]
	expect(t, bare, talk...)
	whole := sinktest.ReadBytes(t, Format{}, []byte(request)).Trees[0]
	expect(t, whole, append([]string{`user/harness opaque:anthropic-json`}, talk...)...)
	if whole.ID != bare.ID || whole.Model != "claude-x" || whole.Path(whole.Tip)[2].Message.Model != "claude-x" {
		t.Errorf("conversations %+v, %+v", whole.Conversation, bare.Conversation)
	}
	around := string(whole.Record(t, "request").Message.Parts[0].(message.Opaque).Raw)
	if want := `{"model":"claude-x","max_tokens":10,"system":[{"type":"text","text":"be kind"}],"tools":[{"name":"n","input_schema":{}}]}`; around != want {
		t.Errorf("around the messages: %s", around)
	}
	answer := bare.Path(bare.Tip)[1].Message
	if th := answer.Parts[0].(message.Thinking); th.Signature != "s==" || string(th.Raw) != `{"type":"thinking","thinking":"t\u00e9","signature":"s=="}` {
		t.Errorf("thinking %+v", th)
	}
	if got := answer.Parts[1].(message.ToolCall).Arguments; string(got) != `{"a" : 1.0}` {
		t.Errorf("arguments %s", got)
	}
}

func TestTheNextRequestAddsToTheOneBefore(t *testing.T) {
	for at, c := range messages {
		if c == '\n' && at > 2 {
			shorter := strings.TrimSuffix(messages[:at], ",") + "]"
			if !(Format{}).Detect(sinktest.File([]byte(shorter))) {
				shorter = `{"system":"x","messages":` + shorter + "}"
			}
			earlier := sinktest.ReadBytes(t, Format{}, []byte(shorter))
			later := sinktest.ReadBytes(t, Format{}, []byte(strings.Replace(request, "be kind", "x", 1)))
			if earlier.Trees[0].Records[0].ID != "request" {
				later = sinktest.ReadBytes(t, Format{}, []byte(messages))
			}
			sinktest.Grows(t, earlier, later)
		}
	}
}

func TestDamageIsReported(t *testing.T) {
	recording := sinktest.ReadBytes(t, Format{}, []byte(request[:strings.Index(request, `"told"`)]))
	if n := len(recording.Trees[0].Records); n != 5 || len(recording.Problems) != 1 {
		t.Errorf("%d records, problems %+v", n, recording.Problems)
	}
	recording = sinktest.ReadBytes(t, Format{}, []byte(strings.Replace(request, `"content":"told"`, `"content":[7]`, 1)))
	if p := recording.Problems; len(p) != 1 || !strings.Contains(p[0].What, "message 4") {
		t.Errorf("problems %+v", p)
	}
}

func TestDetectLeavesOtherWiresAlone(t *testing.T) {
	for content, want := range map[string]bool{
		request:  true,
		messages: true,
		`{"model":"claude-x","messages":[{"role":"user","content":"` + strings.Repeat("x", transcript.HeadLen) + `"}]}`: true,
		`[{"role":"user","content":"hi"}]`:                                                   false,
		`{"model":"gpt","messages":[{"role":"system","content":"x"}]}`:                       false,
		`{"system":"x","messages":[{"role":"assistant","tool_calls":[]}]}`:                   false,
		`{"model":"claude-x","messages":[{"role":"tool","tool_call_id":"c","content":"x"}]}`: false,
		`{"model":"claude-x","input":"hi"}`:                                                  false,
		`{"messages":"none","system":"x"}`:                                                   false,
		``:                                                                                   false,
	} {
		if got := (Format{}).Detect(sinktest.File([]byte(content))); got != want {
			t.Errorf("%.80s: %v", content, got)
		}
	}
}

func TestReadStopsWithTheContext(t *testing.T) {
	sinktest.Stops(t, Format{}, sinktest.File([]byte(request)))
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(request))
	f.Add([]byte(messages))
	f.Add([]byte(`{"messages":[{"role":"user","content":[]},{"role":"x"},7,"s"],"system":null}`))
	sinktest.Fuzz(f, Format{}, sinktest.InMemory)
}
