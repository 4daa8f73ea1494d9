package cline

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript/internal/sinktest"
)

const samples = "../../testdata/samples/cline/"

func outline(tree *sinktest.Tree, tip string) []string {
	path := tree.Path(tip)
	got := sinktest.Outline(path)
	for i := range got {
		got[i] = path[i].ID + " " + got[i]
	}
	return got
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// folder writes files into a folder of their own.
func folder(t *testing.T, name string, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for file, content := range files {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestTheSampleSessionIsReadWithWhatItWasCompactedTo(t *testing.T) {
	for _, file := range []string{"session.messages.json", "agentic.compaction.json", "basic.compaction.json"} {
		recording := sinktest.Read(t, Format{}, samples+file)
		tree := recording.Trees[0]
		if len(recording.Problems) > 0 || len(tree.Records) != 1+32+2 {
			t.Fatalf("%s: %d records, problems %v", file, len(tree.Records), recording.Problems)
		}
		if c := tree.Conversation; c.ID != "1784094124598_rruoq" || c.Model != "mistralai/mixtral-8x22b-instruct" || c.Directory != "/Users/example/dev/cline" || c.ForkedFrom.Conversation != "1784094053271_p8pzo" || !strings.HasSuffix(c.Title, "(fork)") {
			t.Errorf("%s: conversation %+v", file, c)
		}
		path := tree.Path(tree.Tip)
		if left := sinktest.Unanswered(path); len(left) > 0 {
			t.Errorf("%s: %v", file, left)
		}
		// Of the basic compaction the tool kept each prompt and the last answer to it.
		c := path[len(path)-1].Compaction
		if len(c.Treatments) != 4 || !strings.Contains(c.Treatments[0].Text, "Files edited") || c.Treatments[0].From != "msg_7mYEbh8N" {
			t.Errorf("%s: compaction %+v", file, c)
		}
		agentic := tree.Records[len(tree.Records)-2].Compaction
		if len(agentic.Treatments) != 1 || agentic.Treatments[0].From != "msg_mr9sjimy_1" || agentic.Treatments[0].To != "msg_id4I8bSN" || !strings.Contains(agentic.Treatments[0].Text, "## Goal") {
			t.Errorf("%s: compaction %+v", file, agentic)
		}
	}
}

func TestUsageAndAuthorsOfASession(t *testing.T) {
	tree := sinktest.Read(t, Format{}, samples+"session.messages.json").Trees[0]
	answer := tree.Record(t, "msg_WLUQWTo-")
	if want := (history.Usage{Input: 1580, CacheRead: 34332, Output: 164, CostUSD: 0.06539085}); *answer.Usage != want {
		t.Errorf("usage %+v", answer.Usage)
	}
	if m := answer.Message; m.Model != "anthropic/claude-opus-4.8-fast" || m.Wire != "anthropic" {
		t.Errorf("answer of %s over %s", m.Model, m.Wire)
	}
	prompt := tree.Record(t, "msg_mr9sjimy_1").Message
	if d := prompt.Parts[1].(message.Document); prompt.Author != message.ByPerson || !strings.HasSuffix(d.Name, "agent-sidebar.tsx") || !strings.HasPrefix(string(d.Data), `"use client";`) {
		t.Errorf("prompt %+v", prompt)
	}
}

const fiveMessages = `{"version":1,"updated_at":"2026-01-01T00:00:00Z","agent":"lead","sessionId":"S","messages":[
	{"id":"u","role":"user","content":"go","ts":1767225600000},
	{"id":"a","role":"assistant","content":[{"type":"text","text":"1"}]},
	{"id":"v","role":"user","content":[{"type":"text","text":"more"}]},
	{"id":"b","role":"assistant","content":[{"type":"tool_use","id":"c","name":"n","input":{"x" :1}}]},
	{"id":"r","role":"user","content":[{"type":"text","text":"by the way"},{"type":"tool_result","tool_use_id":"c","name":"n","content":[{"query":"q","result":"r"}],"is_error":true}]}]}`

func TestMessagesAfterACompactionContinueFromIt(t *testing.T) {
	dir := folder(t, "S", map[string]string{
		"S.messages.json":     fiveMessages,
		"S.compaction.json":   `{"version":1,"updated_at":"2026-01-02T00:00:00Z","agent":"lead","sessionId":"S","source_message_count":2,"messages":[{"role":"user","content":"what was"}]}`,
		"T.compaction.json":   `{"version":1,"updated_at":"2026-01-02T00:00:00Z","agent":"lead","sessionId":"T","messages":[{"role":"user","content":"of another session"}]}`,
		"sub.compaction.json": `{"version":1,"updated_at":"2026-01-02T00:00:00Z","agent":"other","sessionId":"S","messages":[]}`,
	})
	tree := sinktest.Read(t, Format{}, filepath.Join(dir, "S.messages.json")).Trees[0]
	compaction := tree.Path(tree.Tip)[2].ID
	expect(t, outline(tree, tree.Tip),
		`u user/person text:"go"`,
		`a assistant/model text:"1"`,
		compaction+` compaction u..a as summary`,
		`v user/person text:"more"`,
		`b assistant/model call:n:c`,
		`r tool/tool result:c:error`,
		`r/2 user/person text:"by the way"`,
	)
	result := tree.Record(t, "r").Message.Parts[0].(message.ToolResult)
	if result.PlainText() != `[{"query":"q","result":"r"}]` || result.Name != "n" {
		t.Errorf("result %+v", result)
	}
	alone := folder(t, "T", map[string]string{"T.compaction.json": string(sinktest.Bytes(t, filepath.Join(dir, "T.compaction.json")))})
	if got := sinktest.Read(t, Format{}, filepath.Join(alone, "T.compaction.json")).Trees[0]; got.ID != "T/compaction" || len(got.Records) != 1 {
		t.Errorf("a compaction without its session: %+v", got.Conversation)
	}
}

const task = `[
	{"role":"user","content":[{"type":"text","text":"<task>\nbuild it\n</task>"},{"type":"text","text":"<environment_details>\n# Current Working Directory (/home/u/p) Files\nx\n</environment_details>"}]},
	{"role":"assistant","content":[{"type":"text","text":"<read_file>"}]},
	{"role":"user","content":[{"type":"text","text":"[read_file for 'x'] Result:\nok"},{"type":"text","text":"and quickly"}]}]`

func TestTasksOfTheExtensionAreRead(t *testing.T) {
	dir := folder(t, "1767225600000", map[string]string{"api_conversation_history.json": task})
	tree := sinktest.Read(t, Format{}, filepath.Join(dir, "api_conversation_history.json")).Trees[0]
	if c := tree.Conversation; c.ID != "1767225600000" || c.Directory != "/home/u/p" || c.Created.Year() != 2026 {
		t.Errorf("conversation %+v", c)
	}
	got := sinktest.Outline(tree.Path(tree.Tip))
	expect(t, got,
		`user/person text:"<task>\nbuild it\n</task>"`,
		`user/harness text:"<environment_details>\n# Current Working "`,
		`assistant/model text:"<read_file>"`,
		`user/harness text:"[read_file for 'x'] Result:\nok"`,
		`user/person text:"and quickly"`,
	)
	shorter := sinktest.ReadBytes(t, Format{}, []byte(task[:strings.LastIndex(task, ",\n\t{")]+"]"))
	sinktest.Grows(t, shorter, sinktest.ReadBytes(t, Format{}, []byte(task)))
}

func TestADamagedFileIsReadUpToTheDamage(t *testing.T) {
	recording := sinktest.ReadBytes(t, Format{}, []byte(fiveMessages[:strings.Index(fiveMessages, `"ts"`)+60]))
	if n := len(recording.Trees[0].Records); n != 1 || len(recording.Problems) != 1 {
		t.Errorf("%d records, problems %+v", n, recording.Problems)
	}
	recording = sinktest.ReadBytes(t, Format{}, []byte(strings.Replace(fiveMessages, `"role":"assistant"`, `"role":"oracle"`, 1)))
	expect(t, outline(recording.Trees[0], "v"),
		`u user/person text:"go"`,
		`a user/harness opaque:cline`,
		`v user/person text:"more"`,
	)
}

func TestReadStopsWithTheContext(t *testing.T) {
	sinktest.Stops(t, Format{}, sinktest.File([]byte(fiveMessages)))
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(fiveMessages))
	f.Add([]byte(task))
	f.Add([]byte(`{"updated_at":1,"agent":"x","sessionId":"S","messages":[{"role":"user","content":[{"type":"file"},{"type":"tool_result","content":[[]]}]},7,{"id":"u"},{"id":"u"}],"system_prompt":"s"}`))
	sinktest.Fuzz(f, Format{}, sinktest.InMemory)
}
