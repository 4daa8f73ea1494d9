package aider

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/sinktest"
)

const sample = "../../testdata/samples/aider/chat-history_head60k.md"

func outline(tree *sinktest.Tree) []string { return sinktest.Outline(tree.Path(tree.Tip)) }

func TestARealHistoryIsReadChatByChat(t *testing.T) {
	r := sinktest.Read(t, Format{}, sample)
	// Counted in the file: 12 beginnings, of which in 4 chats something was
	// typed and in 4 aider only printed; before them the end of a chat.
	if len(r.Trees) != 5 || len(r.Problems) != 1 || !strings.Contains(r.Problems[0].What, "approximately") || !strings.HasSuffix(r.Problems[0].What, "; 4 chats in which nothing was typed are left out") {
		t.Fatalf("%d conversations, problems %v", len(r.Trees), r.Problems)
	}
	prompts := 0
	for _, tree := range r.Trees {
		for _, line := range outline(tree) {
			if strings.HasPrefix(line, "user/person") {
				prompts++
			}
		}
	}
	if prompts != 1+3+2+1+3 {
		t.Errorf("%d prompts", prompts)
	}
	if cut := r.Trees[0]; !cut.Created.IsZero() || !strings.HasPrefix(cut.ID, "cut~") || len(cut.Records) != 4 { // an answer's end, notices, a prompt, notices
		t.Errorf("%q: %q", cut.ID, outline(cut))
	}
	chat := r.Trees[1]
	want := []string{
		`user/harness text:"/Users/gauthier/Projects/aider/.venv/bin"`,
		`user/person text:"Use the Spinner instead of the inlined c"`,
		`assistant/model text:"Certainly! I'll modify the ` + "`run_install` " + `"`,
	}
	if got := outline(chat); !slices.Equal(got[:2], want[:2]) || !strings.HasPrefix(got[2], want[2][:40]) {
		t.Errorf("got %q", got)
	}
	if chat.Model != "claude-3-5-sonnet-20240620" || chat.Records[2].Message.Model != chat.Model || !chat.Created.Equal(time.Date(2024, 8, 5, 19, 33, 32, 0, time.UTC)) {
		t.Errorf("%+v", chat.Conversation)
	}
	if got := r.Trees[2].Model; got != "gpt-4o-mini" {
		t.Errorf("model %q", got)
	}
	if chat.Records[1].Line != 113 {
		t.Errorf("line %d", chat.Records[1].Line)
	}
}

func TestAHistoryThatHasGrownComesToTheSameChats(t *testing.T) {
	content := sinktest.Bytes(t, sample)
	whole := sinktest.ReadBytes(t, Format{}, content)
	for _, end := range []string{"\n# aider chat started at", "\n#### "} { // aider writes whole blocks
		for at := 5000; at < len(content); {
			next := bytes.Index(content[at:], []byte(end))
			if next < 0 {
				break
			}
			at += next + 1
			sinktest.Grows(t, sinktest.ReadBytes(t, Format{}, content[:at]), whole)
		}
	}
}

const chatAt = "# aider chat started at 2025-01-02 03:04:05\n\n"

