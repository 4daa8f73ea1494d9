package tool_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/message"
)

// A bench is a workspace with files, and what is outside of it.
type bench struct {
	*testing.T
	dir     string
	outside string
	w       *tool.Workspace
}

func newBench(t *testing.T, files map[string]string) bench {
	t.Helper()
	b := bench{T: t, dir: t.TempDir(), outside: t.TempDir()}
	for name, text := range files {
		b.file(name, text)
	}
	w, err := tool.OpenWorkspace(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	b.w = w
	return b
}

func (b bench) file(name, text string) {
	b.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		b.Fatal(err)
	}
}

func (b bench) read(name string) string {
	b.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		b.Fatal(err)
	}
	return string(data)
}

// call runs a call with arguments given as JSON.
func call(t tool.Tool, arguments string) tool.Result {
	return t.Run(context.Background(), tool.Call{ID: "c1", Arguments: json.RawMessage(arguments)})
}

func text(r tool.Result) string {
	return message.ToolResult{Content: r.Content}.PlainText()
}

func (b bench) wants(r tool.Result, outcome message.Outcome, parts ...string) {
	b.Helper()
	if r.Outcome != outcome {
		b.Errorf("outcome %q, wanted %q: %s", r.Outcome, outcome, text(r))
	}
	for _, part := range parts {
		if !strings.Contains(text(r), part) {
			b.Errorf("%q is not in:\n%s", part, text(r))
		}
	}
}

func TestEveryToolAnswersBrokenArguments(t *testing.T) {
	b := newBench(t, nil)
	for _, tl := range []tool.Tool{
		tool.Read(b.w), tool.Write(b.w), tool.Edit(b.w), tool.Bash(b.w, tool.Shell{}), tool.Grep(b.w), tool.Glob(b.w),
		tool.Fetch(nil), tool.Recall(nil),
	} {
		d := tl.Definition()
		if !json.Valid(d.Schema) || d.Name == "" || d.Description == "" {
			t.Errorf("%s: the definition is not complete", d.Name)
		}
		for _, arguments := range []string{``, `{}`, `null`, `[]`, `{"path":7,"command":7,"pattern":7,"url":7,"handle":7}`, `{"path": "a`, `"x"`} {
			if r := call(tl, arguments); r.Outcome != message.Failed || text(r) == "" {
				t.Errorf("%s %s: %q %q", d.Name, arguments, r.Outcome, text(r))
			}
		}
	}
}

func TestLookingIsUneventful(t *testing.T) {
	b := newBench(t, map[string]string{"a": "x"})
	for _, r := range []tool.Result{
		call(tool.Read(b.w), `{"path":"a"}`), call(tool.Grep(b.w), `{"pattern":"x"}`), call(tool.Glob(b.w), `{"pattern":"*"}`),
	} {
		if !r.Uneventful {
			t.Errorf("%s", text(r))
		}
	}
	for _, r := range []tool.Result{
		call(tool.Read(b.w), `{"path":"none"}`), call(tool.Write(b.w), `{"path":"a","content":"y"}`), call(tool.Bash(b.w, tool.Shell{}), `{"command":"true"}`),
	} {
		if r.Uneventful {
			t.Errorf("%s", text(r))
		}
	}
}

func TestAMissingArgumentIsNamed(t *testing.T) {
	b := newBench(t, nil)
	b.wants(call(tool.Write(b.w), `{"path":"a"}`), message.Failed, `"content" is missing`)
	b.wants(call(tool.Read(b.w), `{"path":["a"]}`), message.Failed, `"path" is a array: expected string`)
}

func TestNothingOutsideOfTheWorkspaceIsReached(t *testing.T) {
	b := newBench(t, map[string]string{"in/side.txt": "in"})
	secret := filepath.Join(b.outside, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o666); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"link": secret, "linkdir": b.outside, "dangling": filepath.Join(b.outside, "new"), "inner": filepath.Join(b.dir, "in")} {
		if err := os.Symlink(target, filepath.Join(b.dir, link)); err != nil {
			t.Skip(err)
		}
	}
	for _, path := range []string{secret, "../" + filepath.Base(b.outside) + "/secret", "link", "linkdir/secret", "in/../../x", "/etc/passwd"} {
		arguments, _ := json.Marshal(map[string]string{"path": path, "content": "x", "old": "secret", "new": "x"})
		for _, tl := range []tool.Tool{tool.Read(b.w), tool.Write(b.w), tool.Edit(b.w)} {
			b.wants(call(tl, string(arguments)), message.Failed, "outside")
		}
	}
	b.wants(call(tool.Write(b.w), `{"path":"dangling","content":"x"}`), message.Failed, "link")
	b.wants(call(tool.Write(b.w), `{"path":"linkdir/new","content":"x"}`), message.Failed, "outside")
	b.wants(call(tool.Grep(b.w), `{"pattern":"secret"}`), message.OK, "No line matches")
	b.wants(call(tool.Read(b.w), `{"path":"inner/side.txt"}`), message.OK, "in")
	if entries, err := os.ReadDir(b.outside); err != nil || len(entries) != 1 {
		t.Errorf("outside is changed: %v %v", entries, err)
	}
}

func TestAnAllowedDirectoryIsReached(t *testing.T) {
	b := newBench(t, nil)
	w, err := tool.OpenWorkspace(b.dir, b.outside)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	path := filepath.Join(b.outside, "sub", "new")
	arguments, _ := json.Marshal(map[string]string{"path": path, "content": "x"})
	b.wants(call(tool.Write(w), string(arguments)), message.OK, "Wrote")
	if data, err := os.ReadFile(path); err != nil || string(data) != "x" {
		t.Errorf("%q %v", data, err)
	}
}
