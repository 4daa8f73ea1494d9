package snapshot

import (
	"iter"
	"maps"
	"slices"
	"strings"
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

// mostIllegible is the largest share of a text that pages may make illegible. It
// is small because shares mislead: in a session of work, code and the output of
// tools are nearly all of the text, and a hundredth may be every word that the
// person said in a language of their own. A name or a quotation is less.
const mostIllegible = 0.01

// StaysText reports whether a text is better kept as text than put on pages. A
// model that does not know a script makes words up, and does not say so.
func (l Legibility) StaysText() bool { return l.Share() >= mostIllegible }

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
func Legible(text string) Legibility { return legible(strings.Lines(text)) }

// LegibleSource is [Legible] for all text of a source.
func LegibleSource(src []Segment) Legibility {
	return legible(func(yield func(string) bool) {
		for i := range src {
			for line := range strings.Lines(src[i].Text) {
				if !yield(line) {
					return
				}
			}
		}
	})
}

func legible(lines iter.Seq[string]) Legibility {
	var l Legibility
	found := map[string]bool{}
	for line := range lines {
		if isASCII(line) { // most are
			l.Characters += len(line)
			continue
		}
		var p paragraph
		for _, r := range line {
			l.Characters++
			p.add(r)
			if r < 0x530 || unicode.In(r, readable...) || !unicode.In(r, unicode.L, unicode.M) {
				continue
			}
			l.Illegible++
			found[scriptName(r)] = true
		}
		if n := p.misordered(); n > 0 {
			l.Illegible += n
			found[Mixed] = true
		}
	}
	l.Scripts = slices.Sorted(maps.Keys(found))
	return l
}

// isASCII looks at eight bytes at a time.
func isASCII(s string) bool {
	for ; len(s) >= 8; s = s[8:] {
		if (s[0]|s[1]|s[2]|s[3]|s[4]|s[5]|s[6]|s[7])&0x80 != 0 {
			return false
		}
	}
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
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
