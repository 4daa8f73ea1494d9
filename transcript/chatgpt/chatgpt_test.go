package chatgpt

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript/internal/sinktest"
)

const sample = "../../testdata/samples/chatgpt/mitkury_example-conversation.json"

func outline(tree *sinktest.Tree) []string { return sinktest.Outline(tree.Path(tree.Tip)) }

func TestAllBranchesComeAndTheTipIsWhatThePersonSaw(t *testing.T) {
	r := sinktest.Read(t, Format{}, sample)
	if len(r.Trees) != 1 || len(r.Problems) != 0 {
		t.Fatalf("%d conversations, problems %v", len(r.Trees), r.Problems)
	}
	tree := r.Tree(t, "conv-123")
	if tree.Title != "Sample conversation with branch" || !tree.Created.Equal(time.Unix(1704067200, 0)) {
		t.Errorf("%+v", tree.Conversation)
	}
	want := []string{
		`user/person text:"Hello! Can you help me with a programmin"`,
		`assistant/model text:"Of course! I'd be happy to help with you"`,
		`user/person text:"How do I write a function in JavaScript?"`,
		`assistant/model text:"Here's how to write a function in JavaSc"`,
	}
	if got := outline(tree); !slices.Equal(got, want) || tree.Tip != "msg-6" || len(tree.Records) != 5 {
		t.Errorf("got %q, tip %s of %d", got, tree.Tip, len(tree.Records))
	}
	if other := tree.Record(t, "msg-5"); other.Parent != "msg-3" {
		t.Errorf("the other branch continues from %s", other.Parent)
	}
	if m := tree.Record(t, "msg-3").Message; m.Model != "gpt-4" || m.Stop != message.StopEnd {
		t.Errorf("%+v", m)
	}
	sinktest.Grows(t, r, sinktest.Read(t, Format{}, sample))
}

// export is a conversation made by hand from the documented form.
type export struct {
	current string
	nodes   []string
	n       int
}

// node adds a node; the message is the members of its object, or null.
func (e *export) node(id, parent, message string) {
	e.n++
	if message != "null" {
		message = fmt.Sprintf(`{"id":%q,"create_time":%d.25,%s}`, id, 1_700_000_000+e.n, message)
	}
	if parent != "null" {
		parent = `"` + parent + `"`
	}
	e.nodes = append(e.nodes, fmt.Sprintf(`%q:{"id":%q,"message":%s,"parent":%s,"children":[]}`, id, id, message, parent))
}

func (e *export) String() string {
	current := ""
	if e.current != "" {
		current = fmt.Sprintf(`,"current_node":%q`, e.current)
	}
	return fmt.Sprintf(`{"title":"T","create_time":1700000000.5,"mapping":{%s},"conversation_id":"c"%s,"default_model_slug":"gpt-5"}`, strings.Join(e.nodes, ","), current)
}

func by(role, content string) string {
	return fmt.Sprintf(`"author":{"role":%q,"name":null,"metadata":{}},"content":%s,"status":"finished_successfully","recipient":"all","metadata":{}`, role, content)
}

func text(s string) string { return fmt.Sprintf(`{"content_type":"text","parts":[%q]}`, s) }

func (e *export) read(t testing.TB) *sinktest.Recording {
	return sinktest.ReadBytes(t, Format{}, []byte("["+e.String()+"]"))
}

