package claudeai

import (
	"archive/zip"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript/internal/sinktest"
)

const sample = "../../testdata/samples/claude-ai/context-carry_conversations.json"

func outline(tree *sinktest.Tree) []string { return sinktest.Outline(tree.Path(tree.Tip)) }

func TestAListIsReadInItsOrder(t *testing.T) {
	r := sinktest.Read(t, Format{}, sample)
	if len(r.Trees) != 1 || len(r.Problems) != 0 {
		t.Fatalf("%d conversations, problems %v", len(r.Trees), r.Problems)
	}
	tree := r.Tree(t, "conv-claude-web-1")
	if tree.Title != "Claude Web Test Conversation" || !tree.Created.Equal(time.Date(2024, 1, 15, 10, 30, 0, 0, time.UTC)) {
		t.Errorf("%+v", tree.Conversation)
	}
	want := []string{
		`user/person text:"How do I use async/await in JavaScript?"`,
		`assistant/model text:"Async/await is syntactic sugar for Promi"`,
		`assistant/model thinking:"Let me think about a" text:"Here is an example with fetch." call:create_artifact:tool-1`, //nolint:misspell // the site's own word
	}
	if got := outline(tree); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	call := tree.Record(t, "msg-cw-3").Message.Parts[2].(message.ToolCall)
	if string(call.Arguments) != `{ "title": "Async Example", "type": "code" }` {
		t.Errorf("arguments %s", call.Arguments)
	}
	if open := sinktest.Unanswered(tree.Path(tree.Tip)); !slices.Equal(open, []string{"call tool-1"}) { // the export has no result
		t.Errorf("unanswered %v", open)
	}
	sinktest.Grows(t, r, sinktest.Read(t, Format{}, sample))
}

// chat makes a conversation by hand from the documented form.
func chat(id, more string, messages ...string) string {
	return fmt.Sprintf(`{"uuid":%q,"name":"T","created_at":"2025-01-02T03:04:05.678901Z"%s,"chat_messages":[%s]}`, id, more, strings.Join(messages, ","))
}

func says(id, parent, sender, at, more string) string {
	if parent != "" {
		more += fmt.Sprintf(`,"parent_message_uuid":%q`, parent)
	}
	return fmt.Sprintf(`{"uuid":%q,"sender":%q,"created_at":"2025-01-02T03:04:%sZ"%s}`, id, sender, at, more)
}

func block(text string) string {
	return fmt.Sprintf(`,"text":"","content":[{"type":"text","text":%q}]`, text)
}

func TestParentsMakeATree(t *testing.T) {
	messages := []string{
		says("u", noParent, "human", "06", block("q")), says("a1", "u", "assistant", "07", block("one")), says("u2", "a1", "human", "08", block("more")),
		says("a2", "u", "assistant", "09", block("two")), says("lost", "gone", "human", "01", block("x")),
	}
	r := sinktest.ReadBytes(t, Format{}, []byte("["+chat("c", "", messages...)+","+chat("d", `,"current_leaf_message_uuid":"u2"`, messages...)+"]"))
	c, d := r.Tree(t, "c"), r.Tree(t, "d")
	if c.Tip != "a2" || d.Tip != "u2" || len(c.Records) != 5 || c.Record(t, "lost").Parent != "" {
		t.Errorf("tips %s and %s of %d", c.Tip, d.Tip, len(c.Records))
	}
	if got := outline(d); !slices.Equal(got, []string{`user/person text:"q"`, `assistant/model text:"one"`, `user/person text:"more"`}) {
		t.Errorf("got %q", got)
	}
	circle := sinktest.ReadBytes(t, Format{}, []byte(chat("c", "", says("x", "y", "human", "06", block("x")), says("y", "x", "assistant", "07", block("y")))))
	if len(circle.Problems) != 1 || len(circle.Trees[0].Records) != 2 {
		t.Errorf("problems %v", circle.Problems)
	}
}

