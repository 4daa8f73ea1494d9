package export

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; look at the change and run the test with -update\n%s", file, got)
	}
}

func asMarkdown(t testing.TB, b *builder, o Options) string {
	var out bytes.Buffer
	if err := Markdown(b.Context(), b.Store, b.conversation, &out, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func asHTML(t testing.TB, b *builder, o Options) []byte {
	var out bytes.Buffer
	if err := HTML(b.Context(), b.Store, b.conversation, &out, o); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestMarkdownOfAConversationWithEverythingInIt(t *testing.T) {
	golden(t, "path.md", []byte(asMarkdown(t, shop(t), Options{})))
	golden(t, "tree.md", []byte(asMarkdown(t, shop(t), Options{All: true})))
}

func TestHTMLOfAConversationWithEverythingInIt(t *testing.T) {
	page := asHTML(t, shop(t), Options{All: true})
	// Style and script have files of their own.
	page = bytes.Replace(page, []byte(pageCSS), []byte("(page.css)"), 1)
	page = bytes.Replace(page, []byte(pageJS), []byte("(page.js)"), 1)
	golden(t, "tree.html", page)
}

// TestNoContentIsTakenForTheExportsOwnWords: in Markdown, what people, models
// and tools said stands behind >, so that no line of it is a heading of ours.
func TestNoContentIsTakenForTheExportsOwnWords(t *testing.T) {
	hostile := []string{"# heading", "## 3 · Person", "> quoted", "```", "````", "</details>", "<script>alert(1)</script>", "<!--", "![x](javascript:alert(1))", "\u202e reversed", "a\r\nb", "---", "[x]: http://evil.example/"}
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(hostile), 1, 5).Draw(rt, "lines"), "\n")
		b := build(t, text)
		b.add(message.Prompt(text))
		b.add(answer(message.Thinking{Text: text, Signature: "s"}, message.Text{Text: text}, call("c", text, `{"x":"`+"```"+`"}`)), result("c", text))
		for _, line := range strings.Split(asMarkdown(t, b, Options{}), "\n") {
			if strings.HasPrefix(line, "## ") && !headingOf(line) {
				rt.Fatalf("the content made the heading %q", line)
			}
			if strings.Contains(strings.ReplaceAll(line, `\<`, ""), "<script") && !strings.HasPrefix(line, ">") {
				rt.Fatalf("a tag stands free: %q", line)
			}
		}
		inertPage(rt, asHTML(t, b, Options{}))
	})
}

func headingOf(line string) bool {
	for _, ours := range []string{"## 1 · Person", "## 2 · Model", "## 3 · Tool"} {
		if line == ours {
			return true
		}
	}
	return false
}

// inertPage holds a page to its promises: one script, whose hash its policy
// names; nothing that loads from elsewhere, runs on an event or follows a
// javascript link.
func inertPage(t interface{ Fatalf(string, ...any) }, page []byte) {
	sum := sha256.Sum256([]byte(pageJS))
	if !bytes.Contains(page, []byte("sha256-"+base64.StdEncoding.EncodeToString(sum[:]))) {
		t.Fatalf("the policy does not name the script")
	}
	scripts := 0
	tokens := html.NewTokenizer(bytes.NewReader(page))
	for tokens.Next() != html.ErrorToken {
		tag := tokens.Token()
		if tag.Type != html.StartTagToken && tag.Type != html.SelfClosingTagToken {
			continue
		}
		if tag.Data == "script" {
			scripts++
		}
		for _, a := range tag.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on"):
				t.Fatalf("<%s %s=%q>", tag.Data, a.Key, a.Val)
			case a.Key == "src" && !strings.HasPrefix(a.Val, "data:image/"):
				t.Fatalf("<%s> loads %q", tag.Data, a.Val)
			case a.Key == "href" && tag.Data == "link" && !strings.HasPrefix(a.Val, "data:"):
				t.Fatalf("<link> loads %q", a.Val)
			case a.Key == "href" && strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "javascript:"):
				t.Fatalf("<%s> links to %q", tag.Data, a.Val)
			}
		}
		switch tag.Data {
		case "iframe", "object", "embed", "base", "form":
			t.Fatalf("<%s> is in the page", tag.Data)
		}
	}
	if scripts != 1 {
		t.Fatalf("%d scripts", scripts)
	}
}

// TestAnExportReadsTheStoreAndNotTheView: what a compaction hides from the
// model stands in every export.
func TestAnExportReadsTheStoreAndNotTheView(t *testing.T) {
	plain, compacted := build(t, "same"), build(t, "same")
	for _, b := range []*builder{plain, compacted} {
		b.add(message.Prompt("the question"))
		b.add(answer(call("c", "bash", `{"command":"ls"}`)), result("c", "the files"))
	}
	compacted.append(compacted.tip(), history.Entry{Compaction: &history.Compaction{Treatments: []history.Treatment{
		{From: history.Handle{Depth: 1}, To: history.Handle{Depth: 3}, As: history.AsSummary, Text: "nothing much"},
	}, Reason: history.Reason{Trigger: history.ByCommand}}})
	before, after := asMarkdown(t, plain, Options{}), asMarkdown(t, compacted, Options{})
	entries := func(md string) string {
		_, rest, _ := strings.Cut(md, "## 1 · ")
		rest, _, _ = strings.Cut(rest, "## 4 · ")
		return strings.TrimSpace(rest)
	}
	if entries(before) != entries(after) || !strings.Contains(after, "the files") || !strings.Contains(after, "nothing much") {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

func TestAPathHasOneBranchAndTheTreeHasAll(t *testing.T) {
	path, all := asMarkdown(t, shop(t), Options{}), asMarkdown(t, shop(t), Options{All: true})
	for _, elsewhere := range []string{"Half up.", "wrote 3 lines"} {
		if strings.Contains(path, elsewhere) || !strings.Contains(all, elsewhere) {
			t.Errorf("%q: in the path %v, in the tree %v", elsewhere, strings.Contains(path, elsewhere), strings.Contains(all, elsewhere))
		}
	}
}

func TestATipChoosesThePath(t *testing.T) {
	b := shop(t)
	asked := b.tip()
	early := history.ID{}
	for e, err := range b.Path(t.Context(), history.PathQuery{Conversation: b.conversation, Tip: asked}) {
		b.must(err)
		if e.Depth == 3 {
			early = e.ID
		}
	}
	if md := asMarkdown(t, b, Options{Tip: early}); strings.Contains(md, "Commit it") || !strings.Contains(md, "total.go") {
		t.Errorf("path to entry 3:\n%s", md)
	}
}

func BenchmarkHTMLOf10000Entries(b *testing.B) {
	l := long(b, 10_000)
	for b.Loop() {
		b.ReportMetric(float64(len(asHTML(b, l, Options{All: true}))), "bytes")
	}
}
