package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/message"
)

func TestATurnUnderWayGrows(t *testing.T) {
	tr := &transcript{markdown: &markdown{}, width: 40, height: 20}
	l := &live{}
	shown := func() string { return ansi.Strip(strings.Join(l.render(tr), "\n")) }

	l.part(0, liveThinking).text.WriteString("Where is it?")
	l.part(1, liveText).text.WriteString("I **lo")
	if got := shown(); got != "▸ Where is it?\nI **lo" {
		t.Errorf("%q", got)
	}
	l.part(1, liveText).text.WriteString("ok**.\n\nNow")
	if got := shown(); got != "▸ Where is it?\nI look.\n\nNow" {
		t.Errorf("%q", got)
	}
	c := l.part(2, liveCall)
	c.name = "bash"
	c.text.WriteString(`{"command":"ma`)
	if got := shown(); !strings.HasSuffix(got, "○ bash {\"command\":\"ma  …") {
		t.Errorf("%q", got)
	}
	c.text.WriteString(`ke"}`)
	c.running, c.progress = true, "compiling"
	if got := shown(); !strings.HasSuffix(got, "○ bash make  runs\n  compiling") {
		t.Errorf("%q", got)
	}
	l.call(0).result = &message.ToolResult{Content: []message.Content{message.Text{Text: "done"}}}
	if got := shown(); !strings.HasSuffix(got, "✓ bash make  1 line") {
		t.Errorf("%q", got)
	}
	if l.call(1) != nil {
		t.Error("there is one call")
	}
}

func BenchmarkLive(b *testing.B) {
	tr := &transcript{markdown: &markdown{}, width: 100, height: 40}
	l := &live{}
	p := l.part(0, liveText)
	p.text.WriteString(strings.Repeat("A paragraph of a long answer, with `code` in it.\n\n", 200))
	for b.Loop() {
		p.text.WriteString("x")
		l.render(tr)
	}
}