func TestToolsAreCallsAndResults(t *testing.T) {
	e := &export{}
	e.node("root", "null", "null")
	e.node("sys", "root", by("system", text("")))
	e.node("ctx", "sys", by("user", `{"content_type":"user_editable_context","user_profile":"p"}`))
	e.node("u", "ctx", by("user", text("plot it")))
	e.node("th", "u", by("assistant", `{"content_type":"thoughts","thoughts":[{"summary":"S","content":"c"},{"summary":"","content":"d"}]}`))
	e.node("recap", "th", by("assistant", `{"content_type":"reasoning_recap","content":"Thought for 3s"}`))
	e.node("code", "recap", strings.Replace(by("assistant", `{"content_type":"code","language":"python","text":"print(\"1\")\n"}`), `"all"`, `"python"`, 1))
	e.node("out", "code", strings.Replace(by("tool", `{"content_type":"execution_output","text":"1\n"}`), `"name":null`, `"name":"python"`, 1))
	e.node("web", "out", strings.Replace(by("assistant", text(`{"q": [1]}`)), `"all"`, `"web.run"`, 1))
	e.node("quote", "web", by("tool", `{"content_type":"tether_quote","url":"https://x.test","title":"X","text":"said"}`))
	e.node("more", "quote", by("tool", `{"content_type":"system_error","name":"e","text":"no"}`))
	e.node("a", "more", by("assistant", text("done")))
	r := e.read(t)
	tree := r.Tree(t, "c")
	want := []string{
		`user/harness opaque:chatgpt`,
		`user/person text:"plot it"`,
		`assistant/model thinking:"**S**\n\nc" thinking:"d"`,
		`assistant/model opaque:chatgpt`,
		`assistant/model call:python:code`, `tool/tool result:code`,
		`assistant/model call:web.run:web`, `tool/tool result:web`, `tool/tool result:web:error`, // a second one for the call
		`assistant/model text:"done"`,
	}
	if got := outline(tree); !slices.Equal(got, want) || len(r.Problems) != 0 {
		t.Errorf("got %q", got)
	}
	if got := string(tree.Record(t, "code").Message.Parts[0].(message.ToolCall).Arguments); got != `{"input":"print(\"1\")\n"}` {
		t.Errorf("arguments %s", got)
	}
	if got := string(tree.Record(t, "web").Message.Parts[0].(message.ToolCall).Arguments); got != `{"q": [1]}` {
		t.Errorf("arguments %s", got)
	}
	if got := tree.Record(t, "quote").Message.Parts[0].(message.ToolResult).PlainText(); got != "X\nhttps://x.test\n\nsaid" {
		t.Errorf("quote %q", got)
	}
	if u := tree.Record(t, "u"); !u.Created.Equal(time.Unix(1_700_000_004, 250_000_000)) {
		t.Errorf("created %v", u.Created)
	}
}

