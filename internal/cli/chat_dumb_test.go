package cli

import (
	"strings"
	"testing"
)

// A terminal that cannot move its cursor, such as the shell of an editor, is read
// line by line.
func TestChatOnADumbTerminalReadsLines(t *testing.T) {
	t.Parallel()
	c := &chat{newTerminal(t, 80, 24)}
	c.runs("export STEMMA_MODEL=claude-sonnet-5 " + strings.Join(playedProvider(c.terminal), " "))
	c.runs("TERM=dumb stemma chat")
	c.until("the prompt", func(s string) bool { return strings.TrimRight(above(s, 0), " ") == ">" })
	c.tmux("send-keys", "-l", "Hello.")
	c.press("Enter")
	c.shows("TERM=dumb stemma chat", "> Hello.", "You said: “Hello.”")
}
