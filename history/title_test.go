package history

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/message"
)

func TestTitlesAreTheFirstWordsOfAPrompt(t *testing.T) {
	long := strings.Repeat("nine char", 20)
	for _, c := range []struct{ text, title string }{
		{"Fix the bug", "Fix the bug"},
		{"  Fix\n\tthe   bug\r\n", "Fix the bug"},
		{"\x1b[31mred\x00\u202e text", "[31mred text"},
		{strings.Repeat("word ", 16), strings.TrimSpace(strings.Repeat("word ", 16))},
		{strings.Repeat("word ", 17), strings.Repeat("word ", 15) + "word…"},
		{strings.Repeat("x", 80), strings.Repeat("x", 80)},
		{"see " + strings.Repeat("x", 90), "see " + strings.Repeat("x", 75) + "…"},
		{strings.Repeat("史", 100), strings.Repeat("史", 79) + "…"},
		{" \n ", ""},
		{long, long[:76] + "…"},
	} {
		m := message.Prompt(c.text)
		if got := TitleOf(&m); got != c.title {
			t.Errorf("%q: got %q, want %q", c.text, got, c.title)
		}
	}
}

func TestTitlesComeFromPeopleOnly(t *testing.T) {
	for _, m := range []message.Message{
		{Role: message.User, Author: message.ByHarness, Parts: []message.Part{message.Text{Text: "reminder"}}},
		{Role: message.Assistant, Author: message.ByModel, Parts: []message.Part{message.Text{Text: "answer"}}},
		{Role: message.User, Author: message.ByPerson, Parts: []message.Part{message.Image{}}},
	} {
		if got := TitleOf(&m); got != "" {
			t.Errorf("%v: got the title %q", m, got)
		}
	}
}

func TestTitlesAreOneShortLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		title := firstWords(text)
		if n := utf8.RuneCountInString(title); n > maxTitle {
			t.Fatalf("%q has %d characters", title, n)
		}
		if strings.ContainsAny(title, "\n\r\t\x1b") || strings.TrimSpace(title) != title {
			t.Fatalf("%q is not one line", title)
		}
		if cut, ok := strings.CutSuffix(title, "…"); !ok && cut != firstWords(cut) {
			t.Fatalf("%q changes again", title)
		}
	})
}
