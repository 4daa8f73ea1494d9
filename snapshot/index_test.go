package snapshot

import (
	"context"
	"fmt"
	"hash/crc32"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/message"
)

// cutEvery makes pages of n bytes of text, as Cut would of so many cells.
func cutEvery(src []Segment, n int) []Page {
	text := join(src)
	var pages []Page
	for start := 0; start < len(text); {
		end := min(start+n, len(text))
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		p := Page{Number: len(pages) + 1, Start: start, End: end, Full: end < len(text), First: -1, CRC: crc32.ChecksumIEEE([]byte(text[start:end]))}
		offset := 0
		for i, s := range src {
			if offset < end && start < offset+len(s.Text) {
				if p.First < 0 {
					p.First, p.From = i, s.Handle
				}
				p.Last, p.To = i, s.Handle
			}
			offset += len(s.Text)
		}
		pages = append(pages, p)
		start = end
	}
	return pages
}

func TestIndexSaysWhatIsOnAPage(t *testing.T) {
	src := Serialise(pathOf(
		message.Prompt("Fix the \"parser\",\nplease: it fails since 9f3a21cc"),
		message.Message{Role: message.Assistant, Author: message.ByModel, Parts: []message.Part{
			message.ToolCall{ID: "a", Name: "read", Arguments: []byte(`{"path":"src/parse.go"}`)},
			message.ToolCall{ID: "b", Name: "bash", Arguments: []byte(`{"command":"go test ./...\ngit show aB3dE9xYz012"}`)},
		}},
		message.Results(
			message.ToolResult{CallID: "a", Content: []message.Content{message.Text{Text: "package parse\n" + strings.Repeat("// words of no interest\n", 40)}}},
			message.ToolResult{CallID: "b", Outcome: message.Failed, Content: []message.Content{message.Text{Text: "FAIL: lib/x.go:12: got 48213 of 1204, want 9f3a21cc"}}},
		),
		message.Message{Role: message.Assistant, Author: message.ByModel, Parts: []message.Part{
			message.ToolCall{ID: "a", Name: "read", Arguments: []byte(`{"path":"src/parse.go"}`)},
		}},
	), SerialiseOptions{})
	pages := cutEvery(src, Size(src))
	got := Index(src, pages, IndexOptions{Share: 0.5})
	want := fmt.Sprintf(`Page 1: entries 1–4, CRC %08x
Prompts: 1 "Fix the 'parser', please: it fails since 9f3a21cc"
Calls: read 2, bash 1
Errors: 3.2 bash "FAIL: lib/x.go:12: got 48213 of 1204,…"
Files: src/parse.go
Exact: 9f3a21cc aB3dE9xYz012 lib/x.go 48213 1204`, pages[0].CRC)
	if got[0] != want {
		t.Errorf("got\n%s\nwant\n%s", got[0], want)
	}
	if small := Index(src, pages, IndexOptions{Share: 0.001}); small[0] != strings.SplitN(want, "\n", 2)[0] {
		t.Errorf("without room: %s", small[0])
	}
}

func TestIndexListsWhatIsHardestToRead(t *testing.T) {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "%040x %d /var/lib/data/%c/file.txt\n", i*0xabcdef1234567, 100000+i, 'a'+i%26)
	}
	src := []Segment{{Text: b.String()}}
	pages := cutEvery(src, b.Len())
	index := Index(src, pages, IndexOptions{})[0]
	counts := map[string]int{}
	for s := range exactOf(index) {
		switch {
		case len(s) == 40:
			counts["hash"]++
		case strings.HasPrefix(s, "/"):
			counts["path"]++
		default:
			counts["number"]++
		}
	}
	if counts["hash"] == 0 || counts["path"] == 0 || counts["number"] == 0 {
		t.Errorf("a class has no place: %v in\n%s", counts, index)
	}
}

