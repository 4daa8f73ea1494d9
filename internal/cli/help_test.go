package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestEveryCommandSaysWhatItDoes(t *testing.T) {
	root := newRoot(newApp(strings.NewReader(""), io.Discard, io.Discard))
	root.InitDefaultHelpCmd()
	seen := map[string]bool{}
	for _, c := range root.Commands() {
		t.Run(c.Name(), func(t *testing.T) {
			if seen[c.Name()] {
				t.Error("the command is there twice")
			}
			seen[c.Name()] = true
			for what, text := range map[string]string{"Short": c.Short, "Long": c.Long, "Example": c.Example} {
				if text == "" {
					t.Errorf("%s is missing", what)
				}
			}
			if strings.HasSuffix(c.Short, ".") || len(c.Short) > 64 {
				t.Errorf("Short %q: expected at most 64 bytes without a full stop", c.Short)
			}
			for line := range strings.Lines(c.Example) {
				if !strings.HasPrefix(line, "  ") || !strings.Contains(line, "stemma "+c.Name()) && !strings.Contains(line, "stemma recall") {
					t.Errorf("example %q: expected an indented call of the command", line)
				}
				checkExample(t, root, line)
			}
		})
	}
}

// checkExample checks that the flags in an example exist.
func checkExample(t *testing.T, root *cobra.Command, line string) {
	line, _, _ = strings.Cut(line, " # ")
	_, call, _ := strings.Cut(line, "stemma ")
	call, _, _ = strings.Cut(call, "|")
	call, _, _ = strings.Cut(call, ">")
	words := strings.Fields(call)
	c, _, err := root.Find(words[:1])
	if err != nil {
		t.Fatalf("example %q: %v", line, err)
	}
	for _, w := range words {
		name := strings.TrimLeft(w, "-")
		switch dashes := len(w) - len(name); {
		case dashes == 2 && c.Flag(name) == nil, dashes == 1 && len(name) == 1 && c.Flags().ShorthandLookup(name) == nil:
			t.Errorf("example %q: there is no flag %s", line, w)
		}
	}
}

func TestHelpIsPlainOffATerminalAndFits(t *testing.T) {
	var out bytes.Buffer
	a := newApp(strings.NewReader(""), &out, io.Discard)
	if code := a.execute(t.Context(), []string{"import", "--help"}); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, "\x1b") || len(line) > 81 {
			t.Errorf("line %q", line)
		}
	}
	if !strings.Contains(out.String(), "Examples\n") {
		t.Errorf("no examples in\n%s", &out)
	}
}

func TestManualHasEveryCommand(t *testing.T) {
	var out bytes.Buffer
	a := newApp(strings.NewReader(""), &out, io.Discard)
	if code := a.execute(t.Context(), []string{"man"}); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	for _, c := range newRoot(a).Commands() {
		if !strings.Contains(out.String(), ".SS stemma "+c.Name()) {
			t.Errorf("%s is missing", c.Name())
		}
	}
}
