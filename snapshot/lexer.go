package snapshot

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A token is the smallest piece of a text that a page never splits.
type token struct {
	kind tokenKind
	n    uint8 // spaces of tokenSpaces; the indentation of tokenNewline
	r    rune  // of tokenRune and tokenControl; the ligature of tokenLamAlef
	end  int   // offset in the text behind the token
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
	s        string
	normTo   int    // up to here the text is known to be in NFC
	composed string // the last tokenComposed in NFC
}

const (
	minRun      = len(threeSpaces) // spaces in a tokenSpaces; fewer are drawn as they are
	threeSpaces = "   "
	maxByteRun  = 16   // bytes in one tokenBytes
	normWindow  = 128  // bytes looked at by one check for NFC
	normSegment = 4096 // bytes of characters that combine
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
			return token{kind: tokenSpaces, end: i + n, n: uint8(n)}
		}
	case c == '\n':
		n := x.spaces(i + 1)
		return token{kind: tokenNewline, end: i + 1 + n, n: uint8(n)}
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
	for j+8 <= end && isPlain(s[j:j+8]) {
		j += 6 // so that no three spaces fall between two steps
	}
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

// isPlain tells whether the eight bytes of s are printable ASCII, with no three
// spaces in a row.
func isPlain(s string) bool {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	v := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	if (v|(v+ones)|(v-' '*ones))&high != 0 {
		return false
	}
	other := v ^ ' '*ones // zero where there is a space
	spaces := ^(other + (high - ones)) & high
	return spaces&(spaces>>8)&(spaces>>16) == 0
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
	r, size := utf8.DecodeRuneInString(x.s[i:])
	switch {
	case isStable(r) && r != arabicLam && x.stableAt(i+size):
		return token{kind: tokenRune, end: i + size, r: r}
	case r == utf8.RuneError && size == 1:
		return token{kind: tokenBytes, end: i + invalidBytes(x.s[i:])}
	case 0x7F <= r && r < 0xA0: // C1 controls
		return token{kind: tokenControl, end: i + size, r: r}
	}
	if i >= x.normTo {
		to := min(i+normWindow, len(x.s))
		n, _ := norm.NFC.SpanString(x.s[i:to], to == len(x.s))
		x.normTo = i + n
	}
	if i >= x.normTo { // a character that may have to change, with those that combine with it
		window := x.s[i:min(i+normSegment, len(x.s))]
		n := norm.NFC.NextBoundaryInString(window, true)
		if text := norm.NFC.String(window[:n]); text != window[:n] {
			x.composed = text
			return token{kind: tokenComposed, end: i + n}
		}
		x.normTo = i + n
	}
	if r == arabicLam {
		if ligature, length := lamAlef(x.s[i:x.normTo]); ligature != 0 {
			return token{kind: tokenLamAlef, end: i + length, r: ligature}
		}
	}
	return token{kind: tokenRune, end: i + size, r: r}
}

// stableAt tells whether what is at offset i cannot combine with what is
// before it.
func (x *lexer) stableAt(i int) bool {
	if i >= len(x.s) || x.s[i] < utf8.RuneSelf {
		return true
	}
	r, _ := utf8.DecodeRuneInString(x.s[i:])
	return isStable(r)
}

// isStable tells, of the characters of most texts, that NFC leaves them as they
// are and combines them with nothing before. It saves asking package norm,
// which takes longer than all the rest; for others it answers no.
func isStable(r rune) bool {
	switch {
	case r < 0x300:
		return r < 0x7F || r >= 0xA0
	case r < 0x530: // Greek and Cyrillic
		return r >= 0x391 && (r < 0x483 || r >= 0x48A)
	case r < 0x2010: // Hebrew and Arabic letters, Vietnamese
		return 0x5D0 <= r && r < 0x5EB || 0x621 <= r && r < 0x64B || 0x1E00 <= r && r < 0x1F00
	case r < 0x2600: // punctuation, currencies, arrows, mathematics, boxes
		return r < 0x2027 || 0x20A0 <= r && r < 0x20C0 || 0x2190 <= r && r < 0x2300 || r >= 0x2500
	case r < 0x3000:
		return false
	case r < 0x3097: // CJK punctuation and hiragana
		return r < 0x302A || r >= 0x3041
	case r < 0x30FB: // katakana
		return r >= 0x30A1
	}
	return 0x4E00 <= r && r < 0xA000 || 0xAC00 <= r && r < 0xD7A4 || 0xFF01 <= r && r < 0xFF61
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
