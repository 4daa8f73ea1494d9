package goose

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/sinktest"
)

func outline(tree *sinktest.Tree) []string { return sinktest.Outline(tree.Path(tree.Tip)) }

// A store is a database made by hand with goose's schema of 2026-05.
type store struct {
	*sql.DB
	path string
}

func newStore(t *testing.T) *store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sessions.db")
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(wal)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s := &store{db, path}
	s.exec(t, `CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '', session_type TEXT NOT NULL DEFAULT 'user',
		working_dir TEXT NOT NULL, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP, provider_name TEXT, model_config_json TEXT, parent_session_id TEXT)`)
	s.exec(t, `CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT NOT NULL, role TEXT NOT NULL, content_json TEXT NOT NULL,
		created_timestamp INTEGER NOT NULL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, tokens INTEGER, metadata_json TEXT)`)
	return s
}

func (s *store) exec(t *testing.T, statement string, args ...any) {
	t.Helper()
	if _, err := s.Exec(statement, args...); err != nil {
		t.Fatal(err)
	}
}

func (s *store) session(t *testing.T, id, parent string) {
	t.Helper()
	s.exec(t, `INSERT INTO sessions (id, name, working_dir, created_at, provider_name, model_config_json, parent_session_id)
		VALUES (?, 'A title', '/w', '2026-05-01 10:00:00', 'anthropic', '{"model_name":"claude-x"}', NULLIF(?, ''))`, id, parent)
}

const (
	both      = `{"userVisible":true,"agentVisible":true}`
	userOnly  = `{"userVisible":true,"agentVisible":false}`
	agentOnly = `{"userVisible":false,"agentVisible":true}`
	nobody    = `{"userVisible":false,"agentVisible":false}`
)

func (s *store) message(t *testing.T, session, id, role, metadata string, content ...string) {
	t.Helper()
	s.exec(t, `INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp, metadata_json) VALUES (NULLIF(?, ''), ?, ?, ?, 1777600000, ?)`,
		id, session, role, "["+strings.Join(content, ",")+"]", metadata)
}

func text(s string) string { return fmt.Sprintf(`{"type":"text","text":%q}`, s) }

const (
	call     = `{"type":"toolRequest","id":"c1","toolCall":{"status":"success","value":{"name":"developer__shell","arguments":{"command": "ls"}}},"thoughtSignature":"s+/="}`
	response = `{"type":"toolResponse","id":"c1","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"files"}],"isError":false}}}`
)

func TestASessionIsRead(t *testing.T) {
	s := newStore(t)
	s.session(t, "20260501_1", "")
	s.message(t, "20260501_1", "m1", "user", both, text("go"), `{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}`)
	s.message(t, "20260501_1", "m2", "assistant", both, `{"type":"thinking","thinking":"hm","signature":"Eq+/="}`, `{"type":"redactedThinking","data":"xx"}`, text("I look"), call)
	s.message(t, "20260501_1", "m3", "user", both, response)
	s.message(t, "20260501_1", "m4", "assistant", userOnly, `{"type":"systemNotification","notificationType":"inlineMessage","msg":"note"}`)
	s.message(t, "20260501_1", "m5", "assistant", both, text("done"))
	s.session(t, "20260501_2", "20260501_1")
	s.message(t, "20260501_2", "x1", "user", both, text("sub"))
	s.session(t, "20260501_3", "")
	r := sinktest.Read(t, Format{}, s.path)
	if len(r.Trees) != 2 || len(r.Problems) != 0 {
		t.Fatalf("%d conversations, problems %v", len(r.Trees), r.Problems)
	}
	tree := r.Tree(t, "20260501_1")
	want := []string{
		`user/person text:"go" image:image/png`,
		`assistant/model thinking:"hm" message.RedactedThinking text:"I look" call:developer__shell:c1`,
		`tool/tool result:c1`, `user/harness opaque:goose`, `assistant/model text:"done"`,
	}
	if got := outline(tree); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if open := sinktest.Unanswered(tree.Path(tree.Tip)); len(open) != 0 {
		t.Errorf("unanswered %v", open)
	}
	m := tree.Record(t, "m2").Message
	if m.Wire != "anthropic" || m.Model != "claude-x" || !reflect.DeepEqual(m.Parts[0], message.Thinking{Text: "hm", Signature: "Eq+/="}) ||
		!reflect.DeepEqual(m.Parts[3], message.ToolCall{ID: "c1", Name: "developer__shell", Arguments: []byte(`{"command": "ls"}`), Signature: "s+/="}) {
		t.Errorf("%+v", m)
	}
	if tree.Title != "A title" || tree.Directory != "/w" || tree.Model != "claude-x" || !tree.Created.Equal(time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)) || !tree.Records[0].Created.Equal(time.Unix(1777600000, 0)) {
		t.Errorf("%+v", tree.Conversation)
	}
	if got := r.Tree(t, "20260501_2").SpawnedBy.Conversation; got != "20260501_1" {
		t.Errorf("spawned by %q", got)
	}
}

