package opencode

import (
	"bytes"
	"database/sql"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/sinktest"
)

const samples = "../../testdata/samples/opencode/kimaki_events_"

// tip returns the outline of a conversation's path.
func tip(tree *sinktest.Tree) []string { return sinktest.Outline(tree.Path(tree.Tip)) }

func TestParallelTasksAreCallsAndResults(t *testing.T) {
	r := sinktest.Read(t, Format{}, samples+"real-session-task-three-parallel-sleeps.jsonl")
	if len(r.Trees) != 1 || len(r.Problems) != 0 {
		t.Fatalf("%d conversations, problems %v", len(r.Trees), r.Problems)
	}
	tree := r.Trees[0]
	if tree.ID != "ses_33d8cd632ffeImx2BDMv6M2eM3" || tree.Directory != "/Users/morse/Documents/GitHub/kimakivoice" || tree.Model != "gpt-5.3-codex" ||
		tree.Title != "start a task to use bash sleep 10. 3 in parallel. using general agent" || !tree.Created.Equal(time.UnixMilli(1772788853197)) {
		t.Errorf("%+v", tree.Conversation)
	}
	want := []string{
		`user/person text:"start a task to use bash sleep 10. 3 in "`,
		`user/harness text:"<discord-user name=\"Tommy\" />" text:"[Current branch: main]" text:"[Current branch: main]"`,
		`assistant/model thinking:"**Orchestrating para" call:task:call_Dm2S6QoS9vZhlq6KycpFQ53V call:task:call_UXNzfJWHpV2PPxVz7AwsX8VO call:task:call_CPAWtoesbLULhUBGwJZssGsk`,
		`tool/tool result:call_Dm2S6QoS9vZhlq6KycpFQ53V result:call_UXNzfJWHpV2PPxVz7AwsX8VO result:call_CPAWtoesbLULhUBGwJZssGsk`,
		`assistant/model thinking:"" text:"Done — I launched 3 **general-agent** ta"`,
	}
	if got := tip(tree); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if open := sinktest.Unanswered(tree.Path(tree.Tip)); len(open) != 0 {
		t.Errorf("%v", open)
	}
	last := tree.Record(t, "msg_cc273ce06001eTVWX7BQfo9PpB")
	if want := (history.Usage{Input: 1217, Output: 278, Reasoning: 54, CacheRead: 45824}); *last.Usage != want {
		t.Errorf("usage %+v", last.Usage)
	}
	thinking := last.Message.Parts[0].(message.Thinking)
	file := sinktest.Bytes(t, samples+"real-session-task-three-parallel-sleeps.jsonl")
	if last.Message.Wire != "openai-responses" || last.Message.Stop != message.StopEnd || len(thinking.Signature) < 1000 || !bytes.Contains(file, []byte(`"`+thinking.Signature+`"`)) {
		t.Errorf("wire %q, signature of %d bytes", last.Message.Wire, len(thinking.Signature))
	}
}

func TestThoughtSignaturesOfGeminiAreKept(t *testing.T) {
	r := sinktest.Read(t, Format{}, samples+"real-session-task-user-interruption.jsonl")
	tree := r.Tree(t, "ses_3464f45cbffepJqdjao5ZebNBa")
	path := tree.Path(tree.Tip)
	call := path[2].Message.Parts[1].(message.ToolCall)
	text := path[4].Message.Parts[1].(message.Text)
	if !strings.HasPrefix(call.Signature, "ClsBvj72+7l7c/eqbjpM") || !strings.HasSuffix(call.Signature, "8IgBg==") || call.ID != "xyYc1J0C1WtiQrNY" {
		t.Errorf("call %+v", call)
	}
	if !strings.HasPrefix(text.Signature, "Cm4Bvj72+9TemBT2g4kE") || path[4].Message.Wire != "gemini" {
		t.Errorf("text %+v", text)
	}
	// Here thinking is not in the output: 39022 + 36 + 52 is the total.
	if want := (history.Usage{Input: 39022, Output: 88, Reasoning: 52}); *path[2].Usage != want {
		t.Errorf("usage %+v", path[2].Usage)
	}
}

