package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stemma-history/stemma/history"
)

// These are days of somebody who talks to a model, with the program in a
// terminal. Each looks at the screen, and then at what is stored.

func TestChatGoesOnPastTheWall(t *testing.T) {
	t.Parallel()
	c := startChat(t, 120, 100)
	c.says("Good morning.")
	c.shows("You said: “Good morning.”")
	wall := false
	for range 12 {
		c.says("long 700")
		wall = wall || strings.Contains(c.screen(), "◇ compaction (threshold)")
	}
	if !wall {
		t.Errorf("that room was made is not on the screen:\n%s", c.screen())
	}
	c.says("Are you still there?")
	c.shows("You said: “Are you still there?”")

	var answered, compactions int64 // tokens, entries
	for _, e := range c.entries("@") {
		if e.Usage != nil {
			answered += e.Usage.Output
		}
		if e.Compaction == nil {
			continue
		}
		compactions++
		made, err := history.DecodeCompaction(e.Compaction)
		if err != nil {
			t.Fatal(err)
		}
		if r := made.Reason; r.Trigger != history.ByThreshold || r.After >= r.Before || r.After == 0 {
			t.Errorf("the reason of the compaction: %+v", r)
		}
	}
	if compactions == 0 || answered < 8000 {
		t.Errorf("%d compactions, %d tokens answered: not past the wall", compactions, answered)
	}
	if all := c.entries("@"); all[0].String() != "person: Good morning." || all[len(all)-1].String() != "model: You said: “Are you still there?”" {
		t.Errorf("the ends of the path: %v … %v", all[0], all[len(all)-1])
	}
}

func TestChatInterruptedInsideATool(t *testing.T) {
	t.Parallel()
	c := startChat(t, 120, 40)
	c.enter(`tool bash {"command":"echo $$ >tool; echo $((6*7)) eggs; exec sleep 600"}`)
	c.allows("bash?")
	c.shows("42 eggs", "works · esc interrupts")
	tool := processIn(t, filepath.Join(c.home, "tool"))
	c.press("Escape")
	c.shows("Interrupted. What was done is kept")
	c.until("the end of the command", func(string) bool { return tool.Signal(syscall.Signal(0)) != nil })

	c.says("Are you still there?")
	c.shows("You said: “Are you still there?”")
	c.keeps(
		`person: tool bash {"command":"echo $$ >tool; echo $((6*7)) eggs; exec sleep 600"}`,
		"model: calls bash",
		"tool: unknown: 42 eggs Interrupted: what the command had done until then stays done.",
		"person: Are you still there?",
		"model: You said: “Are you still there?”",
	)
}

func TestChatKilledInsideAToolAndResumed(t *testing.T) {
	t.Parallel()
	c := startChat(t, 120, 40)
	c.says("Good morning.")
	c.enter(`tool bash {"command":"echo $((6*7)) eggs; sleep 600"}`)
	c.allows("bash?")
	c.shows("42 eggs")
	if err := processIn(t, filepath.Join(c.home, "pid")).Kill(); err != nil {
		t.Fatal(err)
	}
	c.close()

	c.open(80, 24)
	c.begin("exec stemma chat @ --window 8000")
	c.shows("You said: “Good morning.”", "A run broke off in the middle of a turn. /retry goes on with what it had done")
	c.says("/retry") // waits until the killed run counts as ended
	c.shows("The tools said: “")
	c.keeps(
		"person: Good morning.",
		"model: You said: “Good morning.”",
		`person: tool bash {"command":"echo $((6*7)) eggs; sleep 600"}`,
		"model: calls bash",
		"tool: unknown: ",
		"model: The tools said: “",
	)
}

// processIn is the process whose number stands in a file, once it does.
func processIn(t *testing.T, file string) *os.Process {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if pid, err := strconv.Atoi(string(bytes.TrimSpace(text))); err == nil {
			p, err := os.FindProcess(pid)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
	}
	t.Fatalf("%s has no number", file)
	return nil
}