func TestACompactedSessionKeepsItsOriginals(t *testing.T) {
	s := newStore(t)
	s.session(t, "s", "")
	s.message(t, "s", "m1", "user", both, text("one"))
	s.message(t, "s", "m2", "assistant", both, call)
	s.message(t, "s", "m3", "user", both, response)
	s.message(t, "s", "m4", "user", both, text("kept"))
	before := sinktest.Read(t, Format{}, s.path)

	s.exec(t, `UPDATE messages SET metadata_json = ?, created_timestamp = created_timestamp * 1000 WHERE message_id <> 'm4'`, userOnly)
	s.message(t, "s", "sum", "user", agentOnly, text("a summary"))
	s.message(t, "s", "go on", "assistant", agentOnly, text("Your context was compacted."))
	s.message(t, "s", "m5", "user", both, text("two"))
	once := sinktest.Read(t, Format{}, s.path)
	sinktest.Grows(t, before, once)
	tree := once.Tree(t, "s")
	want := []string{
		`user/person text:"one"`, `assistant/model call:developer__shell:c1`, `tool/tool result:c1`, `user/person text:"kept"`,
		`compaction m1..m3 as summary`, `assistant/harness text:"Your context was compacted."`, `user/person text:"two"`,
	}
	if got := outline(tree); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if text := tree.Record(t, "sum").Compaction.Treatments[0].Text; text != "a summary" {
		t.Errorf("text %q", text)
	}

	// The next compaction hides the first summary too.
	s.exec(t, `UPDATE messages SET metadata_json = ? WHERE message_id = 'm5'`, userOnly)
	s.exec(t, `UPDATE messages SET metadata_json = ? WHERE message_id IN ('sum', 'go on')`, nobody)
	s.message(t, "s", "sum2", "user", agentOnly, text("another"))
	twice := sinktest.Read(t, Format{}, s.path)
	sinktest.Grows(t, once, twice)
	got := outline(twice.Tree(t, "s"))
	if want := `compaction m1..m3 as summary go on..m5 as trimmed`; got[len(got)-1] != want || got[4] != `compaction m1..m3 as summary` {
		t.Errorf("got %q", got)
	}
}

func TestWhatIsHiddenWithoutASummaryIsHidden(t *testing.T) {
	s := newStore(t)
	s.session(t, "s", "")
	s.message(t, "s", "m1", "user", userOnly, text("one"))
	s.message(t, "s", "m2", "user", userOnly, text("two"))
	if got := outline(sinktest.Read(t, Format{}, s.path).Tree(t, "s")); got[2] != `compaction m1..m2 as trimmed` {
		t.Errorf("got %q", got)
	}
}

func TestTheFormsOfCallsAndResults(t *testing.T) {
	s := newStore(t)
	s.session(t, "s", "")
	s.message(t, "s", "a", "assistant", both, `{"type":"frontendToolRequest","id":"1","toolCall":{"status":"success","value":{"name":"ui"}}}`,
		`{"type":"toolRequest","id":"2","toolCall":{"status":"error","error":"-32602: bad \"call\""}}`, `{"type":"toolRequest","id":"3","toolCall":{"status":"success","value":{"name":"x","arguments":{}}}}`,
		`{"type":"toolRequest","id":"4","toolCall":{"status":"success","value":{"name":"x","arguments":{}}}}`, `{"type":"toolRequest","id":"5","toolCall":{"status":"success","value":{"name":"x","arguments":{}}}}`)
	s.message(t, "s", "r", "user", both,
		`{"type":"toolResponse","id":"1","toolResult":{"status":"success","value":[{"type":"text","text":"old form"},{"type":"resource","resource":{"uri":"x","text":"inside"}}]}}`,
		`{"type":"toolResponse","id":"2","toolResult":{"status":"error","error":"boom"}}`,
		`{"type":"toolResponse","id":"3","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"x"}],"isError":true}}}`,
		`{"type":"toolResponse","id":"4","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"The user has declined to run this tool. DO NOT attempt"}]}}}`, text("and"))
	tree := sinktest.Read(t, Format{}, s.path).Tree(t, "s")
	want := []string{`assistant/model call:ui:1 call:invalid_call:2 call:x:3 call:x:4 call:x:5`, `tool/tool result:1 result:2:error result:3:error result:4:denied`, `user/person text:"and"`}
	if got := outline(tree); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if open := sinktest.Unanswered(tree.Path(tree.Tip)); !slices.Equal(open, []string{"call 5"}) {
		t.Errorf("unanswered %v", open)
	}
	if bad := tree.Record(t, "a").Message.Parts[1].(message.ToolCall); string(bad.Arguments) != `{"error":"-32602: bad \"call\""}` {
		t.Errorf("%+v", bad)
	}
	if got := tree.Record(t, "r").Message.Parts[0].(message.ToolResult).PlainText(); got != "old form\ninside" {
		t.Errorf("%q", got)
	}
}

