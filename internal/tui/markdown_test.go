package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

func TestMarkdownFitsEveryWidth(t *testing.T) {
	text := "# Title\n\nSome *words* and `code`, then a list:\n\n- one\n- two with a rather long line that has to be wrapped somewhere\n\n```go\nfunc main() { fmt.Println(\"a line of code that is too long for a narrow terminal\") }\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
	for _, width := range []int{1, 5, 20, 40, 80, 200} {
		m := markdown{}
		for _, line := range m.render(text, width) {
			if w := ansi.StringWidth(line); w > width {
				t.Fatalf("width %d: %q is %d wide", width, line, w)
			}
		}
	}
	m := markdown{}
	if got := ansi.Strip(strings.Join(m.render("\x1b]0;evil\x07*hi*", 40), "\n")); strings.TrimSpace(got) != "hi" {
		t.Errorf("%q", got)
	}
}

// TestWhatIsSettledStays: when a text grows, what was settled of it before is
// settled still.
func TestWhatIsSettledStays(t *testing.T) {
	line := rapid.SampledFrom([]string{"", "word", "```", "```go", "  ", "- item", "~~~", "# t"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(line, 0, 12).Draw(t, "lines"), "\n")
		end := 0
		for n := range len(text) + 1 {
			now := settled(text[:n])
			if now < end || now > n {
				t.Fatalf("%q: %d after %d", text[:n], now, end)
			}
			end = now
		}
	})
}

func BenchmarkMarkdown(b *testing.B) {
	text := strings.Repeat("Some *words* and `code`.\n\n```go\nfunc f() int { return 1 }\n```\n\n", 20)
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			m := markdown{}
			m.render("word", 80)
		}
	})
	b.Run("render", func(b *testing.B) {
		m := markdown{}
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			m.render(text, 80)
		}
	})
}
