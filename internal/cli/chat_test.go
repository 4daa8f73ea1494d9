package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A terminal is one of tmux's, with a shell in it.
type terminal struct {
	*testing.T
	socket string
}

// newTerminal opens a terminal of a size.
func newTerminal(t *testing.T, dir string, env []string, width, height int) *terminal {
	t.Helper()
	term := &terminal{t, fmt.Sprintf("stemma-%d-%d", os.Getpid(), time.Now().UnixNano())}
	start := exec.Command("tmux", "-L", term.socket, "-f", os.DevNull, "new-session", "-d",
		"-x", strconv.Itoa(width), "-y", strconv.Itoa(height), "-c", dir, "sh")
	start.Env = append(append(os.Environ(), env...), "TERM=xterm-256color", "LC_ALL=C.UTF-8")
	if out, err := start.CombinedOutput(); err != nil {
		t.Fatalf("tmux: %v\n%s", err, out)
	}
	t.Cleanup(term.close)
	return term
}

func (t *terminal) close() { _ = exec.Command("tmux", "-L", t.socket, "kill-server").Run() } // it may have ended

func (t *terminal) tmux(args ...string) string {
	t.Helper()
	out, err := exec.Command("tmux", append([]string{"-L", t.socket}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func (t *terminal) screen() string { return t.tmux("capture-pane", "-p") }

// until looks at the screen until something is so.
func (t *terminal) until(what string, so func(screen string) bool) {
	t.Helper()
	end := time.After(20 * time.Second)
	for look := time.NewTicker(20 * time.Millisecond); ; {
		if so(t.screen()) {
			return
		}
		select {
		case <-look.C:
		case <-end:
			t.Fatalf("waited in vain for %s:\n%s", what, t.screen())
		}
	}
}

func (t *terminal) shows(words string) {
	t.Helper()
	t.until(strconv.Quote(words), func(s string) bool { return strings.Contains(s, words) })
}

func (t *terminal) press(keys ...string) {
	t.Helper()
	t.tmux(append([]string{"send-keys"}, keys...)...)
}

// enter types a line into the editor of the chat and sends it.
func (t *terminal) enter(line string) {
	t.Helper()
	t.tmux("send-keys", "-l", line)
	t.until("the line in the editor", func(s string) bool { return strings.Contains(above(s, 1), line) || strings.Contains(s, "  "+line) })
	t.press("Enter")
}

// says types a line, and waits for the end of what comes of it.
func (t *terminal) says(line string) {
	t.Helper()
	t.enter(line)
	t.rests()
}

func (t *terminal) rests() {
	t.Helper()
	t.until("the end of the work", func(s string) bool {
		return strings.Contains(above(s, 1), "Ask something") && !strings.Contains(above(s, 0), "works ·")
	})
}

// above returns the line so many above the last one.
func above(screen string, n int) string {
	lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
	return lines[max(len(lines)-1-n, 0)]
}

// fakeServer runs stemma fake, and returns the variables that lead to it.
func fakeServer(t *testing.T, args ...string) []string {
	t.Helper()
	fake := exec.Command("stemma", append([]string{"fake"}, args...)...)
	out, err := fake.StdoutPipe()
	if err == nil {
		err = fake.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = fake.Process.Kill()
		_ = fake.Wait() // it was killed
	})
	var env []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if line, ok := strings.CutPrefix(lines.Text(), "export "); ok {
			env = append(env, line)
		} else if len(env) > 0 {
			break
		}
	}
	return env
}

// TestChatInATerminal is a day of somebody who talks to a model: past the wall,
// interrupted, killed, and back and forth in the tree.
func TestChatInATerminal(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed: the terminal app is not run in a terminal")
	}
	home := t.TempDir()
	env := append(fakeServer(t, "--window", "8000"),
		"STEMMA_MODEL=claude-sonnet-5", "STEMMA_STORE="+filepath.Join(home, "store.db"), "HOME="+home, "GORACE=atexit_sleep_ms=0")
	term := newTerminal(t, home, env, 120, 40)
	term.tmux("send-keys", "-l", "sh -c 'echo $$ >pid; exec stemma chat --window 8000'")
	term.press("Enter")
	term.rests()
	term.says("Good morning.")
	term.shows("You said: “Good morning.”")

	t.Log("a call, with permission")
	term.enter(`tool bash {"command":"echo built"}`)
	term.shows("Let the model use bash? echo built")
	term.press("y")
	term.rests()
	term.shows("The tools said: “built")

	t.Log("past the wall")
	for n := 0; !strings.Contains(term.screen(), "◇ compaction (threshold)"); n++ {
		if n == 20 {
			t.Fatalf("no room was made:\n%s", term.screen())
		}
		term.says(fmt.Sprintf("long %d", 400+n))
	}

	t.Log("interrupted inside a tool")
	term.enter(`tool bash {"command":"sleep 50"}`)
	term.shows("Let the model use bash? sleep 50")
	term.press("y")
	term.shows("runs")
	term.press("Escape")
	term.shows("Interrupted. What was done is kept")
	term.says("Are you still there?")
	if s := term.screen(); strings.Contains(s, "refused") || !strings.Contains(s, "> Are you still there?") {
		t.Errorf("the interrupted turn cannot be gone on from:\n%s", s)
	}

	t.Log("killed inside a tool, and resumed")
	term.enter(`tool bash {"command":"sleep 3; echo late"}`)
	term.shows("Let the model use bash? sleep 3")
	term.press("y")
	term.shows("runs")
	kill(t, filepath.Join(home, "pid"))
	term.close()
	term = newTerminal(t, home, env, 80, 24)
	term.tmux("send-keys", "-l", "stemma chat @ --window 8000")
	term.press("Enter")
	term.shows("broke off in the middle of a turn")
	for n := 0; !strings.Contains(term.screen(), "The tools said"); n++ { // until the killed run counts as ended
		if n == 20 {
			t.Fatalf("the turn is not taken up:\n%s", term.screen())
		}
		term.says("/retry")
		time.Sleep(500 * time.Millisecond)
	}

	t.Log("a prompt is edited and run again")
	term.enter("/edit")
	term.shows("edits a prompt")
	term.press("C-u")
	term.says("Another morning.")
	term.shows("You said: “Another morning.”")

	t.Log("checkpoint and rewind")
	term.says("/checkpoint here")
	term.says("A blind alley.")
	term.says("/rewind here the alley is blind")
	term.shows("the alley is blind")
	term.until("the rewound path", func(s string) bool { return !strings.Contains(s, "You said: “A blind alley.”") })

	t.Log("the tree")
	term.enter("/tree")
	term.shows("◆ here")
	term.press("Home", "Down", "Enter")
	term.rests()
	term.until("the first answer alone", func(s string) bool {
		return strings.Contains(s, "You said: “Good morning.”") && !strings.Contains(s, "Another morning.")
	})

	term.press("C-d")
	term.shows("resumes this conversation")
	if modes := term.tmux("display", "-p", "#{alternate_on}#{mouse_any_flag}#{cursor_flag}"); modes != "001\n" {
		t.Errorf("the terminal is not as it was: %s", modes)
	}
}

func kill(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(text)))
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
}
