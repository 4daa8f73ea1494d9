//go:build unix

package tool_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/message"
)

func TestBashReturnsWhatACommandPrints(t *testing.T) {
	b := newBench(t, map[string]string{"f": "here"})
	bash := tool.Bash(b.w, tool.Shell{})
	for command, want := range map[string]struct {
		outcome message.Outcome
		text    string
	}{
		"cat f; echo err >&2": {message.OK, "hereerr\n"},
		"true":                {message.OK, "(No output.)"},
		"echo no; exit 3":     {message.Failed, "no\nEnded with exit status 3."},
		"kill -9 $$":          {message.Failed, "Ended with signal: killed."},
		"read x; echo got $x": {message.OK, "got\n"},
		"printf 'a\\xffb'":    {message.OK, "a\uFFFDb"},
	} {
		arguments, _ := json.Marshal(map[string]string{"command": command})
		if r := call(bash, string(arguments)); r.Outcome != want.outcome || text(r) != want.text {
			t.Errorf("%s: %q %q", command, r.Outcome, text(r))
		}
	}
}

func TestBashRunsInTheEnvironmentGiven(t *testing.T) {
	b := newBench(t, nil)
	t.Setenv("STEMMA_TEST_SECRET", "leaked")
	r := call(tool.Bash(b.w, tool.Shell{Env: []string{"A=1", "PATH=" + os.Getenv("PATH")}}), `{"command":"echo $A$STEMMA_TEST_SECRET; pwd"}`)
	b.wants(r, message.OK, "1\n"+b.w.Dir())
}

func TestBashKillsAllThatItStartedWhenCancelled(t *testing.T) {
	b := newBench(t, nil)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	command := `trap '' TERM; (trap '' TERM; sleep 100) & echo $! $$; wait; sleep 100`
	arguments, _ := json.Marshal(map[string]string{"command": command})
	var pids []string
	r := tool.Bash(b.w, tool.Shell{}).Run(ctx, tool.Call{Arguments: arguments, Progress: func(line string) {
		pids = strings.Fields(line)
		cancel()
	}})
	b.wants(r, message.Unknown, "Interrupted")
	if len(pids) != 2 {
		t.Fatalf("%q", pids)
	}
	for _, s := range pids {
		pid, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		if alive(pid) {
			t.Errorf("process %d still runs", pid)
		}
	}
}

// alive reports whether a process runs: one that has ended and was not yet
// waited for does not.
func alive(pid int) bool {
	for range 100 {
		if err := syscall.Kill(pid, 0); err != nil {
			return false
		}
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if err == nil && strings.Contains(string(stat), ") Z ") {
			return false
		}
		time.Sleep(10 * time.Millisecond) // the kernel takes a moment to end it
	}
	return true
}

func TestACommandThatEndedWellIsNotInterrupted(t *testing.T) {
	if r := tool.EndedBeforeStopped("done\n"); r.Outcome != message.OK || text(r) != "done\n" {
		t.Errorf("%q %q", r.Outcome, text(r))
	}
}

func TestBashStopsACommandThatTakesTooLong(t *testing.T) {
	b := newBench(t, nil)
	r := call(tool.Bash(b.w, tool.Shell{}), `{"command":"echo begun; sleep 100","timeout":1}`)
	b.wants(r, message.Failed, "begun\n", "Stopped after 1s")
}

func TestBashDoesNotWaitForWhatIsLeftInTheBackground(t *testing.T) {
	b := newBench(t, nil)
	r := call(tool.Bash(b.w, tool.Shell{}), `{"command":"sleep 20 & echo $!"}`)
	b.wants(r, message.OK, "in the background")
	pid, err := strconv.Atoi(strings.Fields(text(r))[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("what was left in the background should go on: %v", err)
	}
}

func TestBashKeepsBeginningAndEndOfALongOutput(t *testing.T) {
	b := newBench(t, nil)
	var shown []string
	arguments := json.RawMessage(`{"command":"echo first; head -c 30000000 /dev/zero | tr '\\0' x; echo; echo last"}`)
	r := tool.Bash(b.w, tool.Shell{}).Run(t.Context(), tool.Call{Arguments: arguments, Progress: func(line string) { shown = append(shown, line) }})
	got := text(r)
	if len(got) > 9<<20 || !strings.HasPrefix(got, "first\nxxx") || !strings.HasSuffix(got, "xxx\nlast\n") || !strings.Contains(got, "bytes are left out here") {
		t.Errorf("%d bytes, %q … %q", len(got), got[:20], got[len(got)-20:])
	}
	if !slices.Contains(shown, "first") || shown[len(shown)-1] != "last" {
		t.Errorf("%d lines shown", len(shown))
	}
	for _, line := range shown {
		if len(line) > 4200 {
			t.Fatalf("a line of %d bytes was shown", len(line))
		}
	}
}
