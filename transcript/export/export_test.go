package export

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

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

func TestBranchesOfBranchesAndOtherRootsAreAllThere(t *testing.T) {
	b := build(t, "many")
	root := b.add(message.Prompt("root"))
	b.add(message.Prompt("on"))
	left := b.append(root, history.Entry{Message: ptr(message.Prompt("left"))}, history.Entry{Message: ptr(message.Prompt("left on"))})
	b.append(left, history.Entry{Message: ptr(message.Prompt("leftmost"))})
	b.append(left, history.Entry{Message: ptr(message.Prompt("left again"))})
	b.append(history.ID{}, history.Entry{Message: ptr(message.Prompt("other root"))})
	nodes, err := history.Collect(b.Nodes(t.Context(), b.conversation))
	b.must(err)
	md, page := asMarkdown(t, b, Options{All: true}), string(asHTML(t, b, Options{All: true}))
	for _, n := range nodes {
		if strings.Count(md, "\n> "+n.Preview+"\n") != 1 {
			t.Errorf("%q stands %d times in\n%s", n.Preview, strings.Count(md, "\n> "+n.Preview+"\n"), md)
		}
		if strings.Count(page, `<article id="`+n.ID.String()+`"`) != 1 || !strings.Contains(page, `<a href="#`+n.ID.String()+`"`) {
			t.Errorf("%q is not once in the page, and once in its tree", n.Preview)
		}
	}
	if strings.Count(md, "\n# Branch ") != 3 || !strings.Contains(page, `data-from="`+left.String()+`"`) {
		t.Errorf("branches:\n%s", md)
	}
}

func TestEveryResultHasTheNameOfItsTool(t *testing.T) {
	b := build(t, "parallel")
	b.add(message.Prompt("go"))
	b.add(answer(call("1", "first", `{}`), call("2", "second", `{}`)), result("1", "one"), result("2", "two"))
	md := asMarkdown(t, b, Options{})
	for _, want := range []string{"Result 3.1: first, 3 B", "Result 4.1: second, 3 B"} {
		if !strings.Contains(md, want) {
			t.Errorf("%q is missing in\n%s", want, md)
		}
	}
}

func TestEmptyAndUnknownConversations(t *testing.T) {
	b := build(t, "")
	if md := asMarkdown(t, b, Options{All: true}); !strings.Contains(md, "an empty conversation") {
		t.Errorf("got %s", md)
	}
	inertPage(t, asHTML(t, b, Options{}))
	for what, err := range map[string]error{
		"conversation": Markdown(t.Context(), b.Store, history.NewID(), io.Discard, Options{}),
		"entry":        HTML(t.Context(), b.Store, b.conversation, io.Discard, Options{Tip: history.NewID()}),
	} {
		if !errors.Is(err, history.ErrNotFound) || !strings.Contains(err.Error(), what) {
			t.Errorf("unknown %s: error %v", what, err)
		}
	}
}

// holey is a store that has lost an entry of each path and all blobs.
type holey struct{ history.Store }

func (h holey) Path(ctx context.Context, q history.PathQuery) iter.Seq2[history.Entry, error] {
	return func(yield func(history.Entry, error) bool) {
		for e, err := range h.Store.Path(ctx, q) {
			if e.Depth == 2 {
				e, err = history.Entry{}, &history.DamagedError{Conversation: q.Conversation, Entry: e.ID, Err: errors.New("checksum mismatch")}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func (h holey) Blob(context.Context, message.Hash) (message.Blob, error) {
	return message.Blob{}, history.ErrNotFound
}

func TestADamagedStoreIsExportedAsFarAsItCanBeRead(t *testing.T) {
	b := shop(t)
	for name, write := range map[string]func(context.Context, history.Store, history.ID, io.Writer, Options) error{"Markdown": Markdown, "HTML": HTML} {
		var out strings.Builder
		err := write(t.Context(), holey{b.Store}, b.conversation, &out, Options{})
		var incomplete *IncompleteError
		if !errors.As(err, &incomplete) || incomplete.Count != 2 {
			t.Errorf("%s: error %v", name, err)
		}
		for _, want := range []string{"checksum mismatch", "Thanks. Commit it."} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: %q is missing", name, want)
			}
		}
	}
}

func BenchmarkHTMLOf10000Entries(b *testing.B) {
	l := long(b, 10_000)
	for b.Loop() {
		b.ReportMetric(float64(len(asHTML(b, l, Options{All: true}))), "bytes")
	}
}