func TestPicturesComeFromTheZIP(t *testing.T) {
	png, _ := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA2iEnWAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==")
	e := &export{}
	e.node("u", "null", `"author":{"role":"user"},"content":{"content_type":"multimodal_text","parts":[`+
		`{"content_type":"image_asset_pointer","asset_pointer":"file-service://file-abc","width":20,"height":30,"size_bytes":9},`+
		`{"content_type":"image_asset_pointer","asset_pointer":"sediment://file_gone#x","width":20,"height":30},`+
		`{"content_type":"audio_transcription","text":"heard"},{"content_type":"hologram"},"see"]},`+
		`"metadata":{"attachments":[{"id":"file-abc","name":"a.png","mime_type":"image/png"},{"id":"file-pdf","name":"b.pdf","mimeType":"application/pdf","size":7},{"id":"file-txt","name":"c.txt","mime_type":"text/plain"}]}`)
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, content := range map[string]string{"export/conversations.json": "[" + e.String() + "]", "export/file-abc-a.png": string(png), "export/file-txt-c.txt": "words"} {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	zipped := sinktest.ReadBytes(t, Format{}, b.Bytes()).Tree(t, "c").Record(t, "u").Message
	alone := e.read(t).Tree(t, "c").Record(t, "u").Message
	want := `user/person image:image/pnga.png image: text:"heard" opaque:chatgpt text:"see" document:application/pdf:b.pdf document:text/plain:c.txt`
	for _, tree := range []*sinktest.Tree{sinktest.ReadBytes(t, Format{}, b.Bytes()).Tree(t, "c"), e.read(t).Tree(t, "c")} {
		if got := outline(tree)[0]; got != want {
			t.Errorf("got %s", got)
		}
	}
	if img := zipped.Parts[0].(message.Image); !bytes.Equal(img.Data, png) || img.WidthPx != 2 || img.URL != "" {
		t.Errorf("%+v", img)
	}
	if img := alone.Parts[0].(message.Image); img.Data != nil || img.WidthPx != 20 || img.URL != "file-service://file-abc" {
		t.Errorf("%+v", img)
	}
	if doc := zipped.Parts[6].(message.Document); string(doc.Data) != "words" {
		t.Errorf("%+v", doc)
	}
	if doc := alone.Parts[5].(message.Document); doc.URL != "file-service://file-pdf" || doc.Size != 7 {
		t.Errorf("%+v", doc)
	}
}

func TestWithoutACurrentNodeTheNewestDeepestLeafIsTheTip(t *testing.T) {
	e := &export{}
	e.node("u", "null", by("user", text("q")))
	e.node("a1", "u", by("assistant", text("first")))
	e.node("u2", "a1", by("user", text("more")))
	e.node("a2", "u", by("assistant", text("second"))) // begun later, though less deep
	e.node("end", "a2", "null")                        // a place without a message
	if tip := e.read(t).Tree(t, "c").Tip; tip != "a2" {
		t.Errorf("tip %s", tip)
	}
	e.current = "u2"
	if tip := e.read(t).Tree(t, "c").Tip; tip != "u2" {
		t.Errorf("tip %s", tip)
	}
	e.current = "gone"
	if tip := e.read(t).Tree(t, "c").Tip; tip != "a2" {
		t.Errorf("tip %s", tip)
	}
}

func TestABrokenTreeIsReadAllTheSame(t *testing.T) {
	e := &export{}
	e.node("lost", "gone", by("user", text("no parent")))
	e.node("x", "y", by("user", text("x")))
	e.node("y", "x", by("assistant", text("y")))
	e.node("self", "self", by("user", text("self")))
	e.node("odd", "lost", `"author":{"role":"user"},"content":3`)
	r := e.read(t)
	tree := r.Tree(t, "c")
	if len(tree.Records) != 5 || len(r.Problems) != 2 || r.Problems[0].Record != "x" || r.Problems[1].Record != "odd" {
		t.Fatalf("%d records, problems %+v", len(tree.Records), r.Problems)
	}
	for id, parent := range map[string]string{"lost": "", "odd": "lost", "x": "", "y": "x", "self": ""} {
		if got := tree.Record(t, id).Parent; got != parent {
			t.Errorf("%s continues from %q", id, got)
		}
	}
	two := "[" + strings.Replace(e.String(), `"mapping":{`, `"mapping":{"n":3,`, 1) + "," + strings.Replace(e.String(), `"c"`, `"d"`, 1) + "]"
	if r := sinktest.ReadBytes(t, Format{}, []byte(strings.Replace(two, `"mapping":{"n":3,`, `"mapping":{"n":{"id":"n"},"m":3,`, 1))); len(r.Trees) != 1 || r.Trees[0].ID != "d" || len(r.Problems) != 3 {
		t.Errorf("%d conversations, problems %v", len(r.Trees), r.Problems)
	}
}

func TestALongConversationIsRead(t *testing.T) {
	e := &export{}
	parent := "null"
	for i := range 20_000 {
		id := fmt.Sprintf("n%d", i)
		e.node(id, parent, by("user", text("x")))
		parent = id
	}
	if tree := e.read(t).Tree(t, "c"); len(tree.Records) != 20_000 || tree.Tip != "n19999" {
		t.Errorf("%d records, tip %s", len(tree.Records), tree.Tip)
	}
}

func TestOtherFilesAreNotTaken(t *testing.T) {
	for _, content := range []string{"", "[]", "{}", `[{"uuid":"x","chat_messages":[]}]`, `{"mapping":{"a":{"zoom":1}}}`, `[{"role":"user","content":"x"}]`, "PK\x03\x04"} {
		if (Format{}).Detect(sinktest.File([]byte(content))) {
			t.Errorf("%q was taken", content)
		}
	}
	one := &export{}
	one.node("u", "null", by("user", text("x")))
	if r := sinktest.ReadBytes(t, Format{}, []byte(one.String())); len(r.Tree(t, "c").Records) != 1 {
		t.Error("a single conversation was not read")
	}
	sinktest.Stops(t, Format{}, sinktest.File([]byte("["+one.String()+"]")))
}

func FuzzRead(f *testing.F) {
	f.Add(sinktest.Bytes(f, sample))
	e := &export{current: "out"}
	e.node("u", "null", by("user", `{"content_type":"multimodal_text","parts":["x",{"content_type":"image_asset_pointer","asset_pointer":"a://b"}]}`))
	e.node("code", "u", strings.Replace(by("assistant", `{"content_type":"code","text":"1"}`), `"all"`, `"python"`, 1))
	e.node("out", "code", by("tool", `{"content_type":"execution_output","text":"1"}`))
	f.Add([]byte("[" + e.String() + "]"))
	sinktest.Fuzz(f, Format{}, sinktest.InMemory)
}

func BenchmarkRead(b *testing.B) {
	e := &export{}
	parent := "null"
	for i := range 500 {
		id := fmt.Sprintf("n%d", i)
		e.node(id, parent, by("assistant", text(strings.Repeat("some words of an answer\n", 60))))
		parent = id
	}
	content := []byte("[" + strings.Repeat(e.String()+",", 39) + e.String() + "]")
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := sinktest.Record(b.Context(), Format{}, sinktest.File(content)); err != nil {
			b.Fatal(err)
		}
	}
}
