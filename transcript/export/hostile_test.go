package export

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// hostile draws words that try to be something else than words.
func hostile(t *rapid.T, label string) string {
	line := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"# heading", "## 3 · Person", "> quoted", "```", "````text", "    code", "---", "===", "- item", "", "1. one",
		"</details>", "<details><summary>x", "</blockquote></article></main>", "<script>alert(1)</script>", "</script>", "</style>",
		"<!--", "-->", "<?php", "<![CDATA[", `<img src=x onerror=alert(1)>`, `" onmouseover="alert(1)`, "' autofocus onfocus='x",
		"![x](https://evil.example/a.png)", "[x](javascript:alert(1))", "[x]: https://evil.example/ 'y'", "<https://a.example>",
		"<iframe srcdoc='<script>1</script>'>", "<base href=//evil>", "<meta http-equiv=refresh content=0>", "<a href=\"data:text/html,x\">",
		"\u202e reversed", "\x1b[2Jcleared", "a\rb", "a\r\n# b", "\\", "`", "|a|b|", "&lt;script&gt;", "{{.Title}}", "\xff", "\x00",
	}))
	return strings.Join(rapid.SliceOfN(line, 1, 5).Draw(t, label), "\n")
}

// attack is a conversation whose every word is hostile, as a path of five
// entries and a branch of one.
func attack(rt *rapid.T, t *testing.T) *builder {
	b := build(t, hostile(rt, "title"))
	prompt := message.Prompt(hostile(rt, "prompt"))
	prompt.Parts = append(prompt.Parts,
		message.Image{Media: message.Media{Type: "image/svg+xml", Data: []byte("<svg onload=alert(1)>"), Name: hostile(rt, "name")}},
		message.Image{Media: message.Media{Type: hostile(rt, "type"), URL: hostile(rt, "url")}},
		message.Document{Media: message.Media{Type: "text/html", Data: []byte("x"), Name: hostile(rt, "file")}},
	)
	asked := b.add(prompt)
	said := answer(
		message.Thinking{Text: hostile(rt, "thinking")},
		message.Text{Text: hostile(rt, "answer")},
		call("c", hostile(rt, "tool"), hostile(rt, "arguments")),
		call("d", "bash", `{"</script>":"<b>","x":["</pre>"]}`),
		message.Opaque{Format: hostile(rt, "format"), Raw: []byte(hostile(rt, "raw"))},
	)
	said.Model, said.Stop = hostile(rt, "model"), message.Stop(hostile(rt, "stop"))
	results := message.Results(
		message.ToolResult{CallID: "c", Content: []message.Content{message.Text{Text: hostile(rt, "result")}}},
		message.ToolResult{CallID: "d", Outcome: message.Outcome(hostile(rt, "outcome"))},
	)
	end := b.add(said, results)
	b.mark(end, "m"+hostile(rt, "mark"), message.ByPerson)
	b.append(end, history.Entry{Compaction: &history.Compaction{
		Treatments: []history.Treatment{
			{From: history.Handle{Depth: 1}, To: history.Handle{Depth: 2}, As: history.AsSummary, Text: "s" + hostile(rt, "summary")},
			{From: history.Handle{Depth: 3}, To: history.Handle{Depth: 3}, As: history.AsStub, Text: "s" + hostile(rt, "stub")},
		},
		Reason: history.Reason{Trigger: history.Trigger(hostile(rt, "trigger")), Note: hostile(rt, "note")},
	}})
	b.add(message.Message{Role: message.User, Author: message.ByDigest, Parts: []message.Part{message.Text{Text: hostile(rt, "digest")}}})
	b.append(asked, history.Entry{Message: ptr(message.Prompt(hostile(rt, "branch")))})
	return b
}

// own matches what the export itself writes at the margin.
var own = regexp.MustCompile(`^(|# .*|- .*|## \d+ · \w+|\d{4}-\d\d-\d\d .*|<details><summary>[^<]*</summary>|</details>|\*(Branch|document|image|Thinking).*|!\[.*\]\[sha256-\w+\]|\[sha256-\w+\]: data:image/png;base64,.*|Result .*|Made because .*|It continues .*|Lines that begin .*)$`)

