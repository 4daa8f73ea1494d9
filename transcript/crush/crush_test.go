package crush

import (
	"database/sql"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/sinktest"
)

const samples = "../../testdata/samples/crush/"

func TestARealProjectIsRead(t *testing.T) {
	r := sinktest.Read(t, Format{}, samples+"dbos.db")
	if len(r.Trees) != 2 || len(r.Problems) != 0 {
		t.Fatalf("%d conversations, problems %v", len(r.Trees), r.Problems)
	}
	tree := r.Tree(t, "a20c5ed5-41d4-45f7-88eb-7ba0645f1341")
	if tree.Title != "Create and Enhance CRUSH.md with Codebase Guidelines" || tree.Model != "gpt-5" {
		t.Errorf("title %q, model %q", tree.Title, tree.Model)
	}
	if want := time.Date(2025, 8, 9, 3, 11, 0, 0, time.UTC); !tree.Created.Equal(want) { // 1754709060 seconds
		t.Errorf("created %v, want %v", tree.Created, want)
	}
	if len(tree.Records) != 78 || tree.Tip != "61f5552b-3db7-40c9-9747-3b84b44260b9" {
		t.Errorf("%d records, tip %s", len(tree.Records), tree.Tip)
	}
	outline := sinktest.Outline(tree.Path(tree.Tip))
	if len(outline) != 78 || outline[1] != `assistant/model opaque:crush` || // the request was refused
		!strings.HasPrefix(outline[3], `assistant/model text:"I will scan the repository to see if CRU" call:ls:call_VyHTcdqBo1dcdRbQ7YqsVFRf call:glob:`) {
		t.Errorf("outline begins %q", outline[:4])
	}
	stops := map[message.Stop]int{}
	outcomes := map[message.Outcome]int{}
	for _, tr := range r.Trees {
		for _, record := range tr.Records {
			if record.Message.Role == message.Assistant {
				stops[record.Message.Stop]++
			}
			for _, result := range record.Message.Results {
				outcomes[result.Outcome]++
			}
		}
		if open := sinktest.Unanswered(tr.Path(tr.Tip)); len(open) != 0 {
			t.Errorf("%s: %v", tr.ID, open)
		}
	}
	// Counted in the database: the finish parts of 39 answers (one has none
	// yet), and the results by their content.
	if want := map[message.Stop]int{message.StopTools: 26, message.StopEnd: 5, message.StopError: 3, message.StopAborted: 4, "": 1}; !reflect.DeepEqual(stops, want) {
		t.Errorf("stops %v, want %v", stops, want)
	}
	if want := map[message.Outcome]int{message.OK: 33, message.Failed: 4, message.Denied: 3, message.Unknown: 1}; !reflect.DeepEqual(outcomes, want) {
		t.Errorf("outcomes %v, want %v", outcomes, want)
	}
}

