package o200k

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A kind is what the encoding makes of a character.
type kind uint8

const (
	upper    kind = 1 << iota // also title case
	lower                     //
	caseless                  // letters without case, and modifiers
	mark                      // accents that follow their letter
	number                    //
	newline                   // CR and LF
	blank                     // other white space
	sign                      // all else
)

func (k kind) in(kinds kind) bool { return k&kinds != 0 }

// first returns the kind and the size in bytes of the first character, 0 and 0
// where there is none.
func first(text string) (kind, int) {
	if text == "" {
		return 0, 0
	}
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case r == '\n' || r == '\r':
		return newline, size
	case unicode.IsSpace(r):
		return blank, size
	case unicode.IsLower(r):
		return lower, size
	case unicode.IsUpper(r) || unicode.IsTitle(r):
		return upper, size
	case unicode.IsLetter(r):
		return caseless, size
	case unicode.IsNumber(r):
		return number, size
	case unicode.IsMark(r):
		return mark, size
	}
	return sign, size
}

// run returns where the characters of some kinds end that begin at start, at most
// so many of them.
func run(text string, start int, kinds kind, most int) int {
	for range most {
		k, size := first(text[start:])
		if !k.in(kinds) {
			break
		}
		start += size
	}
	return start
}

// pieceEnd returns where the first piece of a text ends. It does what the
// encoding's regular expression does (in tiktoken, openai_public.py), which
// takes the first that fits of
//
//	a word     [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	capitals   [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	a number   \p{N}{1,3}
//	signs       ?[^\s\p{L}\p{N}]+[\r\n/]*
//	lines      \s*[\r\n]+
//	space      \s+(?!\S)|\s+
func pieceEnd(text string) int {
	k, size := first(text)
	switch {
	case k.in(upper | lower | caseless | mark):
		return wordEnd(text, 0)
	case k.in(number):
		return run(text, 0, number, 3)
	case k.in(newline):
		return spaceEnd(text)
	}
	if end := wordEnd(text, size); end > size {
		return end
	}
	if k.in(sign) {
		size = 0
	} else if text[0] != ' ' {
		return spaceEnd(text)
	}
	if end := signsEnd(text, size); end > size {
		return end
	}
	return spaceEnd(text)
}

// wordEnd returns where a word or capitals end, start where there are none.
func wordEnd(text string, start int) int {
	capitals, caselessEnd := start, start // a word without small letters ends with the last of the latter
	for {
		k, size := first(text[capitals:])
		if !k.in(upper | caseless | mark) {
			break
		}
		capitals += size
		if !k.in(upper) {
			caselessEnd = capitals
		}
	}
	end := run(text, capitals, lower|caseless|mark, len(text))
	if end == capitals && caselessEnd > start {
		end = caselessEnd
	}
	if end > start {
		end += contraction(text[end:])
	}
	return end
}

// contraction returns the length of an ending like that of "it's".
func contraction(text string) int {
	if text == "" || text[0] != '\'' {
		return 0
	}
	for _, ending := range []string{"'s", "'ſ", "'t", "'re", "'ve", "'m", "'ll", "'d"} {
		if len(text) >= len(ending) && strings.EqualFold(text[:len(ending)], ending) {
			return len(ending)
		}
	}
	return 0
}

// signsEnd returns where signs end with the lines and slashes after them, start
// where there are none.
func signsEnd(text string, start int) int {
	end := run(text, start, sign|mark, len(text))
	if end == start {
		return start
	}
	return len(text) - len(strings.TrimLeft(text[end:], "\r\n/"))
}

// spaceEnd returns where white space ends: after its last line, else before a
// blank that belongs to what follows.
func spaceEnd(text string) int {
	end, last, line := 0, 0, 0
	for {
		k, size := first(text[end:])
		if !k.in(newline | blank) {
			break
		}
		last, end = end, end+size
		if k == newline {
			line = end
		}
	}
	switch {
	case line > 0:
		return line
	case end < len(text) && last > 0:
		return last
	}
	return end
}
