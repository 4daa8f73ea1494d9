package tool_test

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/message"
)

func TestReadShowsLinesWithTheirNumbers(t *testing.T) {
	b := newBench(t, map[string]string{"a.txt": "one\r\ntwo\nthree", "empty": "", "bin": "a\x00b", "latin": "caf\xe9\n"})
	for _, c := range []struct{ arguments, want string }{
		{`{"path":"a.txt"}`, "1\tone\n2\ttwo\n3\tthree\n"},
		{`{"path":"a.txt","offset":2,"limit":1}`, "2\ttwo\n(There is more: go on with offset 3.)\n"},
		{`{"path":"a.txt","offset":3}`, "3\tthree\n"},
		{`{"path":"empty"}`, "The file is empty."},
		{`{"path":"latin"}`, "1\tcaf\uFFFD\n"},
	} {
		if got := text(call(tool.Read(b.w), c.arguments)); got != c.want {
			t.Errorf("%s: %q, wanted %q", c.arguments, got, c.want)
		}
	}
	b.wants(call(tool.Read(b.w), `{"path":"a.txt","offset":9}`), message.Failed, "3 lines")
	b.wants(call(tool.Read(b.w), `{"path":"bin"}`), message.Failed, "no text")
	b.wants(call(tool.Read(b.w), `{"path":"none"}`), message.Failed, "none", "no such file")
	b.wants(call(tool.Read(b.w), `{"path":"."}`), message.OK, "a.txt\n", "bin\n")
}

func TestReadStopsBeforeAFileThatIsTooLong(t *testing.T) {
	b := newBench(t, map[string]string{"long": strings.Repeat(strings.Repeat("x", 1023)+"\n", 3000), "line": strings.Repeat("é", 2<<20)})
	got := text(call(tool.Read(b.w), `{"path":"long"}`))
	if len(got) > 1<<20+10_000 || !strings.Contains(got, "go on with offset 1022") {
		t.Errorf("%d bytes, ends with %q", len(got), got[len(got)-80:])
	}
	got = text(call(tool.Read(b.w), `{"path":"line"}`))
	if len(got) > 1<<20+100 || !strings.Contains(got, "bytes more)") {
		t.Errorf("%d bytes, ends with %q", len(got), got[len(got)-80:])
	}
}

func TestReadShowsImages(t *testing.T) {
	b := newBench(t, nil)
	f, err := os.Create(filepath.Join(b.dir, "dot.png"))
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(f, image.NewGray(image.Rect(0, 0, 7, 5))); err != nil {
		t.Fatal(err)
	}
	f.Close()
	r := call(tool.Read(b.w), `{"path":"dot.png"}`)
	if img, ok := r.Content[0].(message.Image); !ok || img.WidthPx != 7 || img.HeightPx != 5 {
		t.Errorf("%+v", r.Content)
	}
}

