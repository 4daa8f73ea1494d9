package snapshot

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A token is the smallest piece of a text that a page never splits.
type token struct {
	kind tokenKind
	end  int    // offset in the text behind the token
	n    int    // spaces of tokenSpaces; the indentation of tokenNewline
	r    rune   // of tokenRune and tokenControl; the ligature of tokenLamAlef
	text string // of tokenComposed: the token in NFC
}

type tokenKind uint8

const (
	tokenPlain    tokenKind = iota // printable ASCII; the only kind that may be split
	tokenSpaces                    // 3 to maxCount spaces
	tokenNewline                   // a line feed and up to maxCount spaces
	tokenTab                       //
	tokenReturn                    //
	tokenControl                   // another control character
	tokenANSI                      // a terminal control sequence
	tokenBytes                     // bytes that are not UTF-8
	tokenComposed                  // characters that NFC rewrites
	tokenRune                      // a character in a stretch of text that is in NFC
	tokenLamAlef                   // two Arabic letters that are written as one
)

// A lexer splits a text into tokens. It looks ahead a little, never back, so
// the tokens from an offset on do not depend on what is before it.
type lexer struct {
	s      string
	normTo int // up to here the text is known to be in NFC
}

const (
	minRun      = len(threeSpaces) // spaces in a tokenSpaces; fewer are drawn as they are
	threeSpaces = "   "
	maxByteRun  = 16   // bytes in one tokenBytes
	normWindow  = 4096 // bytes looked at by one check for NFC
)

// next returns the token at offset i, which is inside the text. A plain token
// is at most limit bytes long; limit must be positive.
func (x *lexer) next(i, limit int) token {
	if end := x.plainEnd(i, limit); end > i {
		return token{kind: tokenPlain, end: end}
	}
	switch c := x.s[i]; {
	case c == ' ':
		if n := x.spaces(i); n >= minRun {
			return token{kind: tokenSpaces, end: i + n, n: n}
		}
	case c == '\n':
		n := x.spaces(i + 1)
		return token{kind: tokenNewline, end: i + 1 + n, n: n}
	case c == '\t':
		return token{kind: tokenTab, end: i + 1}
	case c == '\r':
		return token{kind: tokenReturn, end: i + 1}
	case c == escape:
		if n := ansiLength(x.s[i:]); n > 0 {
			return token{kind: tokenANSI, end: i + n}
		}
		return token{kind: tokenControl, end: i + 1, r: escape}
	case c < ' ' || c == 0x7F:
		return token{kind: tokenControl, end: i + 1, r: rune(c)}
	}
	return x.character(i)
}

// plainEnd returns the end of the plain text at i. A plain character before
// one that is not ASCII is left to character, since NFC may combine the two.
func (x *lexer) plainEnd(i, limit int) int {
	s := x.s
	j, end := i, min(i+limit, len(s))
	for j < end && ' ' <= s[j] && s[j] <= '~' {
		if s[j] == ' ' && strings.HasPrefix(s[j:], threeSpaces) {
			break
		}
		j++
	}
	if j > i && j < len(s) && s[j] >= utf8.RuneSelf {
		j--
	}
	return j
}

// spaces counts the spaces at i, up to maxCount.
func (x *lexer) spaces(i int) int {
	n := 0
	for n < maxCount && i+n < len(x.s) && x.s[i+n] == ' ' {
		n++
	}
	return n
}

// character returns the token at i, where NFC may matter.
func (x *lexer) character(i int) token {
	if n := invalidBytes(x.s[i:]); n > 0 {
		return token{kind: tokenBytes, end: i + n}
	}
	if i >= x.normTo {
		to := min(i+normWindow, len(x.s))
		n, _ := norm.NFC.SpanString(x.s[i:to], to == len(x.s))
		x.normTo = i + n
	}
	if i < x.normTo {
		r, size := utf8.DecodeRuneInString(x.s[i:])
		if r < 0xA0 && r >= 0x7F { // C1 controls
			return token{kind: tokenControl, end: i + size, r: r}
		}
		if r == arabicLam {
			if ligature, length := lamAlef(x.s[i:x.normTo]); ligature != 0 {
				return token{kind: tokenLamAlef, end: i + length, r: ligature}
			}
		}
		return token{kind: tokenRune, end: i + size, r: r}
	}
	window := x.s[i:min(i+normWindow, len(x.s))]
	n := norm.NFC.NextBoundaryInString(window, true)
	return token{kind: tokenComposed, end: i + n, text: norm.NFC.String(window[:n])}
}

// invalidBytes counts the bytes at the start of s that are not UTF-8, up to
// maxByteRun.
func invalidBytes(s string) int {
	n := 0
	for n < maxByteRun && n < len(s) {
		if r, size := utf8.DecodeRuneInString(s[n:]); r != utf8.RuneError || size != 1 {
			break
		}
		n++
	}
	return n
}
