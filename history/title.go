package history

import (
	"strings"
	"unicode"

	"github.com/stemma-history/stemma/message"
)

// maxTitle is the longest title that is made, in characters: what a list of
// conversations shows on one line.
const maxTitle = 80

// TitleOf returns the first words of a prompt, for a conversation that its tool
// gave no title: one line, cut between words where it must be cut. It is empty
// where the message is no prompt or has no words.
func TitleOf(m *message.Message) string {
	if !m.IsPrompt() {
		return ""
	}
	for _, p := range m.Parts {
		if t, ok := p.(message.Text); ok {
			if title := firstWords(t.Text); title != "" {
				return title
			}
		}
	}
	return ""
}

// firstWords makes a title of a text, of which it reads no more than shows.
func firstWords(text string) string {
	line := make([]rune, 0, maxTitle+1)
	gap, word := false, 0 // word is where the last whole word ends
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			gap = len(line) > 0
			continue
		case !unicode.IsGraphic(r): // control and format characters would act on a terminal
			continue
		}
		if gap {
			word, gap = len(line), false
			line = append(line, ' ')
		}
		if line = append(line, r); len(line) > maxTitle {
			// A word longer than half of the line is cut, as is a script that
			// puts no spaces.
			end := maxTitle - 1
			if word > maxTitle/2 && word < end {
				end = word
			}
			return strings.TrimRightFunc(string(line[:end]), unicode.IsSpace) + "…"
		}
	}
	return string(line)
}