func TestToolsOfTheSiteAreCallsAndResults(t *testing.T) {
	content := `,"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"I search","citations":[{"uuid":"x"}]},` +
		`{"type":"tool_use","id":null,"name":"web_search","input":{"q":1}},{"type":"tool_use","id":"t2","name":"repl","input":{}},` +
		`{"type":"tool_result","tool_use_id":null,"name":"web_search","content":[{"type":"knowledge","title":"X","url":"https://x.test","text":""},{"type":"odd"}]},` +
		`{"type":"tool_result","tool_use_id":"t2","is_error":true,"content":"boom"},{"type":"token_budget"},{"type":"text","text":"done"}]`
	tree := sinktest.ReadBytes(t, Format{}, []byte(chat("c", "", says("a", "", "assistant", "06", content)))).Tree(t, "c")
	want := []string{
		`assistant/model thinking:"hm" text:"I search" call:web_search:a/call/1 call:repl:t2`,
		`tool/tool result:a/call/1 result:t2:error`,
		`assistant/model opaque:claude-ai text:"done"`,
	}
	if got := outline(tree); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if open := sinktest.Unanswered(tree.Path(tree.Tip)); len(open) != 0 {
		t.Errorf("unanswered %v", open)
	}
	found := tree.Record(t, "a/2").Message.Parts[0].(message.ToolResult)
	if found.PlainText() != "X\nhttps://x.test" || len(found.Content) != 2 {
		t.Errorf("%+v", found)
	}
}

func TestFilesComeWithTheirText(t *testing.T) {
	more := `,"text":"flat","content":[],"attachments":[{"file_name":"a.pdf","file_type":"pdf","extracted_content":"words"},{"file_name":"empty.txt","extracted_content":""}],"files":[{"file_name":"b.png"},{}]`
	tree := sinktest.ReadBytes(t, Format{}, []byte(chat("c", "", says("u", "", "human", "06", more)))).Tree(t, "c")
	if got := outline(tree); !slices.Equal(got, []string{`user/person text:"flat" document:text/plain:a.pdf opaque:claude-ai opaque:claude-ai`}) {
		t.Errorf("got %q", got)
	}
	if doc := tree.Records[0].Message.Parts[1].(message.Document); string(doc.Data) != "words" {
		t.Errorf("%+v", doc)
	}
}

func TestTheZIPIsRead(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{"users.json", "conversations.json", "projects.json"} {
		f, err := w.Create(name)
		if err == nil && name == "conversations.json" {
			_, err = f.Write(sinktest.Bytes(t, sample))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if r := sinktest.ReadBytes(t, Format{}, b.Bytes()); len(r.Tree(t, "conv-claude-web-1").Records) != 3 {
		t.Errorf("%+v", r)
	}
}

func TestDamageIsReportedAndTheRestRead(t *testing.T) {
	file := "[" + strings.Join([]string{
		chat("a", "", says("u", "", "human", "06", block("x")), `3`, says("v", "", "assistant", "07", `,"content":[{"type":"tool_result","content":4},5]`)),
		`{"name":"no id","chat_messages":[]}`, chat("b", "", says("u", "", "human", "06", `,"content":7,"text":"flat"`)),
	}, ",") + "]"
	r := sinktest.ReadBytes(t, Format{}, []byte(file))
	if len(r.Trees) != 2 || len(r.Problems) != 4 {
		t.Fatalf("%d conversations, problems %+v", len(r.Trees), r.Problems)
	}
	if got := outline(r.Tree(t, "a")); !slices.Equal(got, []string{`user/person text:"x"`, `tool/tool result:`, `assistant/model opaque:claude-ai`}) {
		t.Errorf("got %q", got)
	}
	if got := outline(r.Tree(t, "b")); !slices.Equal(got, []string{`user/person text:"flat"`}) {
		t.Errorf("got %q", got)
	}
}

func TestOtherFilesAreNotTaken(t *testing.T) {
	for _, content := range []string{"", "[]", "{}", `[{"mapping":{"a":{"id":"a"}}}]`, `{"messages":[]}`, `{"chat_messages":{}}`, "PK\x03\x04"} {
		if (Format{}).Detect(sinktest.File([]byte(content))) {
			t.Errorf("%q was taken", content)
		}
	}
	sinktest.Stops(t, Format{}, sinktest.File(sinktest.Bytes(t, sample)))
}

func FuzzRead(f *testing.F) {
	f.Add(sinktest.Bytes(f, sample))
	f.Add([]byte("[" + chat("c", `,"current_leaf_message_uuid":"a"`, says("u", noParent, "human", "06", block("q")),
		says("a", "u", "assistant", "07", `,"content":[{"type":"tool_use","input":{}},{"type":"tool_result","content":[{"type":"text","text":"x"}]},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]`)) + "]"))
	sinktest.Fuzz(f, Format{}, sinktest.InMemory)
}