func TestMessagesWithoutIDsAreNamedByWhatStandsBefore(t *testing.T) {
	s := newStore(t)
	s.session(t, "s", "")
	s.message(t, "s", "", "user", both, text("one"))
	s.message(t, "s", "", "user", both, text("one"))
	before := sinktest.Read(t, Format{}, s.path)
	s.message(t, "s", "", "assistant", both, text("two"))
	s.message(t, "s", "same", "assistant", both, text("three"))
	s.message(t, "s", "same", "assistant", both, text("four"))
	s.exec(t, `ALTER TABLE messages DROP COLUMN metadata_json`)
	after := sinktest.Read(t, Format{}, s.path)
	sinktest.Grows(t, before, after)
	if n := len(after.Tree(t, "s").Records); n != 5 {
		t.Errorf("%d records", n)
	}
}

// lines is a file of before 2025-10.
func lines(messages ...string) string {
	return `{"working_dir":"/w","description":"Old","message_count":1,"total_tokens":5}` + "\n" + strings.Join(messages, "\n") + "\n"
}

func TestFilesOfLinesAreRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "20250401_101010.jsonl")
	content := lines(`{"role":"user","created":1743500000,"content":[`+text("go")+`]}`, `{"role":"assistant","created":1743500001,"content":[`+call+`]}`,
		`{"role":"us`, `{"role":"user","created":1743500002,"content":[`+response+`]}`)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	r := sinktest.Read(t, Format{}, path)
	tree := r.Tree(t, "20250401_101010")
	if got := outline(tree); !slices.Equal(got, []string{`user/person text:"go"`, `assistant/model call:developer__shell:c1`, `tool/tool result:c1`}) {
		t.Errorf("got %q", got)
	}
	if tree.Title != "Old" || tree.Directory != "/w" || !tree.Created.Equal(time.Unix(1743500000, 0)) || tree.Records[2].Line != 5 {
		t.Errorf("%+v", tree.Conversation)
	}
	if len(r.Problems) != 1 || r.Problems[0].Line != 4 {
		t.Errorf("problems %v", r.Problems)
	}
	whole := sinktest.ReadBytes(t, Format{}, []byte(content))
	for n := range strings.Count(content, "\n") {
		cut := strings.Join(strings.SplitAfter(content, "\n")[:n+1], "")
		sinktest.Grows(t, sinktest.ReadBytes(t, Format{}, []byte(cut)), whole)
	}
}

func TestADamagedRowIsReportedAndTheRestRead(t *testing.T) {
	s := newStore(t)
	s.session(t, "s", "")
	s.message(t, "s", "m1", "user", both, text("one"))
	s.message(t, "s", "m2", "user", both, text("two"), `{"type":"toolResponse","id":"c","toolResult":{"status":"success","value":[3]}}`)
	s.exec(t, `INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp) VALUES ('m3', 's', 'user', '[{"type":"te', 'soon')`)
	s.message(t, "s", "m4", "user", both, text("four"))
	r := sinktest.Read(t, Format{}, s.path)
	want := []string{`user/person text:"one"`, `user/person text:"two"`, `user/harness opaque:goose`, `user/harness opaque:goose`, `user/person text:"four"`}
	if got := outline(r.Tree(t, "s")); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if len(r.Problems) != 2 || r.Problems[0].Record != "m2" || r.Problems[1].Record != "m3" {
		t.Errorf("problems %+v", r.Problems)
	}
}

func TestOtherFilesAreNotTaken(t *testing.T) {
	for _, content := range []string{
		"", "{}", `{"type":"session","working_dir":"/w","description":"x"}`, `{"working_dir":"/w"}`, `{"role":"user","content":[]}`, "SQLite format 3\x00",
	} {
		if (Format{}).Detect(sinktest.File([]byte(content))) {
			t.Errorf("%q was taken", content)
		}
	}
	sinktest.Stops(t, Format{}, sinktest.File([]byte(lines(`{"role":"user","created":1,"content":[]}`))))
	places := (Format{}).Places(transcript.Machine{Home: "/h", Getenv: func(name string) string {
		return map[string]string{"GOOSE_PATH_ROOT": "/g"}[name]
	}})
	want := []string{"/g/data/sessions/sessions.db", "/g/data/sessions/*.jsonl", "/h/.local/share/goose/sessions/sessions.db", "/h/.local/share/goose/sessions/*.jsonl"}
	for i := range want {
		want[i] = filepath.FromSlash(want[i])
	}
	if !slices.Equal(places, want) {
		t.Errorf("places %v", places)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(lines(`{"role":"user","created":1,"content":[`+text("a")+`],"metadata":`+userOnly+`}`, `{"role":"user","created":2,"content":[`+text("b")+`],"metadata":`+agentOnly+`}`,
		`{"id":"x","role":"assistant","created":3,"content":[`+call+`]}`, `{"id":"x","role":"user","created":3,"content":[`+response+`]}`)))
	sinktest.Fuzz(f, Format{}, sinktest.InMemory)
}