func TestWriteReplacesAFileInOneStep(t *testing.T) {
	b := newBench(t, map[string]string{"run.sh": "old"})
	if err := os.Chmod(filepath.Join(b.dir, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.wants(call(tool.Write(b.w), `{"path":"run.sh","content":"new\nlines"}`), message.OK, "run.sh", "2 lines")
	if got := b.read("run.sh"); got != "new\nlines" {
		t.Errorf("%q", got)
	}
	if info, _ := os.Stat(filepath.Join(b.dir, "run.sh")); info.Mode().Perm() != 0o755 {
		t.Errorf("mode %v", info.Mode())
	}
	b.wants(call(tool.Write(b.w), `{"path":"x/y/z.txt","content":""}`), message.OK)
	b.wants(call(tool.Write(b.w), `{"path":"x","content":"a"}`), message.Failed, "no regular file")
	if entries, _ := os.ReadDir(b.dir); len(entries) != 2 {
		t.Errorf("something is left: %v", entries)
	}
}

func TestEdit(t *testing.T) {
	for _, c := range []struct{ name, before, arguments, after, says string }{
		{"once", "a\nb\nc\n", `{"path":"f","old":"b","new":"x"}`, "a\nx\nc\n", "at line 2"},
		{"to nothing", "a b", `{"path":"f","old":" b","new":""}`, "a", "at line 1"},
		{"all", "b b b", `{"path":"f","old":"b","new":"bb","all":true}`, "bb bb bb", "in 3 places"},
		{"other line ends", "a\r\nb\r\nc", `{"path":"f","old":"a\nb","new":"x\ny"}`, "x\r\ny\r\nc", "at line 1"},
		{"twice", "b b", `{"path":"f","old":"b","new":"x"}`, "b b", "stands there 2 times"},
		{"not there", "a", `{"path":"f","old":"b","new":"x"}`, "a", "does not stand in the file"},
		{"no change", "a", `{"path":"f","old":"a","new":"a"}`, "a", "nothing to change"},
	} {
		b := newBench(t, map[string]string{"f": c.before})
		r := call(tool.Edit(b.w), c.arguments)
		if !strings.Contains(text(r), c.says) {
			t.Errorf("%s: %q", c.name, text(r))
		}
		if got := b.read("f"); got != c.after {
			t.Errorf("%s: %q, wanted %q", c.name, got, c.after)
		}
	}
}

func TestEditsOfOneFileInParallelAllHappen(t *testing.T) {
	var before strings.Builder
	for i := range 20 {
		fmt.Fprintf(&before, "<%d>\n", i)
	}
	b := newBench(t, map[string]string{"f": before.String()})
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() { call(tool.Edit(b.w), fmt.Sprintf(`{"path":"f","old":"<%d>","new":"[%d]"}`, i, i)) })
	}
	group.Wait()
	if got := b.read("f"); strings.Contains(got, "<") {
		t.Errorf("some edits are lost:\n%s", got)
	}
}

func TestGrep(t *testing.T) {
	b := newBench(t, map[string]string{
		"a.go": "func One() {}\nfunc two() {}\n", "sub/b.txt": "One\n", "bin": "One\x00", "node_modules/x.go": "One",
		"long.txt": strings.Repeat("x", 10_000) + "One" + strings.Repeat("y", 10_000),
	})
	got := text(call(tool.Grep(b.w), `{"pattern":"One"}`))
	if !strings.HasPrefix(got, "a.go:1:func One() {}\nlong.txt:1:… ") || !strings.HasSuffix(got, "sub/b.txt:1:One\n") || len(got) > 1000 {
		t.Errorf("%s", got)
	}
	for arguments, want := range map[string]string{
		`{"pattern":"one","ignore_case":true,"glob":"**/*.txt","path":"sub"}`: "sub/b.txt:1:One\n",
		`{"pattern":"^func","path":"a.go"}`:                                   "a.go:1:func One() {}\na.go:2:func two() {}\n",
		`{"pattern":"never"}`:                                                 "No line matches.",
		`{"pattern":"One","glob":"*.go"}`:                                     "a.go:1:func One() {}\n",
	} {
		if got := text(call(tool.Grep(b.w), arguments)); got != want {
			t.Errorf("%s: %q", arguments, got)
		}
	}
	b.wants(call(tool.Grep(b.w), `{"pattern":"("}`), message.Failed, "missing closing )")
	b.wants(call(tool.Grep(b.w), `{"pattern":"x","path":"none"}`), message.Failed, "no such file")
}

func TestGlobLeavesOutWhatGitIgnores(t *testing.T) {
	b := newBench(t, map[string]string{"a.go": "", "sub/b.go": "", "out/c.go": "", ".gitignore": "out/\n", "d.txt": ""})
	if err := exec.Command("git", "-C", b.dir, "init", "-q").Run(); err != nil {
		t.Skip("git is not installed")
	}
	b.file("z.go", "newest")
	got := strings.Fields(text(call(tool.Glob(b.w), `{"pattern":"**/*.go"}`)))
	if len(got) != 3 || strings.Contains(strings.Join(got, " "), "out/") {
		t.Errorf("%q", got)
	}
	b.wants(call(tool.Glob(b.w), `{"pattern":"**/*.go","ignored":true}`), message.OK, "out/c.go")
	b.wants(call(tool.Glob(b.w), `{"pattern":"*.go","path":"sub"}`), message.OK, "sub/b.go")
	b.wants(call(tool.Glob(b.w), `{"pattern":"{a"}`), message.Failed, "not closed")
	b.wants(call(tool.Glob(b.w), `{"pattern":"*.rs"}`), message.OK, "No file")
}
