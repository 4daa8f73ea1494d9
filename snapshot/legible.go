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
	Scripts    []string // their names in Unicode, or Mixed, sorted
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

// Mixed stands among the scripts of a text for paragraphs that begin in Hebrew or
// Arabic and have words in it that run from left to right: the rows of a page all
// run from left to right, so that the stretches of such a paragraph stand in the
// wrong order for the eye.
const Mixed = "mixed directions"

// Legible looks for text that should stay text: in scripts that models do not
// read, or of mixed directions. Pages keep it without loss all the same.
func Legible(text string) Legibility {
	var l Legibility
	found := map[string]bool{}
	var p paragraph
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		i += size
		l.Characters++
		p.add(r)
		if r == '\n' || i == len(text) {
			if n := p.misordered(); n > 0 {
				l.Illegible += n
				found[Mixed] = true
			}
			p = paragraph{}
		}
		if r < 0x530 || unicode.In(r, readable...) || !unicode.In(r, unicode.L, unicode.M) {
			continue
		}
		l.Illegible++
		found[scriptName(r)] = true
	}
	l.Scripts = slices.Sorted(maps.Keys(found))
	return l
}

// A paragraph is what matters of one for its direction, which is that of its
// first letter (Unicode Standard Annex 9, rules P2 and P3).
type paragraph struct {
	rightToLeft int  // letters
	leftToRight bool // there are such letters too
	begun       bool // from left to right
}

func (p *paragraph) add(r rune) {
	switch {
	case 'a' <= r|0x20 && r|0x20 <= 'z' || 0xC0 <= r && r < 0x530 && unicode.IsLetter(r):
		p.leftToRight = true
		p.begun = p.begun || p.rightToLeft == 0
	case r >= 0x590 && isRightToLeft(r):
		p.rightToLeft++
	}
}

// misordered returns how many letters stand in stretches that a page shows in
// the wrong order.
func (p *paragraph) misordered() int {
	if p.begun || !p.leftToRight {
		return 0
	}
	return p.rightToLeft
}

func scriptName(r rune) string {
	for name, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			return name
		}
	}
	return "Unknown"
}