func TestArgumentsKeepTheirBytes(t *testing.T) {
	db, err := sql.Open("sqlite", "file:"+samples+"dbos.db?immutable=1&mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	want := map[string]string{}
	rows, err := db.Query(`SELECT json_extract(p.value, '$.data.id'), json_extract(p.value, '$.data.input')
		FROM messages m, json_each(m.parts) p WHERE json_extract(p.value, '$.type') = 'tool_call'`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, input string
		if err := rows.Scan(&id, &input); err != nil {
			t.Fatal(err)
		}
		want[id] = input
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, tree := range sinktest.Read(t, Format{}, samples+"dbos.db").Trees {
		for _, r := range tree.Records {
			for _, c := range r.Message.Calls {
				got[c.ID] = string(c.Arguments)
			}
		}
	}
	if len(want) != 41 || !reflect.DeepEqual(got, want) {
		t.Errorf("%d calls, want %d", len(got), len(want))
	}
}

func TestAnEmptyDatabaseHasNoConversation(t *testing.T) {
	if r := sinktest.Read(t, Format{}, samples+"filewatcher.db"); len(r.Trees) != 0 || len(r.Problems) != 0 {
		t.Errorf("%+v", r)
	}
}

// project makes a database by hand with Crush's schema of 2026-01, in the
// place where Crush keeps it.
type project struct {
	*sql.DB
	path string
	n    int
}

func newProject(t *testing.T) *project {
	t.Helper()
	path := filepath.Join(t.TempDir(), "work", ".crush", "crush.db")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(wal)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	p := &project{DB: db, path: path}
	p.exec(t, `CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL, message_count INTEGER NOT NULL DEFAULT 0,
		prompt_tokens INTEGER NOT NULL DEFAULT 0, completion_tokens INTEGER NOT NULL DEFAULT 0, cost REAL NOT NULL DEFAULT 0,
		updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL, summary_message_id TEXT, todos TEXT)`)
	p.exec(t, `CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, parts TEXT NOT NULL DEFAULT '[]', model TEXT,
		created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, finished_at INTEGER, provider TEXT, is_summary_message INTEGER DEFAULT 0 NOT NULL)`)
	return p
}

func (p *project) exec(t *testing.T, statement string, args ...any) {
	t.Helper()
	if _, err := p.Exec(statement, args...); err != nil {
		t.Fatal(err)
	}
}

func (p *project) session(t *testing.T, id, parent string) {
	t.Helper()
	p.n++
	p.exec(t, `INSERT INTO sessions (id, parent_session_id, title, created_at, updated_at) VALUES (?, NULLIF(?, ''), 'A title', ?, 0)`, id, parent, 1_770_000_000+p.n)
}

// message adds a message with parts written as type and data in turn.
func (p *project) message(t *testing.T, session, id, role, provider string, parts ...string) {
	t.Helper()
	var list []string
	for i := 0; i < len(parts); i += 2 {
		list = append(list, fmt.Sprintf(`{"type":%q,"data":%s}`, parts[i], parts[i+1]))
	}
	p.n++
	p.exec(t, `INSERT INTO messages (id, session_id, role, parts, model, provider, created_at, updated_at) VALUES (?, ?, ?, ?, 'model-x', ?, ?, 0)`,
		id, session, role, "["+strings.Join(list, ",")+"]", provider, 1_770_000_000+p.n)
}

const (
	done  = `{"reason":"end_turn","time":0}`
	tools = `{"reason":"tool_use","time":0}`
)

func TestTheSummaryHidesWhatStandsBeforeIt(t *testing.T) {
	p := newProject(t)
	p.session(t, "s", "")
	p.message(t, "s", "u1", "user", "", "text", `{"text":"first"}`)
	p.message(t, "s", "a1", "assistant", "openai", "text", `{"text":"answer"}`, "finish", done)
	p.message(t, "s", "cut", "assistant", "openai", "text", `{"text":"half a sum"}`)
	p.message(t, "s", "sum", "assistant", "openai", "text", `{"text":"what happened"}`, "finish", done)
	p.message(t, "s", "u2", "user", "", "text", `{"text":"second"}`)
	p.exec(t, `UPDATE messages SET is_summary_message = 1 WHERE id IN ('cut', 'sum')`)
	p.exec(t, `UPDATE sessions SET summary_message_id = 'sum'`)

	tree := sinktest.Read(t, Format{}, p.path).Tree(t, "s")
	got := sinktest.Outline(tree.Path("u2"))
	want := []string{`user/person text:"first"`, `assistant/model text:"answer"`, `assistant/model text:"half a sum"`, `compaction .. as summary`, `user/person text:"second"`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if c := tree.Record(t, "sum").Compaction; c.Treatments[0].Text != "what happened" || c.Reason.Model != "model-x" {
		t.Errorf("compaction %+v", c)
	}
	if tree.Directory != filepath.Dir(filepath.Dir(p.path)) {
		t.Errorf("directory %q", tree.Directory)
	}
}

func TestASubAgentIsLinkedToTheCall(t *testing.T) {
	p := newProject(t)
	p.session(t, "main", "")
	p.message(t, "main", "m1", "assistant", "anthropic", "tool_call", `{"id":"c1","name":"agent","input":"{}","finished":true}`, "finish", tools)
	p.session(t, "m1$$c1", "main")
	p.message(t, "m1$$c1", "x", "user", "", "text", `{"text":"look"}`)
	p.session(t, "title-main", "main")
	p.message(t, "title-main", "y", "user", "", "text", `{"text":"title?"}`)
	r := sinktest.Read(t, Format{}, p.path)
	if got := r.Tree(t, "m1$$c1").SpawnedBy; got != (transcript.Link{Conversation: "main", Record: "m1"}) {
		t.Errorf("spawned by %+v", got)
	}
	if got := r.Tree(t, "title-main").SpawnedBy; got != (transcript.Link{Conversation: "main"}) {
		t.Errorf("spawned by %+v", got)
	}
	if r.Trees[0].ID != "main" {
		t.Error("a child comes before its parent")
	}
}

func TestEachProvidersThinkingIsKeptExactly(t *testing.T) {
	p := newProject(t)
	p.session(t, "s", "")
	p.message(t, "s", "a", "assistant", "anthropic", "reasoning", `{"thinking":"hm","signature":"Eq+/="}`, "finish", done)
	p.message(t, "s", "o", "assistant", "openai", "reasoning", `{"thinking":"so","responses_data":{"item_id":"rs_1","encrypted_content":"gAAA","summary":[]}}`, "finish", done)
	p.message(t, "s", "g", "assistant", "gemini", "reasoning", `{"thinking":"well","thought_signature":"Cm4B","tool_id":"c2"}`,
		"tool_call", `{"id":"c1","name":"ls","input":"{\"a\": 1}"}`, "tool_call", `{"id":"c2","name":"ls","input":""}`, "finish", tools)
	tree := sinktest.Read(t, Format{}, p.path).Tree(t, "s")
	if m := tree.Record(t, "a").Message; m.Wire != "anthropic" || m.Model != "model-x" || !reflect.DeepEqual(m.Parts[0], message.Thinking{Text: "hm", Signature: "Eq+/="}) {
		t.Errorf("%+v", m)
	}
	if m := tree.Record(t, "o").Message; m.Wire != "openai-responses" || !reflect.DeepEqual(m.Parts[0], message.Thinking{Text: "so", Signature: "gAAA"}) {
		t.Errorf("%+v", m)
	}
	m := tree.Record(t, "g").Message
	want := []message.Part{message.Thinking{Text: "well"}, message.ToolCall{ID: "c1", Name: "ls", Arguments: []byte(`{"a": 1}`)},
		message.ToolCall{ID: "c2", Name: "ls", Arguments: []byte{}, Signature: "Cm4B"}}
	if m.Wire != "gemini" || !reflect.DeepEqual(m.Parts, want) {
		t.Errorf("%+v", m)
	}
}

func TestWhatAPersonAddsAndWhatCrushAddsAreApart(t *testing.T) {
	p := newProject(t)
	p.session(t, "s", "")
	png := "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA2iEnWAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg=="
	p.message(t, "s", "u", "user", "", "text", `{"text":"see"}`, "binary", `{"Path":"/tmp/a.png","MIMEType":"image/png","Data":"`+png+`"}`,
		"image_url", `{"url":"https://x.test/a.jpg"}`, "text", `{"text":"go on","hidden":true}`, "shell_command", `{"command":"ls","output":"a","exit_code":1}`)
	tree := sinktest.Read(t, Format{}, p.path).Tree(t, "s")
	want := []string{`user/person text:"see" image:image/png/tmp/a.png image:`, `user/harness text:"go on" text:"$ ls\na\n(exit code 1)"`}
	if got := sinktest.Outline(tree.Path(tree.Tip)); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	img := tree.Record(t, "u").Message.Parts[1].(message.Image)
	if data, _ := base64.StdEncoding.DecodeString(png); string(img.Data) != string(data) || img.WidthPx != 2 || img.HeightPx != 3 {
		t.Errorf("image of %d bytes, %d x %d", len(img.Data), img.WidthPx, img.HeightPx)
	}
}

func TestAnAnswerThatIsStillWrittenDoesNotBlockTheFinishedOne(t *testing.T) {
	p := newProject(t)
	p.session(t, "s", "")
	p.message(t, "s", "u", "user", "", "text", `{"text":"go"}`)
	p.message(t, "s", "a", "assistant", "openai", "text", `{"text":"I"}`)
	before := sinktest.Read(t, Format{}, p.path)
	p.exec(t, `UPDATE messages SET parts = '[{"type":"text","data":{"text":"I did"}},{"type":"finish","data":`+done+`}]' WHERE id = 'a'`)
	p.message(t, "s", "u2", "user", "", "text", `{"text":"and"}`)
	after := sinktest.Read(t, Format{}, p.path)
	sinktest.Grows(t, before, after)
	if got := after.Tree(t, "s").Record(t, "a").Message.PlainText(); got != "I did" {
		t.Errorf("the answer is %q", got)
	}
}

func TestADamagedRowIsReportedAndTheRestRead(t *testing.T) {
	p := newProject(t)
	p.session(t, "s", "")
	p.message(t, "s", "u", "user", "", "text", `{"text":"one"}`)
	p.message(t, "s", "bad", "user", "", "text", `{"text":"two"}`)
	p.message(t, "s", "odd", "user", "", "hologram", `{"x":1}`)
	p.message(t, "s", "v", "user", "", "text", `{"text":"three"}`)
	p.exec(t, `UPDATE messages SET parts = substr(parts, 1, 30), created_at = 'soon' || created_at WHERE id = 'bad'`)
	r := sinktest.Read(t, Format{}, p.path)
	tree := r.Tree(t, "s")
	if len(tree.Records) != 4 || len(r.Problems) != 1 || r.Problems[0].Record != "bad" {
		t.Fatalf("%d records, problems %+v", len(tree.Records), r.Problems)
	}
	kept := tree.Record(t, "bad").Message.Parts[0].(message.Opaque)
	if string(kept.Raw) != `[{"type":"text","data":{"text"` || rawjson.Valid(kept.Raw) {
		t.Errorf("kept %q", kept.Raw)
	}
}

func TestOlderSchemasAreRead(t *testing.T) {
	p := newProject(t)
	p.session(t, "s", "")
	p.message(t, "s", "u", "user", "", "text", `{"text":"hi"}`)
	p.exec(t, `ALTER TABLE messages DROP COLUMN is_summary_message`)
	p.exec(t, `ALTER TABLE messages DROP COLUMN provider`)
	p.exec(t, `ALTER TABLE sessions DROP COLUMN summary_message_id`)
	if r := sinktest.Read(t, Format{}, p.path); len(r.Tree(t, "s").Records) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestOtherFilesAreNotTaken(t *testing.T) {
	for _, content := range []string{"", "{}", "SQLite format 3\x00 and no more"} {
		if (Format{}).Detect(sinktest.File([]byte(content))) {
			t.Errorf("%q was taken", content)
		}
	}
	f, closer, err := transcript.Open(samples + "dbos.db")
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	sinktest.Stops(t, Format{}, f)
	if places := (Format{}).Places(transcript.Machine{Directory: "/w"}); !slices.Equal(places, []string{filepath.FromSlash("/w/.crush/crush.db")}) {
		t.Errorf("places %v", places)
	}
}

// FuzzDecode reads arbitrary parts: the database around them is SQLite's to
// read.
func FuzzDecode(f *testing.F) {
	f.Add("user", `[{"type":"text","data":{"text":"x"}}]`)
	f.Add("assistant", `[{"type":"reasoning","data":{"thinking":"x","thought_signature":"s","tool_id":"c"}},{"type":"tool_call","data":{"id":"c","input":"{}"}},{"type":"finish","data":{"reason":"error","message":"m"}}]`)
	f.Add("tool", `[{"type":"tool_result","data":{"tool_call_id":"c","content":"","is_error":true,"data":"AA==","mime_type":"image/png"}}]`)
	f.Add("user", `[{"type":"binary","data":{"Data":"AA=="}},{"type":"image_url","data":{"url":"data:image/png;base64,AA=="}},{}]`)
	f.Fuzz(func(t *testing.T, role, parts string) {
		read := func() []transcript.Record {
			d, err := decode(role, []byte(parts))
			if err != nil && len(d.item.Messages) == 0 {
				t.Fatal("what was not understood is not kept")
			}
			item := d.item
			item.ID, item.Open = "m", !d.finished
			return item.Records()
		}
		records := read()
		if err := sinktest.Check(records...); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(records, read()) {
			t.Fatal("reading again gives other records")
		}
	})
}