func TestInMarkdownNoWordPassesForTheExportsOwn(t *testing.T) {
	headings := []string{"1 · Person", "2 · Model", "3 · Tool", "4 · Compaction", "5 · Digest", "Branch 2", "2 · Person"}
	dialect := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
	rapid.Check(t, func(rt *rapid.T) {
		b := attack(rt, t)
		md := asMarkdown(t, b, Options{All: true})
		for _, line := range strings.Split(md, "\n") {
			if !strings.HasPrefix(line, ">") && !own.MatchString(line) {
				rt.Fatalf("a line that is not the export's stands at the margin: %q", line)
			}
		}
		var found []string
		_ = ast.Walk(dialect.Parse(text.NewReader([]byte(md))), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			switch n := n.(type) {
			case *ast.Heading:
				if n.Parent().Kind() == ast.KindDocument {
					found = append(found, string(n.Lines().Value([]byte(md))))
				}
			case *ast.RawHTML:
				rt.Fatalf("HTML within a line: %q", n.Segments.Value([]byte(md)))
			case *ast.HTMLBlock:
				if block := string(n.Lines().Value([]byte(md))); n.Parent().Kind() != ast.KindDocument || !own.MatchString(strings.TrimSuffix(block, "\n")) {
					rt.Fatalf("HTML: %q", block)
				}
			}
			return ast.WalkContinue, nil
		})
		if !slices.Equal(found[1:], headings) {
			rt.Fatalf("headings %q, want a title and %q in\n%s", found, headings, md)
		}
	})
}

func TestInHTMLNoWordIsObeyed(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := attack(rt, t)
		page := asHTML(t, b, Options{All: true})
		inertPage(rt, page)
		articles := 0
		doc, err := html.Parse(bytes.NewReader(page))
		if err != nil {
			rt.Fatal(err)
		}
		var words strings.Builder
		for n := range doc.Descendants() {
			if n.Type == html.ElementNode && n.Data == "article" {
				articles++
			}
			if n.Type == html.TextNode {
				words.WriteString(n.Data)
			}
		}
		if articles != 6 {
			rt.Fatalf("%d articles, 6 were written", articles)
		}
		e, err := b.Entry(t.Context(), b.conversation, b.tip())
		b.must(err)
		first, err := history.EntryAt(t.Context(), b, b.conversation, e.ID, history.Handle{Depth: 1})
		b.must(err)
		if prompt := visible(first.Message.PlainText()); !strings.Contains(words.String(), prompt) {
			rt.Fatalf("the prompt %q is not in the page letter for letter", prompt)
		}
	})
}

// elements are all that a page may consist of.
var elements = strings.Fields(`html head meta link title style body nav div input label ol ul li a i span details summary small p kbd
	main header button h1 h2 h3 h4 h5 h6 dl dt dd section article time pre code strong em del b blockquote br hr table thead tbody tr th td
	figure img figcaption script`)

// inertPage holds a page to its promises: one style and one script, whose
// hashes its policy names; nothing that loads from elsewhere, runs on an event
// or leads to a script.
func inertPage(t interface{ Fatalf(string, ...any) }, page []byte) {
	policy, contents := "", map[string][]string{}
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatalf("%v", err)
	}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if !slices.Contains(elements, n.Data) {
			t.Fatalf("<%s> is in the page", n.Data)
		}
		if n.Data == "script" || n.Data == "style" {
			contents[n.Data] = append(contents[n.Data], n.FirstChild.Data)
		}
		for _, a := range n.Attr {
			where := fmt.Sprintf("<%s %s=%q>", n.Data, a.Key, a.Val)
			switch a.Key {
			case "src":
				if n.Data != "img" || !strings.HasPrefix(a.Val, "data:image/png;base64,") {
					t.Fatalf("loads: %s", where)
				}
			case "href":
				ok := n.Data == "link" && a.Val == "data:,"
				for _, scheme := range []string{"#", "http://", "https://", "mailto:"} {
					ok = ok || n.Data == "a" && strings.HasPrefix(a.Val, scheme)
				}
				if !ok {
					t.Fatalf("leads elsewhere: %s", where)
				}
			case "http-equiv":
				if a.Val != "Content-Security-Policy" {
					t.Fatalf("%s", where)
				}
				policy = n.Attr[1].Val
			case "style", "srcset", "srcdoc", "action", "formaction", "background", "ping":
				t.Fatalf("%s", where)
			}
			if strings.HasPrefix(a.Key, "on") {
				t.Fatalf("%s", where)
			}
		}
	}
	for _, name := range []string{"script", "style"} {
		if len(contents[name]) != 1 {
			t.Fatalf("%d <%s>", len(contents[name]), name)
		}
		sum := sha256.Sum256([]byte(contents[name][0]))
		if want := name + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';"; !strings.Contains(policy, want) {
			t.Fatalf("the policy %q does not have %s", policy, want)
		}
	}
	for _, want := range []string{"default-src 'none';", "img-src data:;", "base-uri 'none';", "form-action 'none'"} {
		if !strings.Contains(policy, want) {
			t.Fatalf("the policy %q does not have %s", policy, want)
		}
	}
}

func TestImagesStandInThePage(t *testing.T) {
	page := string(asHTML(t, shop(t), Options{}))
	want := `<img src="data:image/png;base64,` + base64.StdEncoding.EncodeToString(picture(160, 60).Data)
	if !strings.Contains(strings.ReplaceAll(page, "&#43;", "+"), want) {
		t.Error("the image is not in the page")
	}
}
