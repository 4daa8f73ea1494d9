package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stemma-history/stemma/message"
)

// A terminal is one of tmux's, with a shell in it. What is run there finds
// nothing of the person's who runs the tests: its home is new, and so is its
// store.
type terminal struct {
	*testing.T
	socket string
	home   string
	env    []string // over that of the tests
}

// newTerminal opens a terminal of a size, with variables set.
func newTerminal(t *testing.T, width, height int, env ...string) *terminal {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed: the terminal app is not run in a terminal")
	}
	home := t.TempDir()
	term := &terminal{T: t, home: home, env: append([]string{
		"HOME=" + home, "STEMMA_STORE=" + filepath.Join(home, "store.db"), "NO_COLOR=",
		"OLLAMA_HOST=127.0.0.1:1", // nobody listens there
		"TERM=xterm-256color", "LC_ALL=C.UTF-8", "TZ=UTC",
		// What the race detector finds stands in a file, since the screen is the app's.
		"GORACE=atexit_sleep_ms=0 log_path=" + filepath.Join(home, "race"),
	}, env...)}
	term.open(width, height)
	t.Cleanup(func() {
		term.close()
		races, _ := filepath.Glob(filepath.Join(home, "race.*")) // the pattern is well-formed
		for _, file := range races {
			text, err := os.ReadFile(file)
			t.Errorf("a race, %v:\n%s", err, text)
		}
	})
	return term
}

// open opens the terminal, also again.
func (t *terminal) open(width, height int) {
	t.Helper()
	t.socket = fmt.Sprintf("stemma-%d-%d", os.Getpid(), time.Now().UnixNano())
	start := t.command("tmux", "-L", t.socket, "-f", os.DevNull, "new-session", "-d",
		"-x", strconv.Itoa(width), "-y", strconv.Itoa(height), "sh")
	if out, err := start.CombinedOutput(); err != nil {
		t.Fatalf("tmux: %v\n%s", err, out)
	}
}

func (t *terminal) close() { _ = exec.Command("tmux", "-L", t.socket, "kill-server").Run() } // it may have ended

// command is one with the environment of the terminal, but the variables of
// whoever runs the tests.
func (t *terminal) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir = t.home
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, "STEMMA_") && !strings.HasPrefix(name, "XDG_") && !strings.HasSuffix(name, "_API_KEY") && !strings.HasSuffix(name, "_BASE_URL") && name != "TMUX" {
			c.Env = append(c.Env, variable)
		}
	}
	c.Env = append(c.Env, t.env...)
	return c
}

// stemma runs a command of the program beside the terminal, and returns what
// it prints.
func (t *terminal) stemma(args ...string) string {
	t.Helper()
	c := t.command("stemma", args...)
	var failed bytes.Buffer
	c.Stderr = &failed
	out, err := c.Output()
	if err != nil {
		t.Fatalf("stemma %q: %v\n%s", args, err, &failed)
	}
	return string(out)
}

