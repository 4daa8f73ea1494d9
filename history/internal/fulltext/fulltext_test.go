package fulltext

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/message"
)

func TestTextIsCutIntoFoldedWords(t *testing.T) {
	for text, want := range map[string]string{
		"Read_File(\"a.go\")":         "read file a go ",
		"Crème BRÛLÉE, naïve":         "creme brulee naive ",
		"会话history记录":                 "会 话 history 记 录 ",
		"がんばる":                        "が ん ば る ",
		"한글 문서":                       "한 글 문 서 ",
		"ＦＵＬＬ　１２":                     "full 12 ",
		"e\u0301te\u0301 \xff x":      "ete x ",
		strings.Repeat("a", 100):      strings.Repeat("a", 64) + " ",
		strings.Repeat("é", 100):      strings.Repeat("e", 64) + " ",
		strings.Repeat("я", 33):       strings.Repeat("я", 32) + " ",
		" \u0301 ":                    "",
		"İstanbul":                    "istanbul ",
		"no-such-file: don't, 3.14":   "no such file don t 3 14 ",
		"\U0001F600 emoji \U00020000": "emoji \U00020000 ",
	} {
		if got := string(AppendWords(nil, text)); got != want {
			t.Errorf("%q: words %q, want %q", text, got, want)
		}
	}
}

func TestWordsSayWhereTheyStand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		end := 0
		var joined []byte
		for _, w := range Words(text) {
			if w.Start < end || w.End <= w.Start || w.End > len(text) {
				t.Fatalf("%q: word %+v after %d", text, w, end)
			}
			end = w.End
			if alone := Words(text[w.Start:w.End]); len(alone) != 1 || alone[0].Text != w.Text {
				t.Fatalf("%q alone is %+v", text[w.Start:w.End], alone)
			}
			joined = append(append(joined, w.Text...), ' ')
		}
		if all := AppendWords(nil, text); string(all) != string(joined) {
			t.Fatalf("%q against %q", all, joined)
		}
		if again := AppendWords(nil, string(joined)); string(again) != string(joined) {
			t.Fatalf("folding %q again gives %q", joined, again)
		}
	})
}

func TestQueries(t *testing.T) {
	text := "The parser in read_file failed with 会话历史 at Zürich; then it panicked."
	for query, found := range map[string]bool{
		"parser":              true,
		"PARSER failed":       true,
		"parser missing":      false,
		"read_file":           true,
		"file_read":           false,
		`"failed with"`:       true,
		`"with failed"`:       false,
		"panic":               true, // the last word may be a beginning
		"panic then":          false,
		`"panic"`:             false,
		"历史":                  true,
		"史历":                  false,
		"zurich":              true,
		`" unbalanced`:        false,
		`parser "read file"`:  true,
		`AND OR NOT NEAR( -*`: false,
		`pars" `:              false,
	} {
		q, err := Parse(query)
		if err != nil {
			t.Errorf("%q: %v", query, err)
			continue
		}
		if got := q.Count(Words(text)) > 0; got != found {
			t.Errorf("%q: found %v, want %v (%+v)", query, got, found, q)
		}
	}
	for _, query := range []string{"", "  ", `""`, "-*()", "😀"} {
		if _, err := Parse(query); err == nil {
			t.Errorf("%q was taken for a query", query)
		}
	}
}

func TestWhatIsSearched(t *testing.T) {
	m := message.Message{Role: message.Assistant, Parts: []message.Part{
		message.Text{Text: "said"},
		message.Thinking{Text: "thought"},
		message.ToolCall{Name: "bash", Arguments: []byte(`{"command":"one\ntwo \u4f1a \ud83d\ude00\u0021three\\four \u12"}`)},
		message.ToolResult{Content: []message.Content{
			message.Text{Text: "result"}, message.Image{Media: message.Media{Name: "shot.png"}},
			message.Text{Text: strings.Repeat("x ", maxTool) + "beyond"},
		}},
		message.Document{Media: message.Media{Name: "plan.pdf"}},
		message.Opaque{Raw: []byte(`"opaque"`)},
	}}
	got := strings.ReplaceAll(string(AppendMessage(nil, &m)), "x ", "")
	if want := "said bash command one two 会 three four 12 result shot png plan pdf "; got != want {
		t.Errorf("words %q, want %q", got, want)
	}
}

func TestExcerptIsOneLineAroundTheMatch(t *testing.T) {
	text := strings.Repeat("früher ", 30) + "the\n\n\tCrème \x1b[31m  brûlée " + strings.Repeat("später ", 40)
	m := message.Prompt(text)
	q, err := Parse("creme brulee")
	if err != nil {
		t.Fatal(err)
	}
	line, match := Excerpt(&m, q)
	if line[match[0]:match[1]] != "Crème" || !strings.HasPrefix(line, "…") || !strings.HasSuffix(line, "…") ||
		strings.ContainsAny(line, "\n\t\x1b") || len(line) > 220 {
		t.Errorf("line %q, match %q", line, line[match[0]:match[1]])
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add("some text \xff with words", `wor "me te"`)
	f.Fuzz(func(t *testing.T, text, query string) {
		q, err := Parse(query)
		if err != nil {
			return
		}
		m := message.Prompt(text)
		line, match := Excerpt(&m, q)
		if match[0] < 0 || match[1] < match[0] || match[1] > len(line) || strings.ContainsAny(line, "\n\r\x1b") {
			t.Fatalf("line %q, match %v", line, match)
		}
	})
}

func BenchmarkAppendWords(b *testing.B) {
	text := strings.Repeat("func (s *Store) Append(ctx context.Context) error { return nil } // Füße\n", 100)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	var buf []byte
	for b.Loop() {
		buf = AppendWords(buf[:0], text)
	}
}
