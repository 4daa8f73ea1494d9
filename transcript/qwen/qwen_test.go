package qwen

import (
	"fmt"
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

func outline(tree *sinktest.Tree) []string { return sinktest.Outline(tree.Path(tree.Tip)) }

// A line of a session, made by hand from qwen-code's types of 2026-11.
func line(uuid, parent, kind, more string) string {
	if parent != "" {
		parent = `"` + parent + `"`
	} else {
		parent = "null"
	}
	return fmt.Sprintf(`{"uuid":%q,"parentUuid":%s,"sessionId":"s1","timestamp":"2026-11-01T10:00:00.123Z","type":%q,"cwd":"/w","version":"0.9"%s}`, uuid, parent, kind, more)
}

func content(role string, parts ...string) string {
	return fmt.Sprintf(`{"role":%q,"parts":[%s]}`, role, strings.Join(parts, ","))
}

func text(s string) string { return fmt.Sprintf(`{"text":%q}`, s) }

func call(id string) string {
	return fmt.Sprintf(`{"functionCall":{"id":%q,"name":"ls","args":{"dir": "."}},"thoughtSignature":"s+/="}`, id)
}

func response(id, output string) string {
	return fmt.Sprintf(`{"functionResponse":{"id":%q,"name":"ls","response":{"output":%q}}}`, id, output)
}

func user(uuid, parent, s string) string {
	return line(uuid, parent, "user", `,"message":`+content("user", text(s)))
}

func assistant(uuid, parent string, parts ...string) string {
	return line(uuid, parent, "assistant", `,"model":"qwen3-coder","message":`+content("model", parts...)+`,"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":60,"candidatesTokenCount":5,"thoughtsTokenCount":7}`)
}

func result(uuid, parent, status string, parts ...string) string {
	return line(uuid, parent, "tool_result", fmt.Sprintf(`,"message":%s,"toolCallResult":{"status":%q}`, content("user", parts...), status))
}

func system(uuid, parent, subtype, payload string) string {
	return line(uuid, parent, "system", fmt.Sprintf(`,"subtype":%q,"systemPayload":%s`, subtype, payload))
}

func read(t testing.TB, lines ...string) *sinktest.Recording {
	t.Helper()
	return sinktest.ReadBytes(t, Format{}, []byte(strings.Join(lines, "\n")+"\n"))
}

func session() []string {
	return []string{
		system("m0", "", "session_model", `{"modelId":"qwen3-coder"}`),
		user("u1", "m0", "go"),
		assistant("a1", "u1", `{"text":"hm","thought":true}`, text("I look"), call("c1"), call("c2")),
		system("t1", "a1", "ui_telemetry", `{"uiEvent":{}}`),
		result("r1", "t1", "success", response("c1", "files"), `{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}`),
		result("r2", "r1", "error", response("c2", "gone")),
		assistant("a2", "r2", text("done")),
		system("b1", "a2", "branch_checkpoint", `{"v":1,"startExclusiveRecordUuid":null,"assistantRecordUuid":"a2"}`),
		system("s1", "b1", "slash_command", `{"phase":"result","rawCommand":"/about"}`),
		user("u2", "s1", "more"),
		system("ct", "u2", "custom_title", `{"customTitle":"A title"}`),
	}
}

func TestASessionIsRead(t *testing.T) {
	r := read(t, session()...)
	tree := r.Tree(t, "s1")
	want := []string{
		`user/person text:"go"`, `assistant/model thinking:"hm" text:"I look" call:ls:c1 call:ls:c2`,
		`tool/tool result:c1`, `tool/tool result:c2:error`, `assistant/model text:"done"`,
		`user/harness opaque:qwen-code`, `user/person text:"more"`,
	}
	if got := outline(tree); !slices.Equal(got, want) || len(r.Problems) != 0 {
		t.Errorf("got %q, problems %v", got, r.Problems)
	}
	if open := sinktest.Unanswered(tree.Path(tree.Tip)); len(open) != 0 {
		t.Errorf("unanswered %v", open)
	}
	if tree.Title != "A title" || tree.Model != "qwen3-coder" || tree.Directory != "/w" || !tree.Created.Equal(time.Date(2026, 11, 1, 10, 0, 0, 123_000_000, time.UTC)) {
		t.Errorf("%+v", tree.Conversation)
	}
	a := tree.Record(t, "a1")
	if c := a.Message.Parts[2].(message.ToolCall); c.Signature != "s+/=" || string(c.Arguments) != `{"dir": "."}` || a.Parent != "u1" {
		t.Errorf("%+v", a)
	}
	if want := (history.Usage{Input: 40, CacheRead: 60, Output: 12, Reasoning: 7}); *a.Usage != want {
		t.Errorf("usage %+v", a.Usage)
	}
	if n := len(tree.Record(t, "r1").Message.Parts[0].(message.ToolResult).Content); n != 2 {
		t.Errorf("%d contents", n)
	}
	if len(tree.Labels) != 1 || tree.Labels[0].Record != "a2" || tree.Labels[0].Name != "branch point 1" {
		t.Errorf("labels %+v", tree.Labels)
	}
}

func TestASessionThatHasGrownComesToTheSamePath(t *testing.T) {
	lines := session()
	whole := read(t, lines...)
	for n := 2; n < len(lines); n++ {
		sinktest.Grows(t, read(t, lines[:n]...), whole)
	}
}

func TestARewindIsABranch(t *testing.T) {
	lines := append(session(), system("rw", "b1", "rewind", `{"truncatedCount":1}`))
	rewound := read(t, lines...)
	if tree := rewound.Tree(t, "s1"); tree.Tip != "a2" || len(tree.Records) != 7 {
		t.Errorf("tip %s of %d", tree.Tip, len(tree.Records))
	}
	later := read(t, append(lines, user("u3", "rw", "other"))...)
	sinktest.Grows(t, rewound, later)
	if tree := later.Tree(t, "s1"); tree.Tip != "u3" || tree.Record(t, "u3").Parent != "a2" || len(tree.Records) != 8 {
		t.Errorf("tip %s of %d", tree.Tip, len(tree.Records))
	}
	all := read(t, append(session(), system("rw", "", "rewind", `{}`))...)
	if len(all.Problems) != 1 || all.Tree(t, "s1").Tip != "u2" {
		t.Errorf("problems %v", all.Problems)
	}
}

func compressed(uuid, parent string, contents ...string) string {
	return system(uuid, parent, "chat_compression", `{"info":{"originalTokenCount":9},"compressedHistory":[`+strings.Join(contents, ",")+`]}`)
}

func TestACompressedHistoryIsACompaction(t *testing.T) {
	summary := []string{content("user", text("a summary")), content("model", text("Got it."))}
	tail := []string{content("model", `{"text":"hm","thought":true}`, text("I look"), call("c1"), call("c2")),
		content("user", response("c1", "files"), `{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}`, response("c2", "gone")), content("model", text("done"))}
	lines := session()[:9] // up to the slash command
	for name, c := range map[string]struct {
		contents []string
		want     string
	}{
		"with a tail":             {append(slices.Clone(summary), tail...), `compaction ..u1 as summary`},
		"with part of a turn":     {append(slices.Clone(summary), tail[2]), `compaction ..r2 as summary`},
		"the summary alone":       {summary, `compaction .. as summary`},
		"nothing":                 {nil, `compaction .. as trimmed`},
		"with a tail that is cut": {append(slices.Clone(summary), content("user", response("c2", "gone")), tail[2]), `compaction ..r1 as summary`},
	} {
		t.Run(name, func(t *testing.T) {
			r := read(t, append(slices.Clone(lines), compressed("k1", "s1", c.contents...), user("u2", "k1", "more"))...)
			tree := r.Tree(t, "s1")
			got := outline(tree)
			if got[6] != c.want || got[7] != `user/person text:"more"` {
				t.Errorf("got %q", got)
			}
			if text := tree.Record(t, "k1").Compaction.Treatments[0].Text; len(c.contents) > 0 && text != "a summary" {
				t.Errorf("text %q", text)
			}
		})
	}
	c := read(t, append(slices.Clone(lines), compressed("k1", "s1", summary...))...).Tree(t, "s1").Record(t, "k1").Compaction
	if want := (history.Reason{Note: tool, Before: 9}); c.Reason != want {
		t.Errorf("reason %+v", c.Reason)
	}
	all := append([]string{content("user", text("go"))}, tail...)
	if got := outline(read(t, append(slices.Clone(lines), compressed("k1", "s1", all...))...).Tree(t, "s1")); len(got) != 6 {
		t.Errorf("a history that hides nothing gives %q", got)
	}
	// A prompt that was typed before is sent after the new history.
	typed := append(slices.Clone(lines), user("u2", "s1", "more"), compressed("k1", "u2", summary...))
	if got := outline(read(t, typed...).Tree(t, "s1")); got[7] != `compaction ..s1 as summary` {
		t.Errorf("got %q", got)
	}
	// The next one may keep what stands before the compaction too.
	again := append(slices.Clone(lines), compressed("k1", "s1", append(slices.Clone(summary), tail...)...), user("u2", "k1", "more"), assistant("a3", "u2", text("yes")),
		compressed("k2", "a3", append(slices.Clone(summary), tail[2], content("user", text("more")), content("model", text("yes")))...))
	if got := outline(read(t, again...).Tree(t, "s1")); got[9] != `compaction ..r2 as summary` {
		t.Errorf("got %q", got)
	}
}

func TestSubAgentsAreTreesOfTheirOwn(t *testing.T) {
	side := func(uuid, parent, text string) string {
		return strings.Replace(user(uuid, parent, text), `"cwd"`, `"isSidechain":true,"agentId":"explore-1","agentName":"Explore","cwd"`, 1)
	}
	r := read(t, append(session(), side("x1", "a1", "look"), side("x2", "x1", "there"))...)
	agent := r.Tree(t, "s1/explore-1")
	if got := outline(agent); !slices.Equal(got, []string{`user/person text:"look"`, `user/person text:"there"`}) || agent.SpawnedBy.Conversation != "s1" || agent.Title != "Explore" {
		t.Errorf("%+v: %q", agent.Conversation, got)
	}
	if r.Tree(t, "s1").Tip != "u2" || len(r.Problems) != 0 {
		t.Errorf("tip %s, problems %v", r.Tree(t, "s1").Tip, r.Problems)
	}
}

func TestWhereASessionCameFrom(t *testing.T) {
	fork := func(line, uuid string) string {
		return strings.Replace(line, `"cwd"`, `"forkedFrom":{"sessionId":"s0","messageUuid":"`+uuid+`"},"cwd"`, 1)
	}
	r := read(t, fork(user("u1", "", "go"), "u1"), fork(assistant("a1", "u1", text("x")), "a1"), fork(system("t", "a1", "ui_telemetry", `{}`), "t"), user("u2", "t", "new"),
		system("p", "u2", "parent_session", `{"parentSessionId":"boss"}`))
	tree := r.Tree(t, "s1")
	if tree.ForkedFrom != (transcript.Link{Conversation: "s0", Record: "a1"}) || tree.SpawnedBy.Conversation != "boss" {
		t.Errorf("%+v", tree.Conversation)
	}
}

func TestWhatThePersonDidNotTypeIsTheHarnesss(t *testing.T) {
	mark := func(line, more string) string { return strings.Replace(line, `"cwd"`, more+`,"cwd"`, 1) }
	r := read(t, user("u1", "", "go"), mark(user("u2", "u1", "done"), `"subtype":"notification"`), mark(user("u3", "u2", "and"), `"subtype":"mid_turn_user_message"`),
		mark(user("u4", "u3", "loop"), `"provenance":"goal_runtime"`), mark(assistant("a", "u4", call("c1")), `"x":1`),
		strings.Replace(result("r", "a", "cancelled", response("c1", "User did not allow tool call")), `"status"`, `"callId":"c1","status"`, 1), result("r2", "r", "cancelled", response("c9", "x")))
	want := []string{`user/person text:"go"`, `user/harness text:"done"`, `user/person text:"and"`, `user/harness text:"loop"`, `assistant/model call:ls:c1`, `tool/tool result:c1:denied`, `tool/tool result:c9:aborted`}
	if got := outline(r.Tree(t, "s1")); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestMediaBesideAResultAreItsContent(t *testing.T) {
	image := `{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}`
	r := read(t, user("u1", "", "go"), assistant("a", "u1", call("c1")), result("r", "a", "success", image, response("c1", "x"), image))
	if got := outline(r.Tree(t, "s1")); got[2] != `tool/tool image:image/png result:c1` {
		t.Errorf("got %q", got)
	}
}

func TestPiecesUnderOneIDAreKept(t *testing.T) {
	r := read(t, user("u1", "", "go"), assistant("a1", "u1", text("one")), assistant("a1", "u1", text("two")), assistant("a1", "u1", text("two")), assistant("a1", "u1", text("three")), user("u2", "a1", "more"))
	want := []string{`user/person text:"go"`, `assistant/model text:"one"`, `assistant/model text:"two"`, `assistant/model text:"three"`, `user/person text:"more"`}
	if got := outline(r.Tree(t, "s1")); !slices.Equal(got, want) || len(r.Problems) != 0 {
		t.Errorf("got %q, problems %v", got, r.Problems)
	}
}

func TestDamageIsReportedAndTheRestRead(t *testing.T) {
	lines := session()
	lines[4] = lines[4][:60]
	lines[6] = strings.Replace(lines[6], `{"text":"done"}`, `3`, 1)
	r := read(t, append(lines, `{"uuid":"x"}`, user("u3", "u2", "end")+user("u4", "u3", "welded"))...)
	var at []int64
	for _, p := range r.Problems {
		at = append(at, p.Line)
	}
	tree := r.Tree(t, "s1")
	if !slices.Equal(at, []int64{5, 6, 7, 12}) || tree.Tip != "u4" || tree.Record(t, "r2").Parent != "a1" {
		t.Errorf("problems %+v, tip %s", r.Problems, tree.Tip)
	}
	if kept := tree.Record(t, "a2").Message.Parts[0].(message.Opaque); string(kept.Raw) != lines[6] {
		t.Errorf("kept %s", kept.Raw)
	}
}

func TestOtherFilesAreNotTaken(t *testing.T) {
	for _, content := range []string{
		"", "{}", `{"parentUuid":null,"isSidechain":false,"sessionId":"x","uuid":"y","type":"user","message":{"role":"user","content":"x"}}`,
		`{"sessionId":"x","projectHash":"y"}`, `{"uuid":"x","sessionId":"y","systemPayload":null}`,
	} {
		if (Format{}).Detect(sinktest.File([]byte(content))) {
			t.Errorf("%q was taken", content)
		}
	}
	sinktest.Stops(t, Format{}, sinktest.File([]byte(strings.Join(session(), "\n"))))
	if places := (Format{}).Places(transcript.Machine{Home: "/h"}); !slices.Contains(places, filepath.FromSlash("/h/.qwen/projects/*/chats/*.jsonl")) {
		t.Errorf("places %v", places)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(strings.Join(session(), "\n")))
	f.Add([]byte(strings.Join([]string{user("u", "", "x"), assistant("a", "u", text("y")), compressed("k", "a", content("user", text("s")), content("model", text("y"))),
		strings.Replace(user("x", "a", "z"), `"cwd"`, `"isSidechain":true,"cwd"`, 1), system("rw", "u", "rewind", "{}")}, "\n")))
	sinktest.Fuzz(f, Format{}, sinktest.InMemory)
}