func (t *terminal) tmux(args ...string) string {
	t.Helper()
	out, err := exec.Command("tmux", append([]string{"-L", t.socket}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// screen is what the person sees.
func (t *terminal) screen() string {
	t.Helper()
	return t.tmux("capture-pane", "-p")
}

// patience is how long a screen may take, on a machine that does much else.
const patience = time.Minute

// until looks at the screen until something is so.
func (t *terminal) until(what string, so func(screen string) bool) {
	t.Helper()
	end := time.After(patience)
	for look := time.Tick(20 * time.Millisecond); ; {
		screen := t.screen()
		if so(screen) {
			return
		}
		select {
		case <-look:
		case <-end:
			t.Fatalf("waited in vain for %s:\n%s", what, screen)
		}
	}
}

// shows waits until all of some words stand on the screen. Where lines end does
// not count.
func (t *terminal) shows(words ...string) {
	t.Helper()
	for _, word := range words {
		t.until(strconv.Quote(word), func(s string) bool { return strings.Contains(oneLine(s), oneLine(word)) })
	}
}

// hides waits until words are on the screen no more.
func (t *terminal) hides(words string) {
	t.Helper()
	t.until("the end of "+strconv.Quote(words), func(s string) bool { return !strings.Contains(oneLine(s), oneLine(words)) })
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// press presses keys, by the names that tmux has for them.
func (t *terminal) press(keys ...string) {
	t.Helper()
	t.tmux(append([]string{"send-keys"}, keys...)...)
}

// types types a text.
func (t *terminal) types(text string) {
	t.Helper()
	t.tmux("send-keys", "-l", "--", text)
}

// runs runs a line of the shell.
func (t *terminal) runs(line string) {
	t.Helper()
	t.types(line)
	t.press("Enter")
}

// A chat is the terminal app in a terminal, and the provider that it talks to.
type chat struct{ *terminal }

// startChat opens the app on a new conversation with a model of 8,000 tokens.
func startChat(t *testing.T, width, height int, env ...string) *chat {
	t.Helper()
	c := &chat{newTerminal(t, width, height, env...)}
	c.env = append(c.env, playedProvider(c.terminal, "--window", "8000")...)
	c.close() // it does not have these variables yet
	c.open(width, height)
	c.begin("exec stemma chat --window 8000")
	return c
}

// begin runs the app and waits until it can be talked to.
func (c *chat) begin(line string) {
	c.Helper()
	c.runs("sh -c 'echo $$ >pid; " + line + "'")
	c.until("the model", func(s string) bool { return strings.Contains(above(s, 0), " of 8k") })
}

// playedProvider runs stemma fake, and returns the variables that lead there.
func playedProvider(t *terminal, args ...string) []string {
	t.Helper()
	fake := t.command("stemma", append([]string{"fake"}, args...)...)
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

// above returns the line so many above the last one.
func above(screen string, n int) string {
	lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
	return lines[max(len(lines)-1-n, 0)]
}

// editor returns what stands between the rule and the status line.
func editor(screen string) string {
	lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if strings.HasPrefix(lines[i], "────") {
			return strings.Join(lines[i+1:max(len(lines)-1, i+1)], "\n")
		}
	}
	return ""
}

// enter types a line into the editor and sends it.
func (c *chat) enter(line string) {
	c.Helper()
	c.types(line)
	squeezed := strings.ReplaceAll(line, " ", "") // it may go on in a line below
	c.until("the line in the editor", func(s string) bool {
		return strings.Contains(strings.Join(strings.Fields(editor(s)), ""), squeezed)
	})
	c.press("Enter")
}

// says enters a line, and waits for the end of what comes of it.
func (c *chat) says(line string) {
	c.Helper()
	c.enter(line)
	c.rests()
}

// allows answers a question about a tool, once it takes answers.
func (c *chat) allows(call string) {
	c.Helper()
	c.shows("Let the model use "+call, "y yes · n no")
	c.press("y")
}

func (c *chat) rests() {
	c.Helper()
	c.until("the end of the work", func(s string) bool {
		return strings.HasPrefix(above(s, 1), "> Ask something") && !strings.Contains(above(s, 0), "works ·")
	})
}

// entries are those on the path to the tip of a conversation, as they are
// stored.
func (c *chat) entries(conversation string, flags ...string) []saved {
	c.Helper()
	var all []entryJSON
	c.read(&all, append([]string{"show", conversation, "--json"}, flags...)...)
	path := make([]saved, len(all))
	for i, e := range all {
		path[i].entryJSON = e
		if e.Message == nil {
			continue
		}
		m, err := message.Decode(e.Message, func(message.Hash) ([]byte, error) { return nil, errors.New("it is a blob of its own") })
		if err != nil {
			c.Fatalf("entry %d: %v", e.Depth, err)
		}
		path[i].message = m
	}
	return path
}

// tree has every entry of a conversation.
func (c *chat) tree(conversation string) []treeNodeJSON {
	c.Helper()
	var nodes []treeNodeJSON
	c.read(&nodes, "tree", conversation, "--json")
	return nodes
}

// read runs a command that prints JSON.
func (c *chat) read(into any, args ...string) {
	c.Helper()
	if err := json.Unmarshal([]byte(c.stemma(args...)), into); err != nil {
		c.Fatalf("stemma %q: %v", args, err)
	}
}

// saved is an entry of the store.
type saved struct {
	entryJSON
	message message.Message
}

// String says who said what.
func (s saved) String() string {
	if s.Compaction != nil {
		return "compaction"
	}
	text := s.message.PlainText()
	for _, p := range s.message.Parts {
		switch p := p.(type) {
		case message.ToolCall:
			text += "calls " + p.Name
		case message.ToolResult:
			if p.IsError() {
				text += string(p.Outcome) + ": "
			}
			text += p.PlainText()
		}
	}
	who := string(s.Author)
	return who + ": " + oneLine(text)
}

// keeps compares the path to the tip of the conversation updated last with who
// said what. Of long texts, the beginning will do.
func (c *chat) keeps(want ...string) {
	c.Helper()
	var got []string
	for _, s := range c.entries("@") {
		got = append(got, s.String())
	}
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		c.Errorf("stored is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
