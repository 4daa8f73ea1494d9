package snapshot

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// The corpus is text of the kinds that agents read and write, made of what the
// Go distribution and this package hold, and of manual pages where they are
// installed: the same text on every machine with the same Go.

var corpora sync.Map

// corpusKinds lists the kinds of text: code, data, changes, listings, and
// prose in languages of several scripts.
var corpusKinds = []string{"go", "json", "diff", "shell", "man", "tr", "it", "zh"}

// latinKinds are those kinds that every font draws, and mixedKinds what an
// agent sees: mostly those, and one part in 29 Chinese.
var (
	latinKinds = corpusKinds[:len(corpusKinds)-1]
	mixedKinds = append(slices.Repeat(latinKinds, 4), "zh")
)

// corpus returns text of a kind, at least n characters long.
func corpus(kind string, n int) string {
	make, _ := corpora.LoadOrStore(kind, sync.OnceValue(func() string { return makeCorpus(kind) }))
	text := make.(func() string)()
	return strings.Repeat(text, n/len([]rune(text))+1)
}

func makeCorpus(kind string) string {
	switch kind {
	case "go":
		return goFiles("src/net/http/*.go", "src/go/types/*.go")
	case "json":
		return jsonFiles()
	case "diff":
		return changes(goFiles("src/encoding/json/*.go", "src/go/parser/*.go"))
	case "shell":
		return listing()
	case "man":
		if text := manual("man1"); text != "" {
			return text
		}
		return goFiles("src/*/doc.go", "src/*/*/doc.go")
	}
	// Prose repeats itself where there are no manual pages in a language.
	text, err := os.ReadFile(filepath.Join("testdata/text", kind+".txt"))
	if err != nil {
		panic(err)
	}
	if kind == "zh" {
		return string(text) + manual("zh_CN/man1")
	}
	return string(text) + manual(kind+"/man1")
}

func goFiles(patterns ...string) string {
	var b strings.Builder
	for _, p := range patterns {
		names, _ := filepath.Glob(filepath.Join(runtime.GOROOT(), p))
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err == nil && b.Len() < 2_000_000 {
				b.Write(data)
			}
		}
	}
	return b.String()
}

func jsonFiles() string {
	dir := filepath.Join(runtime.GOROOT(), "src/encoding/json/internal/jsontest/testdata")
	var b strings.Builder
	for _, name := range []string{"golang_source", "citm_catalog", "synthea_fhir"} {
		data, err := os.ReadFile(filepath.Join(dir, name+".json.zst"))
		if err != nil {
			continue
		}
		z, err := zstd.NewReader(bytes.NewReader(data))
		if err != nil {
			panic(err)
		}
		text, err := io.ReadAll(io.LimitReader(z, 200_000))
		if err != nil {
			panic(err)
		}
		b.Write(text)
		z.Close()
	}
	return b.String() + goFiles("src/crypto/hpke/testdata/*.json")
}

// changes makes a unified diff out of code, with two lines changed in twelve.
func changes(code string) string {
	var b strings.Builder
	lines := strings.Split(code, "\n")
	for at := 0; at+12 < len(lines); at += 17 {
		fmt.Fprintf(&b, "@@ -%d,12 +%d,12 @@ func step\n", at+1, at+4)
		for i, line := range lines[at : at+12] {
			if i != 4 && i != 5 {
				fmt.Fprintf(&b, " %s\n", line)
				continue
			}
			changed := strings.NewReplacer("err", "failure", "if ", "if !", "i", "index").Replace(line)
			fmt.Fprintf(&b, "-%s\n+%s\n", line, changed)
		}
	}
	return b.String()
}

// listing makes the output of ls -l and sha256sum over the Go sources.
func listing() string {
	var b strings.Builder
	names, _ := filepath.Glob(filepath.Join(runtime.GOROOT(), "src/*/*.go"))
	for i, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		name = strings.TrimPrefix(name, runtime.GOROOT())
		fmt.Fprintf(&b, "-rw-r--r-- 1 root root %8d Nov 30 21:%02d /usr/local/go%s\n", len(data), i%60, name)
		if i%3 == 0 {
			sum := sha256.Sum256(data)
			fmt.Fprintf(&b, "%s  /usr/local/go%s\n", hex.EncodeToString(sum[:]), name)
		}
	}
	return b.String()
}

// manual returns the text of manual pages under /usr/share/man, without their
// requests; "" where none are installed.
func manual(dir string) string {
	names, _ := filepath.Glob(filepath.Join("/usr/share/man", dir, "*.gz"))
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		if b.Len() > 300_000 {
			break
		}
		file, err := os.Open(name)
		if err != nil {
			continue
		}
		if z, err := gzip.NewReader(file); err == nil {
			text, _ := io.ReadAll(z)
			for line := range strings.Lines(string(text)) {
				if !strings.HasPrefix(line, ".") && !strings.HasPrefix(line, "'") {
					b.WriteString(strings.NewReplacer(`\fB`, "", `\fI`, "", `\fR`, "", `\fP`, "", `\-`, "-", `\&`, "").Replace(line))
				}
			}
		}
		file.Close()
	}
	return b.String()
}

// transcript returns n characters of all kinds, in tool results of 5,000
// characters, each kind for a while: an agent that reads for some time and
// then does something else. The segments are the calls and their results.
func transcript(n int, kinds ...string) []Segment {
	var src []Segment
	each := n / len(kinds)
	handle := 1
	taken := map[string]int{}
	for _, kind := range kinds {
		from := taken[kind]
		taken[kind] += each
		text := []rune(corpus(kind, from+each))[from:][:each]
		for chunk := range slices.Chunk(text, 5000) {
			head := fmt.Sprintf("¶call %d read %s\n", handle, kind)
			body := string(chunk[:max(0, len(chunk)-len([]rune(head))-1)]) + "\n"
			src = append(src, Segment{Handle: fmt.Sprint(handle), Text: head}, Segment{Handle: fmt.Sprintf("%d.1", handle), Text: body, Grey: true})
			handle++
		}
	}
	return src
}

func joined(src []Segment) string {
	var b strings.Builder
	for _, s := range src {
		b.WriteString(s.Text)
	}
	return b.String()
}
