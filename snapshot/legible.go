package snapshot

import (
	"maps"
	"slices"
	"unicode"
	"unicode/utf8"
)

// A Legibility tells how much of a text is in scripts that models do not read
// from pages.
type Legibility struct {
	Characters int      // of the text
	Illegible  int      // of them, letters and marks of such scripts
	Scripts    []string // their names in Unicode, sorted
}

// Share returns the illegible share of the characters.
func (l Legibility) Share() float64 {
	if l.Characters == 0 {
		return 0
	}
	return float64(l.Illegible) / float64(l.Characters)
}

// readable are the scripts that pages show as a reader expects them, and that
// models were found to read from images; they read fewer than ten, and make
// words up in the rest (GlotOCR Bench, arXiv 2604.12978). Devanagari, Thai and
// others would need shaping that cells cannot give.
var readable = []*unicode.RangeTable{
	unicode.Common, unicode.Inherited,
	unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic,
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
}

// Legible looks for scripts that should stay text. Pages keep them without
// loss all the same.
func Legible(text string) Legibility {
	var l Legibility
	found := map[string]bool{}
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		i += size
		l.Characters++
		if r < 0x530 || unicode.In(r, readable...) || !unicode.In(r, unicode.L, unicode.M) {
			continue
		}
		l.Illegible++
		found[scriptName(r)] = true
	}
	l.Scripts = slices.Sorted(maps.Keys(found))
	return l
}

func scriptName(r rune) string {
	for name, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			return name
		}
	}
	return "Unknown"
}
