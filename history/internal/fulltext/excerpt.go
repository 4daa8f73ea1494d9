package fulltext

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stemma-history/stemma/message"
)

// How much of the text around a match an excerpt shows, in bytes.
const (
	excerptBefore = 60
	excerptAfter  = 120
)

// Excerpt returns one line around the first match of a query in a message, and
// the byte range of the match in it.
func Excerpt(m *message.Message, q Query) (line string, match [2]int) {
	var first string
	for piece := range Pieces(m) {
		if start, end, ok := q.first(Words(piece)); ok {
			return around(piece, start, end)
		}
		if first == "" {
			first = piece
		}
	}
	line, _ = around(first, 0, 0) // the phrase goes over two pieces
	return line, match
}

// first returns the byte range of the first phrase that occurs among words.
func (q Query) first(words []Word) (start, end int, ok bool) {
	for i := range words {
		for _, p := range q.Phrases {
			if p.at(words[i:]) {
				return words[i].Start, words[i+len(p.Words)-1].End, true
			}
		}
	}
	return 0, 0, false
}

// around returns the line around text[start:end].
func around(text string, start, end int) (line string, match [2]int) {
	from, to := max(start-excerptBefore, 0), min(end+excerptAfter, len(text))
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	before := strings.TrimLeft(oneLine(text[from:start]), " ")
	if from > 0 {
		before = "…" + before
	}
	found := oneLine(text[start:end])
	after := strings.TrimRight(oneLine(text[end:to]), " ")
	if to < len(text) {
		after += "…"
	}
	return before + found + after, [2]int{len(before), len(before) + len(found)}
}

// oneLine puts one space for each run of spaces and control characters.
func oneLine(s string) string {
	var b strings.Builder
	space := false
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			if !space {
				b.WriteByte(' ')
			}
			space = true
			continue
		}
		space = false
		b.WriteRune(r)
	}
	return b.String()
}
