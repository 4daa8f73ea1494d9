package tokens

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"
	"pgregory.net/rapid"
)

// texts returns one text a class, none of them used for the fit except as
// noted in docs/decisions.
func texts(tb testing.TB) map[string]string {
	read := func(path string, limit int) string {
		data, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		return strings.ToValidUTF8(string(data[:min(len(data), limit)]), "")
	}
	samples := filepath.Join("..", "testdata", "samples")
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		tb.Fatal(err)
	}
	source := filepath.Join(strings.TrimSpace(string(goroot)), "src")
	var random strings.Builder
	sum := sha256.Sum256([]byte("tokens"))
	for range 200 {
		random.Write(sum[:])
		sum = sha256.Sum256(sum[:])
	}
	var listing strings.Builder
	entries, _ := os.ReadDir(filepath.Join(source, "net", "http"))
	for _, e := range entries {
		listing.WriteString("-rw-r--r-- 1 root root  20481 Nov 30 21:27 " + e.Name() + "\n")
	}
	return map[string]string{
		"go code":    read(filepath.Join(source, "net", "http", "server.go"), 100_000),
		"json":       read(filepath.Join(samples, "cline", "session.messages.json"), 70_000),
		"jsonl":      read(filepath.Join(samples, "claude-code", "spotter_ae4a77f8.jsonl"), 200_000),
		"markdown":   read(filepath.Join(samples, "aider", "chat-history_head60k.md"), 60_000),
		"listing":    listing.String(),
		"hex":        hex.EncodeToString([]byte(random.String())),
		"base64":     base64.StdEncoding.EncodeToString([]byte(random.String())),
		"prose":      strings.Repeat("A scribe who copies a text makes mistakes, and whoever copies the copy keeps them and adds his own. From shared mistakes the family tree of the manuscripts can be drawn. ", 5),
		"chinese":    strings.Repeat("校勘者把一部文本的各种抄本排成谱系，看哪一本出自哪一本。错误是线索：同样的错误往往来自同一个祖本。", 5),
		"japanese":   strings.Repeat("写本の系統を調べると、どの写本がどの写本から写されたかが分かる。同じ誤りは同じ親を持つ印である。", 5),
		"korean":     strings.Repeat("필사본의 계통을 조사하면 어느 책이 어느 책에서 나왔는지 알 수 있다. 같은 실수는 같은 조상을 뜻한다.", 5),
		"turkish":    strings.Repeat("Bir metnin el yazmaları arasındaki akrabalık, ortak yanlışlara bakılarak çizilir; kopyacı yanlışını çocuklarına bırakır. ", 5),
		"russian":    strings.Repeat("Родословное древо рукописей строят по общим ошибкам: переписчик передаёт свою ошибку всем, кто спишет с него. ", 5),
		"vietnamese": strings.Repeat("Cây phả hệ của các bản chép tay được dựng theo những lỗi chung: người chép truyền lỗi của mình cho bản sau. ", 5),
	}
}

// TestErrorByClassOfText holds the estimate to a real tokenizer. Bytes divided
// by four is off by 63 % on base64 and by 56 % on hexadecimal.
func TestErrorByClassOfText(t *testing.T) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range texts(t) {
		want, err := codec.Count(text)
		if err != nil {
			t.Fatal(err)
		}
		got := Text(text)
		off := 100 * (float64(got)/float64(want) - 1)
		t.Logf("%-10s %7d bytes %6d tokens, estimate %+5.1f %%, bytes/4 %+6.1f %%", name, len(text), want, off, 100*(float64(len(text))/4/float64(want)-1))
		limit := 12.0
		if len(text) < 2000 { // a few sentences on one subject: their words may be rarer than most
			limit = 30
		}
		if off < -limit || off > limit {
			t.Errorf("%s: estimated %d, it is %d", name, got, want)
		}
	}
}

// TestPiecesAddUp: a cut changes the price of one byte, that behind it.
func TestPiecesAddUp(t *testing.T) {
	dearest := int(slices.Max(cost[:]))/perToken + 3
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		whole, pieces := Text(a+b), Text(a)+Text(b)
		if whole > pieces+dearest || pieces > whole+dearest {
			t.Fatalf("%d as one, %d as two", whole, pieces)
		}
	})
}

func BenchmarkText(b *testing.B) {
	text := texts(b)["go code"]
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Text(text)
	}
}
