package claudecode

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/sinktest"
)

const samples = "../../testdata/samples/claude-code/"

// lines joins the lines of a session.
func lines(all ...string) []byte { return []byte(strings.Join(all, "\n") + "\n") }

// write writes a line with a uuid, its parent ("" for none) and more members.
func write(kind, id, parent, more string) string {
	link := "null"
	if parent != "" {
		link = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"parentUuid":%s,"sessionId":"S","cwd":"/w","type":%q,"uuid":%q,"timestamp":"2026-02-01T10:00:%02dZ",%s}`, link, kind, id, len(id), more)
}

func says(id, parent, text string) string {
	return write("user", id, parent, fmt.Sprintf(`"message":{"role":"user","content":%q}`, text))
}

func replies(id, parent, messageID, blocks string) string {
	return write("assistant", id, parent, fmt.Sprintf(`"message":{"role":"assistant","id":%q,"model":"m","content":[%s],"usage":{"input_tokens":1,"output_tokens":2}}`, messageID, blocks))
}

func calls(id string) string {
	return fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"Read","input":{"n": 1.0}}`, id)
}

func finishes(id, parent string, callIDs ...string) string {
	var blocks []string
	for _, c := range callIDs {
		blocks = append(blocks, fmt.Sprintf(`{"type":"tool_result","tool_use_id":%q,"content":"done %s"}`, c, c))
	}
	return write("user", id, parent, `"message":{"role":"user","content":[`+strings.Join(blocks, ",")+`]}`)
}

// outline reads a session of one conversation and returns its path, each record
// with its id.
func outline(t *testing.T, content []byte) []string {
	t.Helper()
	tree := sinktest.ReadBytes(t, Format{}, content).Trees[0]
	return outlineOf(tree, tree.Tip)
}

