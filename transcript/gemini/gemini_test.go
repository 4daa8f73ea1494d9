package gemini

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/sinktest"
)

const samples = "../../testdata/samples/gemini/agentsview_"

func outline(tree *sinktest.Tree) []string { return sinktest.Outline(tree.Path(tree.Tip)) }

func TestTheSamplesAreRead(t *testing.T) {
	for name, want := range map[string][]string{
		"standard_session": {
			`user/person text:"Fix the login bug"`, `assistant/model text:"Looking at the auth module..."`,
			`user/person text:"That looks right"`, `assistant/model text:"Applied the fix."`,
		},
		"system_messages": {`user/harness opaque:gemini-cli`, `user/harness opaque:gemini-cli`, `user/harness opaque:gemini-cli`},
		"thinking_only": {
			`user/person text:"Explain how this works"`,
			`assistant/model thinking:"**Understanding requ" thinking:"**Planning response*" text:"Here is how it works: the system reads t"`,
		},
		"tool_calls": {
			`user/person text:"Read this file"`,
			`assistant/model thinking:"**Planning**\n\nI need" text:"Let me read it." call:read_file:a1/1`,
			`tool/tool result:a1/1`, // the session says that it succeeded, not what it returned
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := sinktest.Read(t, Format{}, samples+name+".json")
			if len(r.Trees) != 1 || len(r.Problems) != 0 {
				t.Fatalf("%d conversations, problems %v", len(r.Trees), r.Problems)
			}
			tree := r.Trees[0]
			if got := outline(tree); !slices.Equal(got, want) {
				t.Errorf("got %q", got)
			}
			if open := sinktest.Unanswered(tree.Path(tree.Tip)); len(open) != 0 {
				t.Errorf("unanswered %v", open)
			}
			if !tree.Created.Equal(time.Date(2024, 1, 1, 10, 0, 0, 0, time.UTC)) || !strings.HasPrefix(tree.ID, "sess-uuid-") {
				t.Errorf("%+v", tree.Conversation)
			}
		})
	}
	r := sinktest.Read(t, Format{}, samples+"tool_calls.json")
	m := r.Trees[0].Records[1].Message
	if m.Model != "gemini-2.5-pro" || m.Wire != "gemini" {
		t.Errorf("%+v", m)
	}
	if call := m.Parts[2].(message.ToolCall); string(call.Arguments) != "{\n            \"file_path\": \"main.go\"\n          }" {
		t.Errorf("arguments %q", call.Arguments)
	}
}

// A session of lines, made by hand from gemini-cli's types of 2026-10.

const header = `{"sessionId":"s1","projectHash":"h","startTime":"2026-10-01T10:00:00.000Z","lastUpdated":"2026-10-01T10:00:00.000Z","kind":"main"}`

func user(id, text string) string {
	return fmt.Sprintf(`{"id":%q,"timestamp":"2026-10-01T10:00:01Z","type":"user","content":[{"text":%q}]}`, id, text)
}

// answer is an answer with calls, written as id, status and result in turn.
func answer(id, text string, calls ...string) string {
	var list []string
	for i := 0; i < len(calls); i += 3 {
		list = append(list, fmt.Sprintf(`{"id":%q,"name":"ls","args":{"dir": "%s"},"status":%q,"result":%s}`, calls[i], calls[i], calls[i+1], calls[i+2]))
	}
	return fmt.Sprintf(`{"id":%q,"timestamp":"2026-10-01T10:00:02Z","type":"gemini","content":%q,"model":"gemini-3-pro","tokens":{"input":100,"output":5,"cached":60,"thoughts":7,"tool":0,"total":112},"toolCalls":[%s]}`,
		id, text, strings.Join(list, ","))
}

func output(id, text string) string {
	return fmt.Sprintf(`[{"functionResponse":{"id":%q,"name":"ls","response":{"output":%q}}}]`, id, text)
}

func read(t testing.TB, lines ...string) *sinktest.Recording {
	t.Helper()
	return sinktest.ReadBytes(t, Format{}, []byte(strings.Join(lines, "\n")))
}