func TestAnAbortedAnswerSaysSo(t *testing.T) {
	tree := sinktest.Read(t, Format{}, samples+"session-explicit-abort.jsonl").Trees[0]
	got := tip(tree)
	want := []string{
		`user/person text:"Reply with exactly: abort-no-footer-setu"`,
		`user/harness text:"<discord-user name=\"queue-advanced-teste" text:"[Current branch: main]" text:"[Current branch: main]"`,
		`assistant/model text:"ok"`,
		`user/person text:"SLOW_ABORT_MARKER run long response"`,
		`user/harness text:"<discord-user name=\"queue-advanced-teste"`,
		`assistant/model opaque:opencode`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if last := tree.Records[len(tree.Records)-1].Message; last.Stop != message.StopAborted {
		t.Errorf("stop %q", last.Stop)
	}
}

func TestALogThatHasGrownComesToTheSamePath(t *testing.T) {
	for _, name := range []string{"real-session-task-three-parallel-sleeps", "real-session-task-user-interruption", "session-explicit-abort"} {
		content := sinktest.Bytes(t, samples+name+".jsonl")
		whole := sinktest.ReadBytes(t, Format{}, content)
		lines := bytes.SplitAfter(content, []byte("\n"))
		for n := 1; n < len(lines); n += 1 + len(lines)/40 {
			prefix, err := sinktest.Record(t.Context(), Format{}, sinktest.File(bytes.Join(lines[:n], nil)))
			if err != nil {
				t.Fatal(err)
			}
			sinktest.Grows(t, prefix, whole)
		}
	}
}

// A fixture is sessions with messages and parts, made by hand from opencode's
// schema of 2026-05, that can be written in each of the kinds of files.
type fixture struct {
	sessions []fixtureSession
}

type fixtureSession struct {
	id, parent, revert string
	messages           []fixtureMessage
}

// fixtureMessage has the members of the message's and the parts' objects that
// no column holds.
type fixtureMessage struct {
	id, data string
	parts    []string
}

func (f *fixture) session(id, parent string) {
	f.sessions = append(f.sessions, fixtureSession{id: id, parent: parent})
}

// message adds a message to the latest session. Times are minutes.
func (f *fixture) message(id string, minute int, data string, parts ...string) {
	s := &f.sessions[len(f.sessions)-1]
	completed := ""
	if strings.Contains(data, `"assistant"`) && !strings.Contains(data, "unfinished") {
		completed = fmt.Sprintf(`,"completed":%d`, ms(minute)+1000)
	}
	s.messages = append(s.messages, fixtureMessage{id: id, parts: parts,
		data: fmt.Sprintf(`{"time":{"created":%d%s},%s}`, ms(minute), completed, data)})
}

func ms(minute int) int { return 1_770_000_000_000 + minute*60_000 }

func (f *fixture) database(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "opencode.db")
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(wal)&_pragma=wal_autocheckpoint(0)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	exec := func(statement string, args ...any) {
		if _, err := db.Exec(statement, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, parent_id TEXT, slug TEXT NOT NULL, directory TEXT NOT NULL, title TEXT NOT NULL,
		version TEXT NOT NULL, revert TEXT, permission TEXT, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, time_compacting INTEGER, time_archived INTEGER, model TEXT)`)
	exec(`CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL)`)
	exec(`CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL)`)
	for i, s := range f.sessions {
		exec(`INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, revert, time_created, time_updated)
			VALUES (?, 'p', NULLIF(?, ''), 's', 'C:\work', 'A title', '1', NULLIF(?, ''), ?, 0)`, s.id, s.parent, s.revert, ms(i))
		for _, m := range s.messages {
			exec(`INSERT INTO message VALUES (?, ?, ?, 0, ?)`, m.id, s.id, rawjson.Int(rawjson.Get(rawjson.Get([]byte(m.data), "time"), "created")), m.data)
			for j, p := range m.parts {
				exec(`INSERT INTO part VALUES (?, ?, ?, 0, 0, ?)`, partID(m.id, j), m.id, s.id, p)
			}
		}
	}
	return path
}

func partID(message string, n int) string { return fmt.Sprintf("prt_%s_%d", message, n) }

// object puts ids into the object that a column holds.
func object(data string, ids ...string) string {
	var b strings.Builder
	b.WriteString("{")
	for i := 0; i < len(ids); i += 2 {
		fmt.Fprintf(&b, "%q:%q,", ids[i], ids[i+1])
	}
	return b.String() + data[1:]
}

func (s *fixtureSession) info(i int) string {
	info := fmt.Sprintf(`{"id":%q,"directory":"C:\\work","title":"A title","time":{"created":%d,"updated":0}`, s.id, ms(i))
	if s.parent != "" {
		info += fmt.Sprintf(`,"parentID":%q`, s.parent)
	}
	if s.revert != "" {
		info += `,"revert":` + s.revert
	}
	return info + "}"
}

func (f *fixture) export(session int) []byte {
	s := f.sessions[session]
	var messages []string
	for _, m := range s.messages {
		var parts []string
		for j, p := range m.parts {
			parts = append(parts, object(p, "id", partID(m.id, j), "sessionID", s.id, "messageID", m.id))
		}
		messages = append(messages, fmt.Sprintf(`{"info":%s,"parts":[%s]}`, object(m.data, "id", m.id, "sessionID", s.id), strings.Join(parts, ",")))
	}
	return fmt.Appendf(nil, "{\n \"info\": %s,\n \"messages\": [%s]\n}", s.info(session), strings.Join(messages, ",\n"))
}

func (f *fixture) events() []byte {
	var b bytes.Buffer
	for i, s := range f.sessions {
		fmt.Fprintf(&b, `{"type":"session.updated","properties":{"info":%s}}`+"\n", s.info(i))
		for _, m := range s.messages {
			fmt.Fprintf(&b, `{"directory":"/w","payload":{"type":"message.updated","properties":{"info":%s}}}`+"\n", object(m.data, "id", m.id, "sessionID", s.id))
			for j, p := range m.parts {
				fmt.Fprintf(&b, `{"type":"message.part.updated","properties":{"part":%s}}`+"\n", object(p, "id", partID(m.id, j), "sessionID", s.id, "messageID", m.id))
			}
		}
	}
	return b.Bytes()
}

const (
	asUser      = `"role":"user"`
	asAssistant = `"role":"assistant","modelID":"claude-x","providerID":"anthropic","finish":"stop"`
)

func text(s string) string { return fmt.Sprintf(`{"type":"text","text":%q}`, s) }

func bash(id string, state string) string {
	return fmt.Sprintf(`{"type":"tool","callID":%q,"tool":"bash","state":%s}`, id, state)
}

func completed(output string, compactedAt int) string {
	compacted := ""
	if compactedAt > 0 {
		compacted = fmt.Sprintf(`,"compacted":%d`, compactedAt)
	}
	return fmt.Sprintf(`{"status":"completed","input":{"command": "ls"},"output":%q,"title":"","metadata":{},"time":{"start":1,"end":2%s}}`, output, compacted)
}

// conversation has a session with everything that a session can have, and one
// of a sub-agent.
func conversation() *fixture {
	f := &fixture{}
	f.session("ses_a", "")
	f.message("msg_01", 1, asUser, text("one"), `{"type":"text","text":"added","synthetic":true}`, `{"type":"text","text":"shown","ignored":true}`,
		`{"type":"file","mime":"image/png","filename":"a.png","url":"data:image/png;base64,iVBORw0KGgo="}`, `{"type":"file","mime":"text/plain","url":"file:///w/x.go"}`)
	f.message("msg_02", 2, asAssistant, `{"type":"step-start"}`, `{"type":"reasoning","text":"hm","metadata":{"anthropic":{"signature":"Eq+/="}}}`,
		bash("c1", completed("long output", ms(5)+1)), bash("c2", `{"status":"error","input":{},"error":"Tool execution aborted","time":{"start":1,"end":2}}`),
		`{"type":"step-finish","reason":"tool-calls","cost":0.5,"tokens":{"input":10,"output":2,"reasoning":0,"cache":{"read":1,"write":3}}}`,
		`{"type":"step-start"}`, text("between"), bash("c3", `{"status":"error","input":{"a":1},"error":"The user rejected permission to use this specific tool call.","time":{"start":1,"end":2}}`),
		`{"type":"step-finish","reason":"stop","cost":0.25,"tokens":{"input":20,"output":4,"reasoning":0,"cache":{"read":0,"write":0}}}`)
	f.message("msg_03", 4, asUser, text("two"))
	f.message("msg_04", 5, asAssistant, `{"type":"step-start"}`, text("four"), `{"type":"hologram","x":[1]}`,
		`{"type":"tool","callID":"c4","tool":"task","state":{"status":"completed","input":{},"output":"done","title":"","metadata":{"sessionId":"ses_b"},"time":{"start":1,"end":2}}}`)
	f.message("msg_05", 6, asUser, text("three"))
	f.message("msg_06", 7, asUser, fmt.Sprintf(`{"type":"compaction","auto":true,"tail_start_id":%q}`, "msg_05"))
	f.message("msg_07", 8, asAssistant+`,"summary":true,"parentID":"msg_06"`, text("a summary"))
	f.message("msg_08", 9, asUser, `{"type":"text","text":"Continue if you have next steps","synthetic":true}`)
	f.message("msg_09", 10, asAssistant+`,"summary":true,"parentID":"msg_08","error":{"name":"APIError","data":{}}`, text("half a"))
	f.session("ses_b", "ses_a")
	f.message("msg_11", 11, asUser, text("look"))
	f.message("msg_12", 12, strings.Replace(asAssistant, "claude-x", "unfinished", 1), bash("c5", `{"status":"running","input":{"command":"sleep"},"time":{"start":1}}`))
	return f
}

func TestADatabaseAnExportAndEventsSayTheSame(t *testing.T) {
	f := conversation()
	database := sinktest.Read(t, Format{}, f.database(t))
	if len(database.Trees) != 2 || len(database.Problems) != 0 {
		t.Fatalf("%d conversations, problems %v", len(database.Trees), database.Problems)
	}
	events := sinktest.ReadBytes(t, Format{}, f.events())
	for i, want := range database.Trees {
		export := sinktest.ReadBytes(t, Format{}, f.export(i)).Trees[0]
		for _, got := range []*sinktest.Tree{export, events.Trees[i]} {
			// What stands around an opaque part's ids is the kind of file's own.
			if g, w := sinktest.Outline(got.Records), sinktest.Outline(want.Records); !slices.Equal(g, w) {
				t.Errorf("got\n%q\nwant\n%q", g, w)
			}
			for j, r := range got.Records {
				if w := want.Records[j]; r.ID != w.ID && !strings.Contains(w.ID, "~") || r.Parent != w.Parent || !r.Created.Equal(w.Created) || !reflect.DeepEqual(r.Usage, w.Usage) {
					t.Errorf("record %+v, want %+v", r, w)
				}
			}
			if got.Title != want.Title || got.Directory != `C:\work` || !got.Created.Equal(want.Created) || got.SpawnedBy.Conversation != want.SpawnedBy.Conversation {
				t.Errorf("%+v, want %+v", got.Conversation, want.Conversation)
			}
		}
	}
}

func TestASessionIsReadInAllItsKinds(t *testing.T) {
	r := sinktest.Read(t, Format{}, conversation().database(t))
	a := r.Tree(t, "ses_a")
	want := []string{
		`user/person text:"one" image:image/pnga.png`,
		`user/harness text:"added" opaque:opencode opaque:opencode`,
		`assistant/model thinking:"hm" call:bash:c1 call:bash:c2`,
		`tool/tool result:c1 result:c2:unknown`,
		`assistant/model text:"between" call:bash:c3`,
		`tool/tool result:c3:denied`,
		`user/person text:"two"`,
		`assistant/model text:"four" opaque:opencode call:task:c4`,
		`tool/tool result:c4`,
		`compaction msg_02/2.. as stub part 1`, // cleared after msg_04 began
		`user/person text:"three"`,
		`user/harness opaque:opencode`,
		`compaction ..cleared/1770000300001 as summary`, // up to the tail
		`user/harness text:"Continue if you have next steps"`,
		`assistant/model text:"half a" opaque:opencode`,
	}
	if got := tip(a); !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	step := a.Record(t, "msg_02")
	if want := (history.Usage{Input: 10, Output: 2, CacheRead: 1, CacheWrite: 3, CostUSD: 0.5}); *step.Usage != want {
		t.Errorf("usage of the first step %+v", step.Usage)
	}
	if want := (history.Usage{Input: 20, Output: 4, CostUSD: 0.25}); *a.Record(t, "msg_02/3").Usage != want {
		t.Errorf("usage of the second step %+v", a.Record(t, "msg_02/3").Usage)
	}
	call := step.Message.Parts[1].(message.ToolCall)
	if string(call.Arguments) != `{"command": "ls"}` || step.Message.Wire != "anthropic" || step.Message.Stop != message.StopTools {
		t.Errorf("call %+v of %+v", call, step.Message)
	}
	img := a.Record(t, "msg_01").Message.Parts[1].(message.Image)
	if want, _ := base64.StdEncoding.DecodeString("iVBORw0KGgo="); !bytes.Equal(img.Data, want) || img.URL != "" {
		t.Errorf("image %+v", img)
	}
	summary := a.Record(t, "msg_07").Compaction
	if summary.Treatments[0].Text != "a summary" || summary.Reason.Model != "claude-x" {
		t.Errorf("summary %+v", summary)
	}
	if kept := a.Record(t, "msg_02/2").Message.Parts[0].(message.ToolResult).PlainText(); kept != "long output" {
		t.Errorf("the cleared output is %q", kept)
	}

	b := r.Tree(t, "ses_b")
	if b.SpawnedBy != (transcript.Link{Conversation: "ses_a", Record: "msg_04"}) {
		t.Errorf("spawned by %+v", b.SpawnedBy)
	}
	if open := sinktest.Unanswered(b.Path(b.Tip)); !slices.Equal(open, []string{"call c5"}) {
		t.Errorf("unanswered %v", open)
	}
}

func TestARevertMovesTheTip(t *testing.T) {
	for _, c := range []struct{ revert, tip string }{
		{`{"messageID":"msg_03"}`, "msg_02/4"},
		{`{"messageID":"msg_02","partID":"prt_msg_02_6"}`, "msg_02/2"}, // the second step
		{`{"messageID":"msg_02","partID":"prt_msg_02_2"}`, "msg_01/2"},
		{`{"messageID":"msg_01"}`, "msg_09"}, // before the first: said, not done
	} {
		f := conversation()
		f.sessions[0].revert = c.revert
		r := sinktest.Read(t, Format{}, f.database(t))
		if got := r.Tree(t, "ses_a").Tip; got != c.tip {
			t.Errorf("%s: tip %s, want %s", c.revert, got, c.tip)
		}
		if len(r.Tree(t, "ses_a").Records) != 15 || (c.tip == "msg_09") != (len(r.Problems) == 1) {
			t.Errorf("%s: problems %v", c.revert, r.Problems)
		}
	}
}

func TestRemovedMessagesStandAsABranch(t *testing.T) {
	f := &fixture{}
	f.session("ses_a", "")
	f.message("msg_1", 1, asUser, text("one"))
	f.message("msg_2", 2, asUser, text("wrong"))
	log := string(f.events()) +
		`{"type":"message.removed","properties":{"sessionID":"ses_a","messageID":"msg_2"}}` + "\n"
	r := sinktest.ReadBytes(t, Format{}, []byte(log))
	if tree := r.Tree(t, "ses_a"); tree.Tip != "msg_1" || len(tree.Records) != 2 {
		t.Errorf("tip %s of %d", tree.Tip, len(tree.Records))
	}
	log += `{"type":"message.updated","properties":{"info":{"id":"msg_3","sessionID":"ses_a","role":"user","time":{"created":1}}}}` + "\n" +
		`{"type":"message.part.updated","properties":{"part":{"id":"p","sessionID":"ses_a","messageID":"msg_3","type":"text","text":"rig"}}}` + "\n" +
		`{"type":"message.part.delta","properties":{"sessionID":"ses_a","messageID":"msg_3","partID":"p","field":"text","delta":"ht"}}` + "\n"
	later := sinktest.ReadBytes(t, Format{}, []byte(log))
	sinktest.Grows(t, r, later)
	tree := later.Tree(t, "ses_a")
	if got := tip(tree); !slices.Equal(got, []string{`user/person text:"one"`, `user/person text:"right"`}) || len(tree.Records) != 3 {
		t.Errorf("got %q of %d", got, len(tree.Records))
	}
}

func TestDamageIsReportedAndTheRestRead(t *testing.T) {
	f := conversation()
	f.sessions[0].messages[2].data = `{"role":`
	f.sessions[0].messages[3].parts[1] = `{"type":"text","text":"cut`
	r := sinktest.Read(t, Format{}, f.database(t))
	if got := r.Tree(t, "ses_a"); len(r.Problems) != 2 || r.Problems[0].Record != "msg_03" || r.Problems[1].Record != "prt_msg_04_1" || got.Tip != "msg_09" {
		t.Errorf("problems %+v, tip %s", r.Problems, got.Tip)
	}
	if kept := r.Tree(t, "ses_a").Record(t, "msg_04").Message.Parts[0].(message.Opaque); string(kept.Raw) != `{"type":"text","text":"cut` {
		t.Errorf("kept %q", kept.Raw)
	}
	whole := conversation().export(0)
	cut := sinktest.ReadBytes(t, Format{}, whole[:len(whole)*3/4])
	if len(cut.Problems) != 1 || len(cut.Trees[0].Records) < 3 {
		t.Errorf("cut in the middle: %d records, problems %v", len(cut.Trees[0].Records), cut.Problems)
	}
	sinktest.Grows(t, cut, sinktest.ReadBytes(t, Format{}, whole))
	bad := sinktest.ReadBytes(t, Format{}, bytes.Replace(whole, []byte(`"type":"hologram"`), []byte(`"type":hologram`), 1))
	if len(bad.Problems) == 0 {
		t.Error("a broken message was not reported")
	}
	welded := bytes.Replace(conversation().events(), []byte("\n"), []byte(" "), 3)
	if r := sinktest.ReadBytes(t, Format{}, append(welded, `{"type":"message.upd`...)); len(r.Tree(t, "ses_a").Records) != 15 || len(r.Problems) != 1 {
		t.Errorf("welded lines: problems %v", r.Problems)
	}
}

func TestOtherFilesAreNotTaken(t *testing.T) {
	for _, content := range []string{
		"", "{}", `{"info":{"id":"x"},"messages":[]}`, `{"type":"session","version":3,"id":"x"}`, `{"type":"session_meta","payload":{"id":"x"}}`,
		`{"type":"user","message":{"role":"user"},"uuid":"x"}`, `{"version":1,"sessionId":"x","messages":[]}`,
	} {
		if (Format{}).Detect(sinktest.File([]byte(content))) {
			t.Errorf("%q was taken", content)
		}
	}
	sinktest.Stops(t, Format{}, sinktest.File(conversation().events()))
	sinktest.Stops(t, Format{}, sinktest.File(conversation().export(0)))
	places := (Format{}).Places(transcript.Machine{Home: "/h", Getenv: func(name string) string {
		return map[string]string{"OPENCODE_DB": "/x.db"}[name]
	}})
	if want := []string{"/x.db", filepath.FromSlash("/h/.local/share/opencode/opencode*.db")}; !slices.Equal(places, want) {
		t.Errorf("places %v", places)
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"real-session-task-user-interruption", "session-explicit-abort"} {
		f.Add(sinktest.Bytes(f, samples+name+".jsonl")[:8<<10]) // mutating more is slow
	}
	f.Add(conversation().events())
	f.Add(conversation().export(0))
	sinktest.Fuzz(f, Format{}, sinktest.InMemory)
}

func BenchmarkReadDatabase(b *testing.B) {
	f := &fixture{}
	f.session("ses_a", "")
	for i := range 2000 {
		f.message(fmt.Sprintf("msg_%05d", 2*i), 2*i, asUser, text("a prompt"))
		f.message(fmt.Sprintf("msg_%05d", 2*i+1), 2*i+1, asAssistant, `{"type":"step-start"}`, text("an answer"), bash("c1", completed(strings.Repeat("a line of output\n", 60), 0)), bash("c2", completed("short", 0)))
	}
	path := f.database(b)
	b.ReportAllocs()
	for b.Loop() {
		r := sinktest.Read(b, Format{}, path)
		b.ReportMetric(float64(len(r.Trees[0].Records)), "records")
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/6000, "ns/record")
}
