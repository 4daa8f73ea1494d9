package exact

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func find(text string) string {
	var found []string
	for s := range Strings(text) {
		found = append(found, fmt.Sprintf("%s:%s", [...]string{"hex", "key", "number", "version", "path", "const", "url", "time"}[s.Class], s.Text))
	}
	return strings.Join(found, " ")
}

func TestStringsFindsWhatCannotBeGuessed(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"commit 9f3a21cc, see", "hex:9f3a21cc"},
		{"(9F3A21C)", "hex:9F3A21C"},
		{"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "hex:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"id=018f3c2e-7b1a-7c3d-9e4f-0123456789ab;", "hex:018f3c2e-7b1a-7c3d-9e4f-0123456789ab"},
		{"at 0x7ffeab12cd34", "hex:0x7ffeab12cd34"},
		{"worker-9f3a21cc.log", "hex:worker-9f3a21cc.log"},
		{"/objects/9f/3a21cc41d2 is missing.", "hex:/objects/9f/3a21cc41d2"},
		{`"toolu_01AbC9xYz7Q"`, "key:toolu_01AbC9xYz7Q"},
		{"aB3dE9xYz012", "key:aB3dE9xYz012"},
		{"xKqPzLmWbNvT", "key:xKqPzLmWbNvT"},
		{"req9x2kq7z", "key:req9x2kq7z"},
		{"word_Word12345.ab12", "number:word_Word12345.ab12"},
		{"sum 1234 and 88,", "number:1234"},
		{"port localhost:8080", "number:8080"},
		{"v1.26 1.26.8 10.0.0.1 1.5", "version:v1.26 version:1.26.8 version:10.0.0.1"},
		{"golang.org/x/image@v0.48.0", "version:v0.48.0"},
		{"open src/main.go:12:5: no", "path:src/main.go"},
		{"--file=/etc/hosts", "path:/etc/hosts"},
		{"./run ../up ~/notes .env", "path:./run path:../up path:~/notes"},
		{"README.md, go.mod", "path:README.md path:go.mod"},
		{`C:\Users\bob\notes.txt`, `path:C:\Users\bob\notes.txt`},
		{`one\nsrc/main.go\ttwo "a\"docs/x.md"`, "path:src/main.go path:docs/x.md"},
		{"请看/usr/bin/foo吧 /home/用户/文件.go", "path:/usr/bin/foo path:/home/用户/文件.go"},
		{"docs/türkçe/değişiklik.md", "path:docs/türkçe/değişiklik.md"},
		{"MAX_TOKENS and ERROR", "const:MAX_TOKENS"},
		{"<https://example.org/a?b=c&d=1#e>.", "url:https://example.org/a?b=c&d=1#e"},
		{"https://example.org/commit/9f3a21cc4", "hex:https://example.org/commit/9f3a21cc4"},
		{"2026-11-30T21:49:00Z 21:49:07", "time:2026-11-30T21:49:00Z time:21:49:07"},
		{"2026-11-30 1970/01/01", "time:2026-11-30 time:1970/01/01"},
		{"and/or text/plain 1/2 0..-2//1 1..51 fmt.Println parseHTTPHeader LiveView PaneViewLive Mix.env e.g. McDonalds deadbeef 123 utf8 int64 x86_64", ""},
		{"İstanbul'da görüşürüz, 你好世界。 Привет", ""},
		{strings.Repeat("a1B", 100), ""},
	} {
		if got := find(c.text); got != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestStringsAreSubstringsWithoutSpace(t *testing.T) {
	piece := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-fA-Z0-9/:._\\?=@-]{0,40}`))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(piece).Draw(t, "pieces"), rapid.SampledFrom([]string{" ", "", "\n", "\xff"}).Draw(t, "between"))
		end := 0
		for s := range Strings(text) {
			if s.Text == "" || len(s.Text) > MaxLen || strings.ContainsAny(s.Text, " \t\n\"'`<>") {
				t.Fatalf("string %q", s.Text)
			}
			if s.End < end || s.End > len(text) || !strings.Contains(text[:s.End], s.Text) {
				t.Fatalf("string %q does not stand before offset %d", s.Text, s.End)
			}
			end = s.End
		}
	})
}

func BenchmarkStrings(b *testing.B) {
	samples, err := filepath.Glob("../../../testdata/samples/*/*")
	if err != nil || len(samples) == 0 {
		b.Fatal("no samples", err)
	}
	var text []byte
	for _, name := range samples {
		if data, err := os.ReadFile(name); err == nil && len(data) < 1<<20 && filepath.Ext(name) != ".db" {
			text = append(text, data...)
		}
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n = 0
		for range Strings(string(text)) {
			n++
		}
	}
	b.ReportMetric(float64(len(text))/float64(n), "bytes/string")
}