func outlineOf(tree *sinktest.Tree, tip string) []string {
	path := tree.Path(tip)
	described := sinktest.Outline(path)
	for i := range path {
		described[i] = path[i].ID + " " + described[i]
	}
	return described
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestLinesOfOneAnswerAreOneMessageWithItsResultsBehind(t *testing.T) {
	expect(t, outline(t, lines(
		says("u", "", "go"),
		replies("a1", "u", "M", `{"type":"text","text":"one"}`),
		replies("a2", "a1", "M", calls("c1")),
		write("progress", "p1", "a2", `"data":{"type":"hook_progress"}`),
		replies("a3", "p1", "M", calls("c2")),
		finishes("r2", "a3", "c2"),
		finishes("r1", "a2", "c1"),
		replies("b1", "r1", "N", `{"type":"text","text":"two"}`),
	)),
		`u user/person text:"go"`,
		`a3 assistant/model text:"one" call:Read:c1 call:Read:c2`,
		`r2 tool/tool result:c2`,
		`r1 tool/tool result:c1`,
		`b1 assistant/model text:"two"`,
	)
}

func TestResultsBetweenTheLinesOfAnAnswerComeBehindIt(t *testing.T) {
	whole := []string{
		says("u", "", "go"),
		replies("a1", "u", "M", calls("c1")),
		finishes("r1", "a1", "c1"),
		replies("a2", "r1", "M", calls("c2")),
		finishes("r2", "a2", "c2"),
		says("v", "r2", "next"),
	}
	expect(t, outline(t, lines(whole...)),
		`u user/person text:"go"`,
		`a2 assistant/model call:Read:c1 call:Read:c2`,
		`r1@a2 tool/tool result:c1`,
		`r2 tool/tool result:c2`,
		`v user/person text:"next"`,
	)
	for n := 1; n < len(whole); n++ { // imported at any time on the way
		sinktest.Grows(t, sinktest.ReadBytes(t, Format{}, lines(whole[:n]...)), sinktest.ReadBytes(t, Format{}, lines(whole...)))
	}
}

func TestWhatWasSaidBeforeALateResultStaysOnThePath(t *testing.T) {
	whole := []string{
		says("u", "", "go"),
		replies("a", "u", "M", calls("c1")),
		says("v", "a", "meanwhile"),
		write("system", "s", "v", `"subtype":"informational","content":"a notice"`),
		finishes("r", "s", "c1"),
		replies("b", "r", "N", `{"type":"text","text":"both"}`),
	}
	before := []string{
		`u user/person text:"go"`,
		`a assistant/model call:Read:c1`,
		`r tool/tool result:c1`,
		`v user/person text:"meanwhile"`,
		`s user/harness opaque:claude-code`,
	}
	expect(t, outline(t, lines(whole...)), append(before, `b assistant/model text:"both"`)...)
	expect(t, outline(t, lines(whole[:5]...)), before...)
}

func TestUsageOfAnAnswerIsCountedOnce(t *testing.T) {
	tree := sinktest.ReadBytes(t, Format{}, lines(
		says("u", "", "go"),
		replies("a1", "u", "M", `{"type":"text","text":"1"}`),
		replies("a2", "a1", "M", `{"type":"text","text":"2"}`),
		says("v", "u", "other"),
		replies("b1", "v", "M", `{"type":"text","text":"the same again on another branch"}`),
	)).Trees[0]
	var output int64
	for _, r := range tree.Records {
		if r.Usage != nil {
			output += r.Usage.Output
		}
	}
	if output != 2 {
		t.Errorf("output tokens = %d, want 2", output)
	}
}

func TestACallIDThatRepeatsIsAnsweredWhereItsResultHangs(t *testing.T) {
	expect(t, outline(t, lines(
		says("u", "", "go"),
		replies("a", "u", "M", calls("call_0")),
		finishes("r", "a", "call_0"),
		replies("b", "r", "N", calls("call_0")),
		finishes("s", "b", "call_0"),
	)),
		`u user/person text:"go"`,
		`a assistant/model call:Read:call_0`,
		`r tool/tool result:call_0`,
		`b assistant/model call:Read:call_0`,
		`s tool/tool result:call_0`,
	)
}

func TestACompactionHidesThePathBeforeIt(t *testing.T) {
	tree := sinktest.ReadBytes(t, Format{}, lines(
		says("u", "", "go"),
		replies("a", "u", "M", `{"type":"text","text":"one"}`),
		says("v", "a", "more"),
		replies("b", "v", "N", `{"type":"text","text":"two"}`),
		write("system", "end", "b", `"subtype":"turn_duration"`),
		write("system", "cut", "", `"subtype":"compact_boundary","logicalParentUuid":"end","compactMetadata":{"trigger":"auto","preTokens":1000,"postTokens":50,"preservedMessages":{"anchorUuid":"s","uuids":["v","b"]}}`),
		write("user", "s", "cut", `"isCompactSummary":true,"isVisibleInTranscriptOnly":true,"message":{"role":"user","content":"what was"}`),
		says("w", "b", "continues from the last that stayed"),
	)).Trees[0]
	expect(t, outlineOf(tree, tree.Tip),
		`u user/person text:"go"`,
		`a assistant/model text:"one"`,
		`v user/person text:"more"`,
		`b assistant/model text:"two"`,
		`end user/harness opaque:claude-code`,
		`s compaction .. as summary v..b as whole`,
		`w user/person text:"continues from the last that stayed"`,
	)
	c := tree.Record(t, "s").Compaction
	if want := (history.Reason{Before: 1000, After: 50, Note: "claude-code, auto"}); c.Reason != want || c.Treatments[0].Text != "what was" {
		t.Errorf("compaction %+v", c)
	}
}

func TestASegmentThatStaysIsNamedByItsEnds(t *testing.T) {
	expect(t, outline(t, lines(
		says("u", "", "go"),
		replies("a", "u", "M", calls("c")),
		finishes("r", "a", "c"),
		says("v", "r", "more"),
		write("system", "cut", "", `"subtype":"compact_boundary","logicalParentUuid":"v","compactMetadata":{"preservedSegment":{"headUuid":"a","tailUuid":"v","anchorUuid":"s"}}`),
		write("user", "s", "cut", `"isCompactSummary":true,"message":{"role":"user","content":"what was"}`),
		replies("b", "s", "N", `{"type":"text","text":"on"}`),
	))[4:],
		`s compaction .. as summary a..v as whole`,
		`b assistant/model text:"on"`,
	)
}

func TestASummaryAtTheBeginningIsAMessage(t *testing.T) {
	expect(t, outline(t, lines(
		write("user", "s", "", `"isCompactSummary":true,"message":{"role":"user","content":"what was"}`),
		says("u", "s", "go on"),
	)),
		`s user/harness text:"what was"`,
		`u user/person text:"go on"`,
	)
}

func TestWhatTheProgramWritesIsNotTheirsWhoType(t *testing.T) {
	expect(t, outline(t, lines(
		says("u1", "", "<command-name>/model</command-name>"),
		says("u2", "u1", "<local-command-stdout>set</local-command-stdout>"),
		write("system", "u3", "u2", `"subtype":"local_command","content":"x"`),
		write("user", "u4", "u3", `"isMeta":true,"message":{"role":"user","content":"a skill"}`),
		write("user", "u5", "u4", `"message":{"role":"user","content":[{"type":"text","text":"<system-reminder>r</system-reminder>"},{"type":"text","text":"mine"},{"type":"image","source":{"type":"url","url":"http://x"}}]}`),
		write("assistant", "a", "u5", `"isApiErrorMessage":true,"message":{"role":"assistant","id":"e","model":"<synthetic>","content":[{"type":"text","text":"Prompt is too long"}]}`),
		write("assistant", "b", "a", `"message":{"role":"assistant","id":"f","model":"<synthetic>","content":[{"type":"text","text":"No response requested."}]}`),
		write("attachment", "q", "b", `"attachment":{"type":"queued_command","prompt":"typed meanwhile"}`),
		write("attachment", "f", "q", `"attachment":{"type":"file","content":"x"}`),
		says("i", "f", "[Request interrupted by user]"),
		write("user", "t", "i", `"isVisibleInTranscriptOnly":true,"message":{"role":"user","content":"shown only"}`),
		says("w", "t", "on"),
	)),
		`u1 user/harness opaque:claude-code`,
		`u2 user/harness opaque:claude-code`,
		`u3 user/harness opaque:claude-code`,
		`u4 user/harness text:"a skill"`,
		`u5 user/harness text:"<system-reminder>r</system-reminder>"`,
		`u5.2 user/person text:"mine" image:`,
		`a user/harness opaque:claude-code`,
		`b assistant/harness text:"No response requested."`,
		`q user/person text:"typed meanwhile"`,
		`f user/harness opaque:claude-code`,
		`i user/harness text:"[Request interrupted by user]"`,
		`t user/harness opaque:claude-code`,
		`w user/person text:"on"`,
	)
}

func TestTextBesideResultsFollowsAllOfThem(t *testing.T) {
	whole := []string{
		says("u", "", "go"),
		replies("a", "u", "M", calls("c1")+","+calls("c2")),
		write("user", "r1", "a", `"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":"The user doesn't want to proceed with this tool use."},{"type":"text","text":"do it by hand"}]}`),
		finishes("r2", "a", "c2"),
		replies("b", "r2", "N", `{"type":"text","text":"yes"}`),
	}
	expect(t, outline(t, lines(whole...)),
		`u user/person text:"go"`,
		`a assistant/model call:Read:c1 call:Read:c2`,
		`r1 tool/tool result:c1:denied`,
		`r2 tool/tool result:c2`,
		`r1.2@r2 user/person text:"do it by hand"`,
		`b assistant/model text:"yes"`,
	)
	for n := 1; n < len(whole); n++ {
		sinktest.Grows(t, sinktest.ReadBytes(t, Format{}, lines(whole[:n]...)), sinktest.ReadBytes(t, Format{}, lines(whole...)))
	}
}

func TestAllBranchesComeAndTheTipIsTheLastOne(t *testing.T) {
	whole := []string{
		says("u", "", "go"),
		replies("a", "u", "M", `{"type":"text","text":"one"}`),
		says("v1", "a", "first way"),
		replies("b1", "v1", "N1", `{"type":"text","text":"x"}`),
		says("v2", "a", "second way"),
		replies("b2", "v2", "N2", `{"type":"text","text":"y"}`),
		write("system", "d", "b2", `"subtype":"turn_duration"`),
		write("user", "meta", "d", `"isMeta":true,"message":{"role":"user","content":"m"}`),
	}
	tree := sinktest.ReadBytes(t, Format{}, lines(whole...)).Trees[0]
	if tree.Tip != "b2" || len(tree.Records) != 8 || tree.Record(t, "v1").Parent != "a" || tree.Record(t, "v2").Parent != "a" {
		t.Errorf("tip %s, %d records", tree.Tip, len(tree.Records))
	}
	hints := map[string]string{
		`{"type":"last-prompt","lastPrompt":"p","leafUuid":"b1","sessionId":"S"}`: "b1",
		`{"type":"summary","summary":"s","leafUuid":"elsewhere"}`:                 "b2",
		`{"type":"summary","summary":"s","leafUuid":"b1"}` + "\n" +
			`{"type":"summary","summary":"s","leafUuid":"b2"}`: "b2",
	}
	for hint, want := range hints {
		if got := sinktest.ReadBytes(t, Format{}, lines(append(slices.Clone(whole), hint)...)).Trees[0].Tip; got != want {
			t.Errorf("%s: tip %s, want %s", hint, got, want)
		}
		before := append([]string{hint}, whole...) // as 2025 versions do, on other sessions' behalf
		if got := sinktest.ReadBytes(t, Format{}, lines(before...)).Trees[0].Tip; got != "b2" {
			t.Errorf("%s at the beginning: tip %s", hint, got)
		}
	}
}

func TestCirclesAreCutAndMissingParentsBridged(t *testing.T) {
	recording := sinktest.ReadBytes(t, Format{}, lines(
		says("u", "", "go"),
		says("self", "self", "itself"),
		says("x", "y", "circle"),
		says("y", "x", "circle"),
		says("z", "gone", "lost"),
	))
	expect(t, outlineOf(recording.Trees[0], "z"),
		`u user/person text:"go"`,
		`self user/person text:"itself"`,
		`x user/person text:"circle"`,
		`y user/person text:"circle"`,
		`z user/person text:"lost"`,
	)
	if len(recording.Problems) < 3 {
		t.Errorf("problems %v", recording.Problems)
	}
}

func TestALineThatStandsTwiceIsTakenOnce(t *testing.T) {
	u, a := says("u", "", "go"), replies("a", "u", "M", `{"type":"text","text":"x"}`)
	recording := sinktest.ReadBytes(t, Format{}, lines(u, a, u, a, says("u", "", "other words"), says("v", "a", "on")))
	if n := len(recording.Trees[0].Records); n != 3 || len(recording.Problems) != 1 || recording.Problems[0].Line != 5 {
		t.Errorf("%d records, problems %v", n, recording.Problems)
	}
}

func TestDamageCostsTheDamagedLineOnly(t *testing.T) {
	recording := sinktest.ReadBytes(t, Format{}, lines(
		says("u", "", "go"),
		`{"parentUuid":"u","uuid":"torn","type":"assistant","mess`,
		replies("a", "torn", "M", `{"type":"text","text":"x"}`)+says("v", "a", "welded"),
		write("user", "bad", "v", `"message":{"role":"user","content":[7]}`),
		says("w", "bad", "on")[:60],
	))
	expect(t, outlineOf(recording.Trees[0], recording.Trees[0].Tip),
		`u user/person text:"go"`,
		`a assistant/model text:"x"`,
		`v user/person text:"welded"`,
	)
	var at []int64
	for _, p := range recording.Problems {
		at = append(at, p.Line)
	}
	slices.Sort(at)
	if !slices.Equal(at, []int64{2, 3, 4, 5}) {
		t.Errorf("problems %v", recording.Problems)
	}
}

func TestTitlesComeFromTheSessionItself(t *testing.T) {
	u := says("u", "", "go")
	for _, test := range []struct{ more, want string }{
		{`{"type":"summary","summary":"mine","leafUuid":"u"}`, "mine"},
		{`{"type":"summary","summary":"another session's","leafUuid":"x"}`, ""},
		{`{"type":"ai-title","aiTitle":"made","sessionId":"S"}` + "\n" + `{"type":"summary","summary":"old","leafUuid":"u"}`, "made"},
		{`{"type":"custom-title","customTitle":"given","sessionId":"S"}` + "\n" + `{"type":"ai-title","aiTitle":"made","sessionId":"S"}`, "given"},
	} {
		if got := sinktest.ReadBytes(t, Format{}, lines(u, test.more)).Trees[0].Title; got != test.want {
			t.Errorf("%s: title %q", test.more, got)
		}
	}
}

func TestSubAgentsInTheSessionAreTheirOwnConversations(t *testing.T) {
	side := func(l string) string {
		return strings.Replace(l, `"sessionId"`, `"isSidechain":true,"sessionId"`, 1)
	}
	recording := sinktest.ReadBytes(t, Format{}, lines(
		says("u", "", "go"),
		replies("a", "u", "M", `{"type":"tool_use","id":"c","name":"Task","input":{"prompt":"look"}}`),
		side(says("s1", "", "look")),
		side(replies("s2", "s1", "SM", `{"type":"text","text":"found"}`)),
		finishes("r", "s2", "c"), // as a loader that follows the chain would stray
		replies("b", "r", "N", `{"type":"text","text":"done"}`),
	))
	expect(t, outlineOf(recording.Tree(t, "S"), "b"),
		`u user/person text:"go"`,
		`a assistant/model call:Task:c`,
		`r tool/tool result:c`,
		`b assistant/model text:"done"`,
	)
	agent := recording.Tree(t, "S/s1")
	if want := (transcript.Link{Conversation: "S", Record: "a"}); agent.SpawnedBy != want || len(agent.Records) != 2 {
		t.Errorf("spawned by %+v, %d records", agent.SpawnedBy, len(agent.Records))
	}
}

func TestSubAgentsInFilesComeWithTheSession(t *testing.T) {
	dir := t.TempDir()
	session := "0b7de8b4-7c6c-4f0e-9d4e-6f3c1a1f0d11"
	save := func(path string, all ...string) {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		content := strings.ReplaceAll(string(lines(all...)), `"sessionId":"S"`, `"sessionId":"`+session+`"`)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	agent := func(name, l string) string {
		return strings.Replace(l, `"sessionId"`, `"isSidechain":true,"agentId":"`+name+`","sessionId"`, 1)
	}
	finished := strings.TrimSuffix(finishes("r", "a", "c"), "}") + `,"toolUseResult":{"agentId":"one"}}`
	save(session+".jsonl", says("u", "", "go"), replies("a", "u", "M", calls("c")), finished, replies("b", "r", "N", calls("d")))
	save(session+"/subagents/agent-one.jsonl", agent("one", says("s", "", "look")), agent("one", replies("t", "s", "O", calls("e"))))
	save(session+"/subagents/agent-two.jsonl", agent("two", says("s2", "", "deeper")))
	save(session+"/subagents/agent-two.meta.json", `{"agentType":"Explore","description":"Look deeper","toolUseId":"e"}`)
	save("agent-other.jsonl", strings.Replace(agent("other", says("x", "", "of another session")), `"S"`, `"T"`, 1))

	recording := sinktest.Read(t, Format{}, filepath.Join(dir, session+".jsonl"))
	if len(recording.Trees) != 3 {
		t.Fatalf("%d conversations", len(recording.Trees))
	}
	one, two := recording.Tree(t, session+"/one"), recording.Tree(t, session+"/two")
	if want := (transcript.Link{Conversation: session, Record: "a"}); one.SpawnedBy != want {
		t.Errorf("one: spawned by %+v", one.SpawnedBy)
	}
	if want := (transcript.Link{Conversation: session + "/one", Record: "t"}); two.SpawnedBy != want || two.Title != "Look deeper" {
		t.Errorf("two: spawned by %+v, title %q", two.SpawnedBy, two.Title)
	}
	alone := sinktest.Read(t, Format{}, filepath.Join(dir, session, "subagents", "agent-one.jsonl"))
	if len(alone.Trees) != 1 || alone.Trees[0].ID != session+"/one" || alone.Trees[0].SpawnedBy.Conversation != session {
		t.Errorf("alone: %+v", alone.Trees[0].Conversation)
	}
}

func TestLinesWithoutUUIDsStandInFileOrder(t *testing.T) {
	recording := sinktest.Read(t, Format{}, samples+"agentsview_valid_session.jsonl")
	if path := recording.Trees[0].Path(recording.Trees[0].Tip); len(path) != 4 {
		t.Errorf("path of %d", len(path))
	}
}

func TestASessionKeepsItsNameWhenItGrows(t *testing.T) {
	content := sinktest.Bytes(t, samples+"spotter_tool_heavy.jsonl")
	end := 0
	var last *sinktest.Recording
	for n := range strings.Count(string(content), "\n") {
		end += strings.Index(string(content[end:]), "\n") + 1
		if n < 3 {
			continue // before the first message
		}
		recording := sinktest.ReadBytes(t, Format{}, content[:end])
		if last != nil {
			sinktest.Grows(t, last, recording)
		}
		last = recording
	}
}

func TestWhatAProviderChecksIsByteForByte(t *testing.T) {
	thinking := `{"type":"thinking","thinking":"caf\u00e9 <&> \ud800","signature":"AbC+/=="}`
	arguments := `{"a" :1.0e+5,"a":"\u0041","z":null}`
	tree := sinktest.ReadBytes(t, Format{}, lines(
		says("u", "", "go"),
		replies("a", "u", "M", thinking+`,{"type":"redacted_thinking","data":"xyz=="},{"type":"tool_use","id":"c","name":"N","input":`+arguments+`}`),
	)).Trees[0]
	parts := tree.Record(t, "a").Message.Parts
	if raw := parts[0].(message.Thinking); string(raw.Raw) != thinking || raw.Signature != "AbC+/==" {
		t.Errorf("thinking %+v", raw)
	}
	if data := parts[1].(message.RedactedThinking).Data; data != "xyz==" {
		t.Errorf("redacted %q", data)
	}
	if got := parts[2].(message.ToolCall).Arguments; string(got) != arguments {
		t.Errorf("arguments %s", got)
	}
}

func TestDetectTellsItsFilesFromThoseOfOthers(t *testing.T) {
	for _, other := range []string{
		`{"type":"session","version":3,"id":"x","cwd":"/w"}`,
		`{"timestamp":"2024-01-01T10:00:00Z","type":"session_meta","payload":{"id":"x"}}`,
		`{"uuid":"x","parentUuid":null,"sessionId":"s","type":"user","message":{"role":"user","parts":[{"text":"hi"}]}}`,
		`{"messages":[{"role":"user","content":"hi"}]}`,
		`{"id":"1","timestamp":"t","type":"user","content":"hi"}`,
		`{"type":"user","message":{"role":"user","content":"no envelope"}}`,
		``, `not json`,
	} {
		if (Format{}).Detect(sinktest.File([]byte(other + "\n"))) {
			t.Errorf("took %s", other)
		}
	}
	huge := says("u", "", strings.Repeat("x", transcript.HeadLen))
	if !(Format{}).Detect(sinktest.File([]byte(huge))) {
		t.Error("did not take a file whose first line is longer than its head")
	}
}

func TestReadStopsWithTheContext(t *testing.T) {
	sinktest.Stops(t, Format{}, sinktest.File(sinktest.Bytes(t, samples+"spotter_short.jsonl")))
}

func FuzzRead(f *testing.F) {
	entries, err := filepath.Glob(samples + "*")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range entries {
		if data, err := os.ReadFile(path); err == nil {
			f.Add(data[:min(len(data), 8<<10)])
		}
	}
	f.Add(lines(says("x", "y", "1"), says("y", "x", "2"), finishes("z", "x", "c"), replies("w", "z", "M", calls("c"))))
	sinktest.Fuzz(f, Format{}, sinktest.InMemory)
}