func TestTheSameIDAgainReplacesTheMessage(t *testing.T) {
	first := []string{header, user("u1", "go"), answer("a1", "I look")}
	then := append(slices.Clone(first), answer("a1", "I look", "c1", "executing", "null"),
		answer("a1", "I look", "c1", "success", output("c1", "files")), `{"$set":{"summary":"A title","lastUpdated":"x"}}`, user("u2", "more"))
	earlier, later := read(t, first...), read(t, then...)
	sinktest.Grows(t, earlier, later)
	tree := later.Tree(t, "s1")
	want := []string{`user/person text:"go"`, `assistant/model text:"I look" call:ls:c1`, `tool/tool result:c1`, `user/person text:"more"`}
	if got := outline(tree); !slices.Equal(got, want) || tree.Title != "A title" || tree.Model != "gemini-3-pro" {
		t.Errorf("got %q, %+v", got, tree.Conversation)
	}
	a := tree.Records[1]
	if want := (history.Usage{Input: 40, CacheRead: 60, Output: 12, Reasoning: 7}); *a.Usage != want || string(a.Message.Parts[1].(message.ToolCall).Arguments) != `{"dir": "c1"}` {
		t.Errorf("%+v, usage %+v", a, a.Usage)
	}
}

func TestARewindIsABranch(t *testing.T) {
	lines := []string{header, user("u1", "one"), answer("a1", "1"), user("u2", "two"), answer("a2", "2"), `{"$rewindTo":"u2"}`}
	rewound := read(t, lines...)
	tree := rewound.Tree(t, "s1")
	if got := outline(tree); len(tree.Records) != 4 || !slices.Equal(got, []string{`user/person text:"one"`, `assistant/model text:"1"`}) {
		t.Errorf("%d records, path %q", len(tree.Records), got)
	}
	later := read(t, append(lines, user("u3", "other"), `{"$rewindTo":"gone"}`, user("u4", "new"))...)
	sinktest.Grows(t, rewound, later)
	tree = later.Tree(t, "s1")
	if got := outline(tree); len(tree.Records) != 6 || !slices.Equal(got, []string{`user/person text:"new"`}) {
		t.Errorf("%d records, path %q", len(tree.Records), got) // an id that is not there clears all
	}
	u3 := tree.Records[4]
	if got := sinktest.Outline(tree.Path(u3.ID)); !slices.Equal(got, []string{`user/person text:"one"`, `assistant/model text:"1"`, `user/person text:"other"`}) {
		t.Errorf("the branch is %q", got)
	}
	empty := read(t, append(lines[:3:3], `{"$rewindTo":"u1"}`)...)
	if len(empty.Problems) != 1 || empty.Tree(t, "s1").Tip == "" {
		t.Errorf("problems %v", empty.Problems)
	}
}

func list(messages ...string) string {
	return `{"$set":{"messages":[` + strings.Join(messages, ",") + `]}}`
}

