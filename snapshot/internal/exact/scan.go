package exact

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// MaxLen is the longest exact string in bytes: a SHA-512 in hexadecimal and a
// little more. Longer ones (tokens, blobs in base64) would fill an index alone.
const MaxLen = 160

// byteKind tells what a byte can be in a token, as flags, so that a token's
// bytes add up to what it may hold.
type byteKind uint8

const (
	digit     byteKind = 1 << iota
	lower              // a–z
	upper              // A–Z
	slash              // /
	joiner             // _ . - : and others that stand inside a token
	backslash          // ends a token, with the escape it begins
	high               // a byte of a character outside ASCII

	plain = digit | lower | upper | slash | joiner
)

// byteKinds is the kind of each byte; 0 separates tokens.
var byteKinds = sync.OnceValue(func() *[256]byteKind {
	var kinds [256]byteKind
	for b := range kinds {
		switch {
		case '0' <= b && b <= '9':
			kinds[b] = digit
		case 'a' <= b && b <= 'z':
			kinds[b] = lower
		case 'A' <= b && b <= 'Z':
			kinds[b] = upper
		case b == '/':
			kinds[b] = slash
		case strings.IndexByte("_.-:@%+~#=", byte(b)) >= 0:
			kinds[b] = joiner
		case b == '\\':
			kinds[b] = backslash
		case b >= utf8.RuneSelf:
			kinds[b] = high
		}
	}
	return &kinds
})

// A token is a run of bytes without space, quotes or brackets.
type token struct {
	start, end int
	seen       byteKind // of all its bytes
}

// shortestWord is the length from which letters alone can be a key: capitals
// in a shorter one say too little.
const shortestWord = 8

// tokens yields the tokens of text that could be or hold an exact string:
// those with more than lower-case letters. Plain
// words, most of any text, cost one look-up a byte.
func tokens(text string, yield func(token) bool) {
	kinds := byteKinds()
	for i := 0; i < len(text); {
		switch kinds[text[i]] {
		case 0:
			i++
			continue
		case backslash:
			i += escapeLen(text[i:])
			continue
		}
		t := token{start: i, end: i}
		for {
			t.end, t.seen = run(text, t.end, t.seen, kinds)
			n := 0
			if t.end < len(text) && kinds[text[t.end]] == high {
				n = letterLen(text, t)
			}
			if n == 0 {
				break
			}
			t.end += n
			t.seen |= high
		}
		if t.end == i { // a character outside ASCII that is no letter
			_, n := utf8.DecodeRuneInString(text[i:])
			i += n
			continue
		}
		extend(text, &t, kinds)
		i = t.end
		least := 4
		if t.seen&^(lower|upper|high) == 0 {
			least = shortestWord
		}
		if t.seen&^(lower|high) != 0 && t.end-t.start >= least && !yield(t) {
			return
		}
	}
}

// run returns the end of the plain characters from i on, and their kinds.
func run(text string, i int, seen byteKind, kinds *[256]byteKind) (int, byteKind) {
	for i < len(text) {
		k := kinds[text[i]]
		if k&plain == 0 {
			break
		}
		seen |= k
		i++
	}
	return i, seen
}

// extend lengthens a token over what only a URL or a Windows path may hold.
func extend(text string, t *token, kinds *[256]byteKind) {
	switch {
	case t.seen&slash != 0 && strings.Contains(text[t.start:t.end], "://"):
		for t.end < len(text) && (kinds[text[t.end]]&plain != 0 || strings.IndexByte("?&,;!$*(", text[t.end]) >= 0) {
			t.end++
		}
	case t.end-t.start == 2 && text[t.end-1] == ':' && t.seen&(lower|upper) != 0 && strings.HasPrefix(text[t.end:], `\`):
		for t.end < len(text) && kinds[text[t.end]]&^high != 0 {
			t.seen |= kinds[text[t.end]]
			t.end++
		}
	}
}

// escapeLen is the length of the escape at the beginning of s, as JSON and
// most languages write it: what follows it is a new token, not "nmain.go".
func escapeLen(s string) int {
	if len(s) < 2 {
		return 1
	}
	switch s[1] {
	case 'n', 'r', 't', 'b', 'f', '"', '/', '\\':
		return 2
	case 'u':
		return min(6, len(s))
	}
	return 1
}

// letterLen is the length of the letter outside ASCII that continues t, 0 if
// there is none. Scripts written without spaces continue a token only inside a
// path (/home/用户/x): elsewhere they are the prose around it.
func letterLen(text string, t token) int {
	r, n := utf8.DecodeRuneInString(text[t.end:])
	if r == utf8.RuneError || !unicode.In(r, unicode.L, unicode.M, unicode.N) {
		return 0
	}
	if r < 0x2E80 || t.seen&slash != 0 && unspacedMayFollow(text[t.start:t.end]) {
		return n
	}
	return 0
}

// unspacedMayFollow tells whether an ideograph after s is part of the same
// name: s ends at the beginning of a name, or in an ideograph that was.
func unspacedMayFollow(s string) bool {
	last, _ := utf8.DecodeLastRuneInString(s)
	return last >= 0x2E80 || strings.ContainsRune("/_-.", last)
}
