package snapshot

import "github.com/stemma-history/stemma/snapshot/internal/font"

// A page is a flow of cells without line breaks: what a text says with line
// breaks, indentation and invisible characters, a page says with marks. A mark
// is a tile, a letter or sign in white on black, so that no character of a
// text can be taken for one, and none needs escaping.
//
//	¶          a new line
//	A-Z        a new line, indented by 1 to 26 spaces
//	_          a run of 3 to 26 spaces; a tile C-Z with their number follows
//	>  <       a tab; a carriage return
//	u … ;      a character written as its code point, in hexadecimal
//	x … ;      bytes that are not UTF-8, in hexadecimal
//	l  g  c    the letters from here on are Latin, Greek, Cyrillic; only where
//	           a letter would else read as its twin in another alphabet
//	n  m  i    a no-break space; a narrow one; an ideographic space
//	v  j  w    an emoji variation selector; a joiner; a zero width space
//	h          a soft hyphen
//	/          the rest of the row is empty
//
// Counts are letters, not digits: a digit before a line's number or a file's
// size would be read as part of it.
const (
	tileBase cell = font.TileBase

	markNewline = tileBase + '\n' // drawn as ¶
	markSpaces  = tileBase + '_'
	markTab     = tileBase + '>'
	markReturn  = tileBase + '<'
	markCode    = tileBase + 'u'
	markBytes   = tileBase + 'x'
	markEnd     = tileBase + ';'
	markRowEnd  = tileBase + '/'
)

// A cell is what one cell of a page shows: a character or tile in the low
// bits, and flags. It is a number so that a page of cells is what package
// deflate takes.
type cell = uint32

const (
	codeMask  cell = 1<<21 - 1
	rightHalf cell = 1 << 21 // the right half of a wide character
	greyInk   cell = 1 << 22
)

func tile(c byte) cell { return tileBase + cell(c) }

func isTile(c cell) bool { return c&codeMask >= tileBase }

// maxCount is the largest number one count tile can tell.
const maxCount = 26

// countTile returns the tile for a number from 1 to maxCount.
func countTile(n int) cell { return tile('A' + byte(n-1)) }

// countOf returns the number of a count tile.
func countOf(c cell) (n int, ok bool) {
	b := c&codeMask - tileBase
	return int(b-'A') + 1, 'A' <= b && b <= 'Z'
}

// newlineTile returns the tile for a new line with an indentation.
func newlineTile(spaces int) cell {
	if spaces == 0 {
		return markNewline
	}
	return countTile(spaces)
}

// silent maps characters without a picture of their own, that texts do use, to
// their tiles.
func silent(r rune) (c cell, ok bool) {
	switch r {
	case '\u00A0':
		return tile('n'), true
	case '\u202F':
		return tile('m'), true
	case '\u3000':
		return tile('i'), true
	case '\uFE0F':
		return tile('v'), true
	case '\u200D':
		return tile('j'), true
	case '\u200B':
		return tile('w'), true
	case '\u00AD':
		return tile('h'), true
	}
	return 0, false
}

// silentOf is the inverse of silent.
func silentOf(c cell) (r rune, ok bool) {
	for _, r := range "\u00A0\u202F\u3000\uFE0F\u200D\u200B\u00AD" {
		if t, _ := silent(r); t == c&codeMask {
			return r, true
		}
	}
	return 0, false
}

// scriptTile returns the mark that letters of a script follow.
func scriptTile(s font.Script) cell { return tile(" lgc"[s]) }

func scriptOf(c cell) (s font.Script, ok bool) {
	for s := font.Latin; s <= font.Cyrillic; s++ {
		if c&codeMask == scriptTile(s) {
			return s, true
		}
	}
	return 0, false
}
