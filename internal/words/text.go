package words

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// Printable takes control characters out of a text, so that a stored one cannot
// steer the terminal it is shown on. Line ends and tabs stay.
func Printable(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, isControl) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if isControl(r) {
			return -1
		}
		return r
	}, ansi.Strip(strings.ToValidUTF8(text, "\uFFFD")))
}

func isControl(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r >= 0x7F && r < 0xA0
}

// OneLine makes a text printable in one line, such as a cell of a table.
func OneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' {
			return ' '
		}
		return r
	}, Printable(text))
}

// Speaker is who an entry is from, for people; role is empty for compactions.
func Speaker(role message.Role, author message.Author) string {
	switch {
	case role == "":
		return "compaction"
	case role == message.User && author != message.ByPerson:
		return string(author) // a harness's reminder, a digest: not the person's words
	}
	return string(role)
}

// minShortID is the shortest beginning of an id that is shown: the next ids of
// a growing store begin differently from 65 seconds on.
const minShortID = 8

// ShortIDs returns for each id the shortest beginning that no other has.
func ShortIDs(ids []history.ID) map[history.ID]string {
	sorted := slices.SortedFunc(slices.Values(ids), func(a, b history.ID) int { return bytes.Compare(a[:], b[:]) })
	short := make(map[history.ID]string, len(ids))
	for i, id := range sorted {
		n := minShortID
		if i > 0 {
			n = max(n, 1+commonLength(id.String(), sorted[i-1].String()))
		}
		if i+1 < len(sorted) {
			n = max(n, 1+commonLength(id.String(), sorted[i+1].String()))
		}
		short[id] = id.String()[:min(n, len(id.String()))]
	}
	return short
}

func commonLength(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
