package snapshot

import "strings"

// Canonical returns the text that pages keep of s, byte for byte: what Read
// gives back. Two things are gone for good. Terminal control sequences (ECMA-48:
// colours, cursor movements, titles, links) are taken out; and what is UTF-8
// is in Unicode's normalisation form C, as golang.org/x/text writes it.
// Everything else stays, control characters, blanks at line ends and bytes
// that are not UTF-8 included.
//
// A source's canonical text is that of its segments, one after the other.
func Canonical(s string) string {
	var b strings.Builder
	x := lexer{s: s}
	kept := 0 // s[kept:i] is to be written as it is
	for i := 0; i < len(s); {
		t := x.next(i, len(s))
		if t.kind == tokenANSI || t.kind == tokenComposed {
			b.WriteString(s[kept:i])
			if t.kind == tokenComposed {
				b.WriteString(x.composed)
			}
			kept = t.end
		}
		i = t.end
	}
	if kept == 0 {
		return s
	}
	b.WriteString(s[kept:])
	return b.String()
}

const escape = 0x1B

// maxControlString bounds the text inside an operating system command or
// another control string, so that a stray ESC cannot swallow a text.
const maxControlString = 2048

// ansiLength returns the length of the terminal control sequence that s
// begins with, an ESC; 0 where it is none or not whole. The forms are those of
// ECMA-48.
func ansiLength(s string) int {
	if len(s) < 2 {
		return 0
	}
	switch c := s[1]; {
	case c == '[':
		return csiLength(s)
	case c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_':
		return controlStringLength(s)
	case 0x20 <= c && c <= 0x2F: // intermediate bytes, then a final one
		i := 1
		for i < len(s) && i < 4 && 0x20 <= s[i] && s[i] <= 0x2F {
			i++
		}
		if i < len(s) && 0x30 <= s[i] && s[i] <= 0x7E {
			return i + 1
		}
	case 0x30 <= c && c <= 0x7E:
		return 2
	}
	return 0
}

// csiLength measures ESC [ parameters intermediates final.
func csiLength(s string) int {
	const most = 64
	i := 2
	for i < len(s) && i < most && 0x30 <= s[i] && s[i] <= 0x3F {
		i++
	}
	for i < len(s) && i < most && 0x20 <= s[i] && s[i] <= 0x2F {
		i++
	}
	if i < len(s) && 0x40 <= s[i] && s[i] <= 0x7E {
		return i + 1
	}
	return 0
}

// controlStringLength measures ESC ] or another opener, printable text, and
// BEL or ESC \ at its end.
func controlStringLength(s string) int {
	for i := 2; i < len(s) && i < maxControlString; i++ {
		switch c := s[i]; {
		case c == '\a':
			return i + 1
		case c == escape:
			if i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
			return 0
		case c < ' ':
			return 0
		}
	}
	return 0
}