func TestAStringThatAPageCutsIsListedWhereItEnds(t *testing.T) {
	src := []Segment{{Text: "see 9f3a21cc41d2 now"}, {Text: "018f3c2e7b1a"}}
	for n := 1; n < 20; n++ {
		pages := cutEvery(src, n)
		for i, index := range Index(src, pages, IndexOptions{Share: 100}) {
			want := map[bool]string{true: "9f3a21cc41d2", false: ""}[pages[i].Start < 17 && pages[i].End > 16]
			if pages[i].End == Size(src) {
				want = strings.TrimSpace(want + " 018f3c2e7b1a")
			}
			_, got, _ := strings.Cut(index, "Exact: ")
			if n >= 13 && got != want || strings.Contains(strings.ReplaceAll(strings.ReplaceAll(got, "9f3a21cc41d2", ""), "018f3c2e7b1a", ""), "1") {
				t.Errorf("pages of %d bytes: page %d lists %q, want %q", n, i+1, got, want)
			}
		}
	}
}

// drawSource draws a source with many exact strings, some again and again.
func drawSource(t *rapid.T) []Segment {
	word := rapid.OneOf(
		rapid.SampledFrom([]string{"the", "error", "9f3a21cc", "src/a/b.go", "MAX_TOKENS", "v1.2.3", "123456", "▶user 3\n", "▶call 4.1 bash\n", "▶out 5 x error\n", "\"quoted\"", "İşte"}),
		rapid.StringMatching(`[0-9a-f]{7,12}`), rapid.StringMatching(`[a-zA-Z0-9]{8,12}`), rapid.StringMatching(`/[a-z]{1,5}/[a-z0-9./]{1,9}`),
		rapid.Map(rapid.String(), func(s string) string { return strings.ReplaceAll(s, "\x1b", "") }), // cutEvery would cut a control sequence
	)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Segment {
		return Segment{
			Handle: rapid.SampledFrom([]string{"", "4", "4.2"}).Draw(t, "handle"),
			Text:   strings.Join(rapid.SliceOfN(word, 1, 60).Draw(t, "words"), rapid.SampledFrom([]string{" ", "\n", ""}).Draw(t, "between")),
		}
	}), 1, 6).Draw(t, "source")
}

// P10: the index of a full page is a matter of the text up to its end.
func TestP10IndexOfAFullPageDoesNotChangeWhenTextIsAdded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := drawSource(t)
		size := rapid.IntRange(20, 400).Draw(t, "page size")
		o := IndexOptions{Share: rapid.SampledFrom([]float64{0, 0.2, 1, 10}).Draw(t, "share")}
		short := slices.Clone(src[:rapid.IntRange(1, len(src)).Draw(t, "segments")])
		last := &short[len(short)-1] // it may still grow
		last.Text = last.Text[:rapid.IntRange(0, len(last.Text)).Draw(t, "bytes")]
		after, before := cutEvery(src, size), cutEvery(short, size)
		for len(before) > 0 && !reflect.DeepEqual(before[len(before)-1], after[len(before)-1]) {
			before = before[:len(before)-1]
		}
		got, want := Index(src, after, o)[:len(before)], Index(short, before, o)
		if !slices.Equal(got, want) {
			t.Fatalf("got\n%q\nwant\n%q", got, want)
		}
	})
}

// P10: what was written of the pages in front is all that the rest needs of them.
func TestAnIndexGoesOnBehindOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := drawSource(t)
		pages := cutEvery(src, rapid.IntRange(20, 400).Draw(t, "page size"))
		o := IndexOptions{Share: rapid.SampledFrom([]float64{0, 0.2, 1, 10}).Draw(t, "share")}
		want := Index(src, pages, o)
		n := rapid.IntRange(0, len(pages)).Draw(t, "pages")
		o.Before = want[:n]
		if got := Index(src, pages[n:], o); !slices.Equal(got, want[n:]) {
			t.Fatalf("behind %d pages got\n%q\nwant\n%q", n, got, want[n:])
		}
	})
}

// canonicalUpTo returns the canonical text of the first bytes of a source.
func canonicalUpTo(src []Segment, end int) string {
	var b strings.Builder
	for _, s := range Slice(src, 0, end) {
		b.WriteString(Canonical(s.Text))
	}
	return b.String()
}

func TestIndexKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := drawSource(t)
		pages := cutEvery(src, rapid.IntRange(20, 2000).Draw(t, "page size"))
		o := IndexOptions{Share: rapid.Float64Range(0.01, 2).Draw(t, "share")}
		indexes := Index(src, pages, o)
		text := join(src)
		listed := map[string]bool{}
		for i, index := range indexes {
			p := &pages[i]
			budget := int(o.Share * float64(utf8.RuneCountInString(text[p.Start:p.End])+p.Last-p.First+1))
			first, _, _ := strings.Cut(index, "\n")
			if n := utf8.RuneCountInString(index); n > max(budget, utf8.RuneCountInString(first)) {
				t.Fatalf("%d characters, budget %d:\n%s", n, budget, index)
			}
			for line := range strings.SplitSeq(index, "\n") {
				if !slices.ContainsFunc([]string{"\nPage ", linePrompts, lineCalls, lineFailures, lineFiles, lineExact}, func(label string) bool { return strings.HasPrefix("\n"+line, label) }) {
					t.Fatalf("a text began a line of its own in\n%s", index)
				}
			}
			_, exactLine, _ := strings.Cut(index, lineExact)
			for s := range strings.FieldsSeq(exactLine) {
				if listed[s] {
					t.Fatalf("%q is listed twice, again in\n%s", s, index)
				}
				if !strings.Contains(canonicalUpTo(src, p.End), s) {
					t.Fatalf("%q is not in the text", s)
				}
			}
			for s := range exactOf(index) {
				listed[s] = true
			}
		}
	})
}

// P10, on pages as they are drawn: a conversation of which more and more goes
// onto pages.
func TestP10IndexesStayWhenPagesAreAdded(t *testing.T) {
	src := transcript(120_000, "go", "shell", "zh")
	shape := Shapes()[0]
	var before []string
	for n := 1; n <= len(src); n += 3 {
		pages := collect(t, src[:n], shape)
		indexes := Index(src[:n], pages, IndexOptions{})
		full := len(pages) - 1
		if len(before) > len(pages) || !slices.Equal(indexes[:len(before)], before) {
			t.Fatalf("with %d segments an index of the %d pages that were full is another", n, len(before))
		}
		before = indexes[:full]
	}
	if len(before) < 5 || exactShare(before) < 0.3 {
		t.Errorf("%d full pages, exact strings are %.2f of their indexes", len(before), exactShare(before))
	}
}

func collect(t *testing.T, src []Segment, shape Shape) []Page {
	var pages []Page
	for p, err := range Cut(context.Background(), src, shape, Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, p)
	}
	return pages
}

// exactShare is how much of the text of indexes is exact strings.
func exactShare(indexes []string) float64 {
	all, quoted := 0, 0
	for _, index := range indexes {
		all += len(index)
		for s := range exactOf(index) {
			quoted += len(s)
		}
	}
	return float64(quoted) / float64(all)
}

func BenchmarkIndex(b *testing.B) {
	src := make([]Segment, 100)
	for i := range src {
		src[i] = Segment{Handle: fmt.Sprint(i), Text: fmt.Sprintf("▶call %d bash\ncommand: cat src/file%d.go\n", i, i) +
			strings.Repeat("func (s *Server) serve(ctx context.Context, handler http.Handler) error {\n", 100) + fmt.Sprintf("%x %d\n", 0xabcdef123+i, i*999983)}
	}
	pages := cutEvery(src, 8273)
	b.SetBytes(int64(Size(src)))
	b.ReportAllocs()
	for b.Loop() {
		Index(src, pages, IndexOptions{})
	}
}

// exactOf yields the strings that an index lists.
func exactOf(index string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.SplitSeq(index, "\n") {
			line = "\n" + line
			list, found := strings.CutPrefix(line, lineExact)
			if !found {
				list, found = strings.CutPrefix(line, lineFiles)
			}
			if !found {
				continue
			}
			for s := range strings.SplitSeq(list, " ") {
				if !yield(s) {
					return
				}
			}
		}
	}
}
