package snapshot

import (
	"slices"
	"unicode"

	"github.com/stemma-history/stemma/snapshot/internal/font"
)

// Hebrew and Arabic run from right to left. A row of cells is set in the
// order of the text; turnRow puts it in the order of the eye, and, since it
// is its own inverse, back again. It is the bidirectional algorithm cut down
// to what a flow of cells needs: every row runs from left to right, and so
// does all in it but the stretches from one right-to-left letter to another
// with nothing left-to-right between.

// turnRow turns the right-to-left stretches of a row.
func turnRow(row []cell) {
	for i := 0; i < len(row); {
		if directionAt(row, i) != rightToLeft {
			i++
			continue
		}
		end := i + 1
		for j := end; j < len(row) && directionAt(row, j) != leftToRight; j++ {
			if directionAt(row, j) == rightToLeft {
				end = j + 1
			}
		}
		turn(row[i:end])
		i = end
	}
}

// turn reverses a stretch, but for the numbers in it, and mirrors its
// brackets.
func turn(stretch []cell) {
	slices.Reverse(stretch)
	for i := 0; i < len(stretch); i++ {
		if directionAt(stretch, i) != number {
			stretch[i] = mirrored(stretch[i])
			continue
		}
		end := i + 1
		for end < len(stretch) && (directionAt(stretch, end) == number ||
			isSeparator(stretch[end]) && end+1 < len(stretch) && directionAt(stretch, end+1) == number) {
			end++
		}
		slices.Reverse(stretch[i:end])
		i = end - 1
	}
}

type direction uint8

const (
	neutral direction = iota
	leftToRight
	rightToLeft
	number
)

// directionAt returns the direction of a cell. Wide characters, whose halves
// must stay where they are, and tiles all run from left to right.
func directionAt(row []cell, i int) direction {
	r := rune(row[i] & codeMask)
	switch {
	case row[i]&rightHalf != 0 || i+1 < len(row) && row[i+1]&rightHalf != 0 || r >= font.TileBase:
		return leftToRight
	case '0' <= r && r <= '9', 0x660 <= r && r <= 0x669, 0x6F0 <= r && r <= 0x6F9:
		return number
	case r < 0x80:
		if c := r | 0x20; 'a' <= c && c <= 'z' {
			return leftToRight
		}
		return neutral
	case isRightToLeft(r):
		return rightToLeft
	case unicode.In(r, unicode.P, unicode.S, unicode.Mn):
		return neutral
	}
	return leftToRight
}

// isRightToLeft tells whether a character is Hebrew or Arabic.
func isRightToLeft(r rune) bool {
	return 0x590 <= r && r < 0x780 && !(0x660 <= r && r <= 0x669) && !(0x6F0 <= r && r <= 0x6F9) ||
		0xFB1D <= r && r < 0xFE00 || 0xFE70 <= r && r < 0xFEFF
}

// isSeparator tells whether a character between two digits belongs to the
// number.
func isSeparator(c cell) bool {
	switch c & codeMask {
	case '.', ',', ':', '/', '-':
		return true
	}
	return false
}

func mirrored(c cell) cell {
	m := c & codeMask
	switch m {
	case '(':
		m = ')'
	case ')':
		m = '('
	case '[':
		m = ']'
	case ']':
		m = '['
	case '{':
		m = '}'
	case '}':
		m = '{'
	case '<':
		m = '>'
	case '>':
		m = '<'
	case '«':
		m = '»'
	case '»':
		m = '«'
	}
	return c&^codeMask | m
}
