package fulltext

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWord is where a word is cut: nobody types the rest of it, and encoded
// data without spaces must not fill the index.
const maxWord = 64

// A Word is one word of a text, folded, and where it stands.
type Word struct {
	Text       string
	Start, End int // bytes
}

// Words returns the words of a text.
func Words(text string) []Word {
	var words []Word
	var buf []byte
	scan(text, func(start, end int) {
		buf = appendFolded(buf[:0], text[start:end])
		if len(buf) > 0 {
			words = append(words, Word{string(buf), start, end})
		}
	})
	return words
}

// AppendWords appends the words of a text to dst, each with a space behind it.
func AppendWords(dst []byte, text string) []byte {
	scan(text, func(start, end int) {
		n := len(dst)
		if dst = appendFolded(dst, text[start:end]); len(dst) > n {
			dst = append(dst, ' ')
		}
	})
	return dst
}

// scan calls f with the bounds of each word.
func scan(text string, f func(start, end int)) {
	start := -1
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		inWord, alone := classify(r)
		if (!inWord || alone) && start >= 0 {
			f(start, i)
			start = -1
		}
		switch {
		case alone:
			f(i, i+size)
		case inWord && start < 0:
			start = i
		}
		i += size
	}
	if start >= 0 {
		f(start, len(text))
	}
}

// classify says whether r belongs to words, and whether it is one by itself.
func classify(r rune) (inWord, alone bool) {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z', false
	}
	if r == utf8.RuneError || !unicode.In(r, unicode.L, unicode.N, unicode.M) {
		return false, false
	}
	return true, spaceless(r) && !unicode.Is(unicode.M, r)
}

// spaceless reports whether r is of a script that puts no spaces between words.
func spaceless(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Bopomofo, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// appendFolded appends a word in lower case, without diacritics, in the
// compatibility form (full-width letters as plain ones).
func appendFolded(dst []byte, word string) []byte {
	start := len(dst)
	for _, r := range word {
		switch {
		case 'A' <= r && r <= 'Z':
			dst = append(dst, byte(r)+'a'-'A')
		case r < utf8.RuneSelf:
			dst = append(dst, byte(r))
		case spaceless(r): // 가 and が are letters of their own, not marked ones
			dst = utf8.AppendRune(dst, r)
		default:
			dst = appendDecomposed(dst, r)
		}
		if len(dst)-start > maxWord {
			return cut(dst, start+maxWord)
		}
	}
	return dst
}

func appendDecomposed(dst []byte, r rune) []byte {
	for _, part := range norm.NFKD.String(string(r)) {
		if in, _ := classify(part); in && !unicode.Is(unicode.Mn, part) {
			dst = utf8.AppendRune(dst, unicode.ToLower(part))
		}
	}
	return dst
}

// cut shortens b to at most n bytes without splitting a character.
func cut(b []byte, n int) []byte {
	for !utf8.RuneStart(b[n]) {
		n--
	}
	return b[:n]
}
