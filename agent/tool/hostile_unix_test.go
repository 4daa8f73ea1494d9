//go:build unix

package tool_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/message"
)

func TestAPipeIsNotWaitedFor(t *testing.T) {
	b := newBench(t, nil)
	if err := syscall.Mkfifo(filepath.Join(b.dir, "pipe"), 0o666); err != nil {
		t.Skip(err)
	}
	b.wants(call(tool.Read(b.w), `{"path":"pipe"}`), message.Failed, "no regular file")
	b.wants(call(tool.Edit(b.w), `{"path":"pipe","old":"a","new":"b"}`), message.Failed, "no regular file")
	b.wants(call(tool.Write(b.w), `{"path":"pipe","content":"a"}`), message.Failed, "no regular file")
	b.wants(call(tool.Grep(b.w), `{"pattern":"a","path":"pipe"}`), message.OK, "no regular file")
	b.wants(call(tool.Grep(b.w), `{"pattern":"a"}`), message.OK, "No line matches")
}

func TestAFileKeepsItsModeAndAReadOnlyOneItsContent(t *testing.T) {
	b := newBench(t, map[string]string{"shared": "a", "locked": "a"})
	for name, mode := range map[string]os.FileMode{"shared": 0o666, "locked": 0o444} {
		if err := os.Chmod(filepath.Join(b.dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	b.wants(call(tool.Edit(b.w), `{"path":"shared","old":"a","new":"b"}`), message.OK)
	if info, _ := os.Stat(filepath.Join(b.dir, "shared")); info.Mode().Perm() != 0o666 {
		t.Errorf("mode %v", info.Mode())
	}
	b.wants(call(tool.Write(b.w), `{"path":"locked","content":"b"}`), message.Failed, "read-only")
	long := strings.Repeat("n", 255)
	b.wants(call(tool.Write(b.w), `{"path":"`+long+`","content":"b"}`), message.OK)
}