func TestACompressedHistoryIsACompaction(t *testing.T) {
	lines := []string{header, user("u1", "one"), answer("a1", "1", "c1", "success", output("c1", "x")), user("u2", "two"), answer("a2", "2"), user("u3", "three"), answer("a3", "3")}
	lines = append(lines, list(user("s1", "a summary"), answer("s2", "Got it."), user("u3", "three"), answer("a3", "3")), user("u4", "four"))
	once := read(t, lines...)
	tree := once.Tree(t, "s1")
	u1, a2 := tree.Records[0].ID, tree.Records[4].ID
	want := []string{`user/person text:"one"`, `assistant/model text:"1" call:ls:c1`, `tool/tool result:c1`, `user/person text:"two"`, `assistant/model text:"2"`,
		`user/person text:"three"`, `assistant/model text:"3"`, `compaction ` + u1 + `..` + a2 + ` as summary`, `user/person text:"four"`}
	if got := outline(tree); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if text := tree.Records[7].Compaction.Treatments[0].Text; text != "a summary\n\nGot it." {
		t.Errorf("text %q", text)
	}
	// The next one replaces the summary and what came since.
	lines = append(lines, list(user("t1", "another"), user("u4", "four")), user("u5", "five"))
	twice := read(t, lines...)
	sinktest.Grows(t, once, twice)
	tree = twice.Tree(t, "s1")
	got := outline(tree)
	if want := `compaction ` + u1 + `..` + tree.Records[6].ID + ` as summary`; got[len(got)-2] != want || len(got) != 11 {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMaskedResultsStayAndAreHiddenByACompaction(t *testing.T) {
	u1, a1, u2 := user("u1", "one"), answer("a1", "1", "c1", "success", output("c1", "a long output")), user("u2", "two")
	masked := answer("a1", "1", "c1", "success", output("c1", "[masked]"))
	for name, change := range map[string]string{
		"set":   list(u1, masked, u2),
		"again": masked,
		"patch": `{"$patch":{"id":"a1","toolCalls":[{"id":"c1","name":"ls","status":"success","result":` + output("c1", "[masked]") + `}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			before, after := read(t, header, u1, a1, u2), read(t, header, u1, a1, u2, change, user("u3", "three"))
			sinktest.Grows(t, before, after)
			tree := after.Tree(t, "s1")
			results := tree.Records[2]
			want := []string{`user/person text:"one"`, `assistant/model text:"1" call:ls:c1`, `tool/tool result:c1`, `user/person text:"two"`,
				`compaction ` + results.ID + `.. as stub part 1`, `user/person text:"three"`}
			if got := outline(tree); !slices.Equal(got, want) {
				t.Errorf("got %q", got)
			}
			if text := results.Message.Parts[0].(message.ToolResult).PlainText(); text != "a long output" {
				t.Errorf("the original is %q", text)
			}
			if c := tree.Records[4].Compaction; c.Treatments[0].Text != "[masked]" {
				t.Errorf("%+v", c)
			}
		})
	}
}

func TestAShorterListIsABranch(t *testing.T) {
	lines := []string{header, user("u1", "one"), answer("a1", "1"), user("u2", "two"), list(user("u1", "one"), answer("a1", "1")), user("u3", "three")}
	if got := outline(read(t, lines...).Tree(t, "s1")); !slices.Equal(got, []string{`user/person text:"one"`, `assistant/model text:"1"`, `user/person text:"three"`}) {
		t.Errorf("got %q", got)
	}
	// In another order it cannot be laid over what was there.
	lines = append(lines, list(answer("a1", "1"), user("u1", "one")), user("u4", "four"))
	r := read(t, lines...)
	if got := outline(r.Tree(t, "s1")); !slices.Equal(got, []string{`assistant/model text:"1"`, `user/person text:"one"`, `user/person text:"four"`}) {
		t.Errorf("got %q", got)
	}
}

func TestAnEmptyListBeginsAnew(t *testing.T) {
	tree := read(t, header, user("u1", "one"), answer("a1", "1"), list(), user("u2", "two")).Tree(t, "s1")
	if got := outline(tree); len(tree.Records) != 3 || !slices.Equal(got, []string{`user/person text:"two"`}) {
		t.Errorf("%d records, path %q", len(tree.Records), got)
	}
}

func TestTheFormsOfResults(t *testing.T) {
	r := read(t, header, user("u1", "go"), answer("a1", "",
		"ok", "success", output("ok", "x"),
		"bad", "error", `[{"functionResponse":{"id":"bad","name":"ls","response":{"error":"gone"}}}]`,
		"no", "cancelled", `[{"functionResponse":{"id":"no","name":"ls","response":{"error":"[Operation Cancelled] Reason: User did not allow tool call"}}}]`,
		"stop", "cancelled", `null`,
		"text", "success", `"plain"`,
		"img", "success", `[{"functionResponse":{"id":"img","response":{"output":"see"}}},{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}]`,
		"odd", "success", `[3]`,
		"run", "executing", `null`))
	tree := r.Tree(t, "s1")
	want := `tool/tool result:ok result:bad:error result:no:denied result:stop:aborted result:text result:img result:odd`
	if got := outline(tree); got[2] != want {
		t.Errorf("got %q", got[2])
	}
	if open := sinktest.Unanswered(tree.Path(tree.Tip)); !slices.Equal(open, []string{"call run"}) {
		t.Errorf("unanswered %v", open)
	}
	content := tree.Records[2].Message.Parts[5].(message.ToolResult).Content
	if _, ok := content[1].(message.Image); !ok || len(content) != 2 {
		t.Errorf("content %+v", content)
	}
}

// Since 2026 an answer may hold the API's own parts, and the results stand a
// second time in a content of the user.
func TestPartsOfTheAPIKeepTheirSignatures(t *testing.T) {
	signed := `{"id":"a1","timestamp":"2026-10-01T10:00:02Z","type":"gemini","content":[{"text":"hm","thought":true,"thoughtSignature":"t+/="},{"functionCall":{"name":"ls","args":{"b":1, "a":2}},"thoughtSignature":"c+/="}],` +
		`"thoughts":[{"subject":"S","description":"D"}],"toolCalls":[{"id":"c1","name":"ls","args":{"a":2},"status":"success","result":` + output("c1", "x") + `}]}`
	r := read(t, header, user("u0", "<session_context>\nToday is"), user("u1", "go"), signed,
		`{"id":"r1","timestamp":"2026-10-01T10:00:03Z","type":"user","content":[{"functionResponse":{"name":"ls","response":{"output":"x"}}},{"text":"and"}]}`)
	tree := r.Tree(t, "s1")
	want := []string{`user/harness text:"<session_context>\nToday is"`, `user/person text:"go"`, `assistant/model thinking:"hm" call:ls:c1`, `tool/tool result:c1`, `user/person text:"and"`}
	if got := outline(tree); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	parts := tree.Records[2].Message.Parts
	if call := parts[1].(message.ToolCall); call.Signature != "c+/=" || string(call.Arguments) != `{"b":1, "a":2}` || parts[0].(message.Thinking).Signature != "t+/=" {
		t.Errorf("%+v", parts)
	}
}

func TestWhatTheFolderSays(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".gemini", "tmp", "slug")
	if err := os.MkdirAll(filepath.Join(dir, "chats", "parent-id"), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(path, content string) string {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write(".project_root", "/home/me/work\n")
	main := sinktest.Read(t, Format{}, write("chats/session-1.jsonl", header+"\n"+user("u", "x"))).Trees[0]
	sub := sinktest.Read(t, Format{}, write("chats/parent-id/agent.jsonl", strings.Replace(header, `"main"`, `"subagent"`, 1)+"\n"+user("u", "x"))).Trees[0]
	if main.Directory != "/home/me/work" || main.SpawnedBy.Conversation != "" || sub.Directory != "/home/me/work" || sub.SpawnedBy.Conversation != "parent-id" {
		t.Errorf("%+v\n%+v", main.Conversation, sub.Conversation)
	}
}

func TestCheckpointsAreContents(t *testing.T) {
	contents := []string{`{"role":"user","parts":[{"text":"This is the Gemini CLI. We are setting up the context for our chat."}]}`,
		`{"role":"model","parts":[{"text":"ok"}]}`, `{"role":"user","parts":[{"text":"go"}]}`,
		`{"role":"model","parts":[{"functionCall":{"name":"ls","args":{}}},{"functionCall":{"name":"cat","args":{}}}]}`,
		`{"role":"user","parts":[{"functionResponse":{"name":"ls","response":{"output":"a"}}},{"functionResponse":{"name":"cat","response":{"output":"b"}}}]}`}
	want := []string{`user/harness text:"This is the Gemini CLI. We are setting u"`, `assistant/model text:"ok"`, `user/person text:"go"`, `assistant/model call:ls: call:cat:`, `tool/tool result: result:`}
	array := "[" + strings.Join(contents, ",") + "]"
	var first *sinktest.Recording
	for _, file := range []string{array, `{"history":` + array + `,"authType":"x"}`, `{"history":[{"type":"user","text":"shown"}],"clientHistory":` + array + `,"toolCall":{}}`} {
		r := sinktest.ReadBytes(t, Format{}, []byte(file))
		tree := r.Trees[0]
		if got := outline(tree); !slices.Equal(got, want) {
			t.Errorf("got %q", got)
		}
		if open := sinktest.Unanswered(tree.Path(tree.Tip)); len(open) != 0 {
			t.Errorf("unanswered %v", open)
		}
		first = r
	}
	grown := sinktest.ReadBytes(t, Format{}, []byte("["+strings.Join(append(contents, `{"role":"user","parts":[{"text":"more"}]}`), ",")+"]"))
	sinktest.Grows(t, first, grown)
	if n := len(grown.Trees[0].Records); n != 6 {
		t.Errorf("%d records", n)
	}
}

func TestDamageIsReportedAndTheRestRead(t *testing.T) {
	r := read(t, header, user("u1", "one"), `{"id":"u2","type":"us`, user("u3", "three")+user("u4", "four"), `[1]`, `{"id":"u5","type":"user","timestamp":"","content":[3]}`, `{"$set":{"messages":3}}`, `{"torn`)
	tree := r.Tree(t, "s1")
	var lines []int64
	for _, p := range r.Problems {
		lines = append(lines, p.Line)
	}
	if got := outline(tree); len(got) != 4 || !slices.Equal(lines, []int64{3, 5, 7, 8, 6}) {
		t.Errorf("got %q, problems %v", got, r.Problems)
	}
	whole := sinktest.Bytes(t, samples+"standard_session.json")
	cut := sinktest.ReadBytes(t, Format{}, whole[:len(whole)-300])
	if len(cut.Problems) != 1 || len(cut.Trees[0].Records) != 2 {
		t.Errorf("%d records, problems %v", len(cut.Trees[0].Records), cut.Problems)
	}
}

func TestOtherFilesAreNotTaken(t *testing.T) {
	for _, content := range []string{
		"", "{}", "[]", `[{"role":"user","content":"x"}]`, `{"messages":[{"role":"user","content":"x"}]}`, `{"version":1,"sessionId":"x","messages":[{"id":"x","role":"user","content":[]}]}`,
		`{"type":"user","sessionId":"x","uuid":"u","message":{"role":"user","parts":[]}}`, `{"info":{"id":"ses_1"},"messages":[]}`, `[{"uuid":"x","chat_messages":[]}]`,
	} {
		if (Format{}).Detect(sinktest.File([]byte(content))) {
			t.Errorf("%q was taken", content)
		}
	}
	damaged := bytes.Join([][]byte{[]byte(`{"sessionId":"s`), []byte(header), []byte(user("u", "x"))}, []byte("\n"))
	if !(Format{}).Detect(sinktest.File(damaged)) {
		t.Error("a file with a damaged first line was not taken")
	}
	sinktest.Stops(t, Format{}, sinktest.File([]byte(header+"\n"+user("u", "x"))))
	places := (Format{}).Places(transcript.Machine{Home: "/h"})
	if !slices.Contains(places, filepath.FromSlash("/h/.gemini/tmp/*/chats/*.jsonl")) {
		t.Errorf("places %v", places)
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"standard_session", "tool_calls", "thinking_only"} {
		f.Add(sinktest.Bytes(f, samples+name+".json"))
	}
	u1, a1 := user("u1", "one"), answer("a1", "1", "c1", "success", output("c1", "x"))
	f.Add([]byte(strings.Join([]string{header, u1, a1, user("u2", "two"), list(user("s", "sum"), user("u2", "two")), `{"$rewindTo":"s"}`, u1, `{"$patch":{"id":"u1","content":"y"}}`, list(u1)}, "\n")))
	f.Add([]byte(`[{"role":"user","parts":[{"text":"x"}]},{"role":"model","parts":[{"functionCall":{"name":"ls"}}]}]`))
	sinktest.Fuzz(f, Format{}, sinktest.InMemory)
}