func TestWhoSaidWhat(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a prompt of several lines": {"#### one  \n####   \n####  indented  \n\nanswer\n",
			[]string{`user/person text:"one\n\n indented"`, `assistant/model text:"answer"`}},
		"headings and rules are the answer's": {"#### q\n# Heading\n\n###### six\n---\n",
			[]string{`user/person text:"q"`, `assistant/model text:"# Heading\n\n###### six\n---"`}},
		"notices": {"#### q\n> Tokens: 1k  \n> \n>\n\nanswer\n\n> Applied edit to a.go  \n",
			[]string{`user/person text:"q"`, `user/harness text:"Tokens: 1k"`, `assistant/model text:"answer"`, `user/harness text:"Applied edit to a.go"`}},
		"a quotation inside code is the answer's": {"#### q\n```md\n> quoted\n```\n> notice\n",
			[]string{`user/person text:"q"`, "assistant/model text:\"```md\\n> quoted\\n```\"", `user/harness text:"notice"`}},
		"a fence that is never closed hides nothing": {"#### q\n```go\ncode\n\n> ^C KeyboardInterrupt  \n",
			[]string{`user/person text:"q"`, "assistant/model text:\"```go\\ncode\"", `user/harness text:"^C KeyboardInterrupt"`}},
		"an empty notice does not break an answer": {"#### q\none\n> \ntwo\n",
			[]string{`user/person text:"q"`, `assistant/model text:"one\ntwo"`}},
		"what is printed before a prompt is aider's": {"> Aider v1  \nrepo map\n\n#### q\n",
			[]string{`user/harness text:"Aider v1\nrepo map"`, `user/person text:"q"`}},
		"not a quotation":            {"#### q\n>>> print(1)\n", []string{`user/person text:"q"`, `assistant/model text:">>> print(1)"`}},
		"a prompt without an answer": {"#### one  \n\n#### two  \n", []string{`user/person text:"one"`, `user/person text:"two"`}},
		"line ends of Windows":       {"#### q  \r\nanswer\r\n", []string{`user/person text:"q"`, `assistant/model text:"answer"`}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := outline(sinktest.ReadBytes(t, Format{}, []byte(chatAt+c.text)).Trees[0]); !slices.Equal(got, c.want) {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestChatsOfOneSecondAreApart(t *testing.T) {
	r := sinktest.ReadBytes(t, Format{}, []byte(chatAt+"#### one\n"+chatAt+"#### two\n"+chatAt+"#### one\n"))
	if len(r.Trees) != 3 || r.Trees[0].ID == r.Trees[1].ID || r.Trees[0].ID != r.Trees[2].ID {
		t.Errorf("%d conversations", len(r.Trees))
	}
}

func TestTheDirectoryIsTheRepository(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, fileName)
	if err := os.WriteFile(path, []byte("\n"+chatAt+"#### q\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := sinktest.Read(t, Format{}, path).Trees[0].Directory; got != dir {
		t.Errorf("directory %q", got)
	}
	if places := (Format{}).Places(transcript.Machine{Directory: dir}); !slices.Equal(places, []string{path}) {
		t.Errorf("places %v", places)
	}
}

func TestThousandsOfChatsAreRead(t *testing.T) {
	if r := sinktest.ReadBytes(t, Format{}, manyChats(3000)); len(r.Trees) != 3000 {
		t.Errorf("%d conversations", len(r.Trees))
	}
}

func manyChats(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "# aider chat started at %s\n\n> Model: m with x\n\n#### prompt %d\n\n%s```\n",
			time.Unix(int64(i), 0).UTC().Format(time.DateTime), i, strings.Repeat("a line of the answer\n", 50))
	}
	return b.Bytes()
}

func TestOtherFilesAreNotTaken(t *testing.T) {
	for _, content := range []string{"", "# aider\n", "# aider chat started at noon\n", "see # aider chat started at 2025-01-02 03:04:05"} {
		if (Format{}).Detect(sinktest.File([]byte(content))) {
			t.Errorf("%q was taken", content)
		}
	}
	sinktest.Stops(t, Format{}, sinktest.File([]byte(chatAt+"#### q\n")))
}

func FuzzRead(f *testing.F) {
	f.Add(sinktest.Bytes(f, sample)[:8<<10])
	f.Add([]byte(chatAt + "> a\n\n#### q\n```\n> x\n```\n>\n####\n" + chatAt))
	sinktest.Fuzz(f, Format{}, sinktest.InMemory)
}

func BenchmarkRead(b *testing.B) {
	content := manyChats(3000)
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := sinktest.Record(b.Context(), Format{}, sinktest.File(content)); err != nil {
			b.Fatal(err)
		}
	}
}

// An opening fence looks for the one that closes it: not again from each.
func BenchmarkFencesThatNeverClose(b *testing.B) {
	lines := make([]line, 100_000)
	for i := range lines {
		lines[i].text = "```go"
	}
	for b.Loop() {
		fences(lines)
	}
}
