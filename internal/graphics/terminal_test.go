package graphics

import (
	"image"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
)

// environment is the one of a list of NAME=value.
func environment(list ...string) func(string) string {
	return func(name string) string {
		for _, each := range list {
			if value, ok := strings.CutPrefix(each, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

func TestTheEnvironmentIsAFirstGuess(t *testing.T) {
	for _, c := range []struct {
		environment string
		want        Protocol
		asked       string // part of what is asked; empty where nothing may be
	}{
		{"TERM=xterm-256color", Blocks, "\x1b_Gi=31"},
		{"TERM=xterm-kitty", Kitty, "\x1b_Gi=31"},
		{"TERM=xterm-ghostty", Kitty, "\x1b_Gi=31"},
		{"TERM=xterm-256color KITTY_WINDOW_ID=1", Blocks, "\x1b_Gi=31"}, // started inside kitty
		{"TERM=xterm-256color TERM_PROGRAM=iTerm.app", ITerm, "ReportCellSize"},
		{"TERM=xterm-256color LC_TERMINAL=iTerm2", ITerm, "ReportCellSize"},
		{"TERM=foot", Sixel, "\x1b[c"},
		{"TERM=dumb", Off, ""},
		{"TERM=linux", Blocks, ""},
		{"TERM=xterm-256color TERM_PROGRAM=Apple_Terminal", Blocks, ""},
		{"TERM=screen-256color", Blocks, ""},
		{"TERM=tmux-256color TMUX=/tmp/tmux LC_TERMINAL=iTerm2", Blocks, "\x1b[c"},
	} {
		terminal := Of(Auto, environment(strings.Fields(c.environment)...))
		query := terminal.Query()
		if terminal.Protocol != c.want || terminal.Placeholders || !strings.Contains(query, c.asked) || (query == "") != (c.asked == "") {
			t.Errorf("%s: %s, asked %q", c.environment, terminal.Protocol, query)
		}
		if strings.Contains(c.environment, "TMUX") && strings.Contains(query, "\x1b_") {
			t.Errorf("tmux would take a query for a title: %q", query)
		}
	}
}

// answers decodes what a terminal sent.
func answers(t *testing.T, terminal *Terminal, sent string) (done bool) {
	var decoder uv.EventDecoder
	for rest := []byte(sent); len(rest) > 0; {
		n, answer := decoder.Decode(rest)
		if n == 0 {
			t.Fatalf("%q cannot be read", rest)
		}
		done = terminal.Take(answer) || done
		rest = rest[n:]
	}
	return done
}

func TestTheTerminalsOwnAnswersDecide(t *testing.T) {
	const kittyOK, itermSize, attributes = "\x1b_Gi=31;OK\x1b\\", "\x1b]1337;ReportCellSize=16.0;8.0;2.0\x1b\\", "\x1b[?62;c"
	for _, c := range []struct {
		name, environment, sent string
		want                    Protocol
		placeholders, done      bool
	}{
		{"kitty", "", kittyOK + "\x1bP>|kitty(0.42.1)\x1b\\" + attributes, Kitty, true, true},
		{"kitty 0.27, without placeholders", "", kittyOK + "\x1bP>|kitty(0.27.1)\x1b\\" + attributes, Kitty, false, true},
		{"Ghostty", "", kittyOK + "\x1bP>|ghostty 1.2.0\x1b\\" + attributes, Kitty, true, true},
		{"Konsole", "", kittyOK + "\x1bP>|Konsole 25.04.1\x1b\\" + attributes, Kitty, false, true},
		{"WezTerm", "", kittyOK + itermSize + "\x1bP>|WezTerm 20240203\x1b\\\x1b[?65;4;6c", ITerm, false, true},
		{"iTerm2", "", itermSize + "\x1b[?62;4c", ITerm, false, true},
		{"kitty's protocol, switched off", "TERM=xterm-kitty", "\x1b_Gi=31;ENOTSUPPORTED\x1b\\\x1bP>|kitty(0.42.1)\x1b\\" + attributes, Blocks, false, true},
		{"xterm with sixel", "", "\x1b[?64;1;2;4;6;9c", Sixel, false, true},
		{"14 is not 4", "", "\x1b[?64;14c", Blocks, false, true},
		{"a guess that was wrong", "TERM=foot", "\x1b[?62;c", Blocks, false, true},
		{"the last answer is still to come", "TERM=foot", kittyOK, Sixel, false, false},
		{"typed ahead", "", "ls\r", Blocks, false, false},
		{"tmux with sixel", "TMUX=1", "\x1b[?1;2;4c", Sixel, false, true},
	} {
		terminal := Of(Auto, environment(strings.Fields(c.environment)...))
		done := answers(t, &terminal, c.sent)
		if terminal.Protocol != c.want || terminal.Placeholders != c.placeholders || done != c.done {
			t.Errorf("%s: %s, placeholders %v, done %v", c.name, terminal.Protocol, terminal.Placeholders, done)
		}
	}
}

func TestAChoiceHoldsWhateverTheTerminalAnswers(t *testing.T) {
	for _, c := range []struct {
		choice       Protocol
		environment  string
		sent         string
		placeholders bool
	}{
		{Kitty, "TERM=xterm", "\x1b[?62;4c", true},
		{Kitty, "TERM=xterm", "\x1bP>|WezTerm 20240203\x1b\\\x1b[?62;4c", false},
		{Kitty, "TMUX=1", "\x1bP>|tmux 3.5a\x1b\\\x1b[?1;2c", true}, // passed through
		{Sixel, "TERM=xterm-kitty", "\x1b_Gi=31;OK\x1b\\\x1b[?62c", false},
		{Off, "TERM=xterm-kitty", "\x1b_Gi=31;OK\x1b\\\x1b[?62c", false},
	} {
		terminal := Of(string(c.choice), environment(strings.Fields(c.environment)...))
		answers(t, &terminal, c.sent)
		if terminal.Protocol != c.choice || terminal.Placeholders != c.placeholders {
			t.Errorf("%+v: %+v", c, terminal)
		}
	}
}

func TestTheSizeOfACharacterIsTheTerminals(t *testing.T) {
	terminal := Of(Auto, environment())
	if terminal.Cell != image.Pt(8, 16) {
		t.Errorf("by default %v", terminal.Cell)
	}
	answers(t, &terminal, "\x1b[6;0;0t")
	answers(t, &terminal, "\x1b[6;36;17t")
	if terminal.Cell != image.Pt(17, 36) {
		t.Errorf("%v", terminal.Cell)
	}
}
