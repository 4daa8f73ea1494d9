package exact

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// A Class is the kind of an exact string. They are ordered: first what a
// reader of an image is most likely to misread, and least able to guess.
type Class uint8

const (
	Hex     Class = iota // hashes and UUIDs: at least 7 hexadecimal digits
	Key                  // ids of mixed case, or of letters and digits
	Number               // at least 4 digits
	Version              // v1.2, 1.2.3, addresses
	Path
	Const // MAX_TOKENS
	URL
	Time    // dates and times: many, and the easiest to read
	Classes // how many there are
	none    = Classes
)

// A String is an exact string found in a text: a substring of it, without
// space, at most [MaxLen] bytes long.
type String struct {
	Text  string
	Class Class
	End   int // offset at which the run of characters it stands in ends
}

// Strings yields the exact strings of text.
func Strings(text string) iter.Seq[String] {
	return func(yield func(String) bool) {
		tokens(text, func(t token) bool {
			return classify(text[t.start:t.end], t.seen, func(s string, c Class) bool {
				return len(s) > MaxLen || yield(String{s, c, t.end})
			})
		})
	}
}

// classify yields the exact strings of one token: the whole of a URL, a path,
// a time or a number, or else those of its pieces that are exact strings.
func classify(s string, seen byteKind, yield func(string, Class) bool) bool {
	if s = trim(s); len(s) < 4 {
		return true
	}
	if seen&slash != 0 {
		if i := strings.Index(s, "://"); i > 0 {
			return yield(s, min(URL, worstPiece(s[i+3:])))
		}
	}
	if seen&digit != 0 && !hasLetter(s) || looksLikeTime(s) {
		if c := numeric(s); c != none {
			return yield(s, c)
		}
	}
	path := s[strings.LastIndexByte(s, '=')+1:] // --file=/etc/hosts
	if path = withoutLine(path); isPath(path, seen) {
		return yield(path, min(Path, worstPiece(path)))
	}
	if seen&(digit|upper) == 0 {
		return true
	}
	for piece := range namesIn(s) {
		if piece = trim(piece); len(piece) < 4 {
			continue
		}
		if c := pieceClass(piece); c != none && !yield(piece, c) {
			return false
		}
	}
	return true
}

// trim takes away punctuation that belongs to the sentence, not to the string.
func trim(s string) string {
	for s != "" && endsSentence(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	for len(s) > 1 {
		switch s[0] {
		case '-', ':', ',', '=', '+', '#', '%', '@':
		case '~':
			if s[1] == '/' {
				return s
			}
		case '.':
			if strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") || s[1] != '.' {
				return s
			}
		default:
			return s
		}
		s = s[1:]
	}
	return s
}

func endsSentence(b byte) bool {
	switch b {
	case '.', ':', '-', ',', ';', '!', '?', '@', '#', '+', '=', '~', '%', '*', '&', '(':
		return true
	}
	return false
}

// namesIn yields the names in a token: what stands between the characters that
// belong to no name.
func namesIn(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := 0
		for i := range len(s) {
			switch s[i] {
			case ':', '@', '=', '/', '+', '~', '#', '%', '\\', '?', '&':
				if i > start && !yield(s[start:i]) {
					return
				}
				start = i + 1
			}
		}
		if start < len(s) {
			yield(s[start:])
		}
	}
}

func hasLetter(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; 'a' <= c && c <= 'z' || c >= utf8.RuneSelf {
			return true
		}
	}
	return false
}

// numeric is the class of a token without letters.
func numeric(s string) Class {
	switch {
	case looksLikeTime(s):
		return Time
	case isVersion(s, strings.Count(s, ".")):
		return Version
	case digits(s) >= 4:
		return Number
	}
	return none
}

// looksLikeTime recognises 2026-11-30, 2026/11/30, 21:49:00 and the two
// together, with a zone.
func looksLikeTime(s string) bool {
	date := len(s) >= 10 && digits(s[:4]) == 4 && (s[4] == '-' || s[4] == '/') && s[7] == s[4] && digits(s[5:7]) == 2 && digits(s[8:10]) == 2
	if date && (len(s) == 10 || s[10] == 'T') {
		return true
	}
	return len(s) >= 8 && s[2] == ':' && s[5] == ':' && digits(s[:2]) == 2 && digits(s[3:5]) == 2 && digits(s[6:8]) == 2
}

// digits counts the digits of s.
func digits(s string) int {
	n := 0
	for i := range len(s) {
		if '0' <= s[i] && s[i] <= '9' {
			n++
		}
	}
	return n
}

// withoutLine takes :12 or :12:5 off a path: lines of one file would fill an
// index with its name.
func withoutLine(s string) string {
	for range 2 {
		i := strings.LastIndexByte(s, ':')
		if i < 1 || i == len(s)-1 || digits(s[i+1:]) != len(s)-i-1 {
			break
		}
		s = s[:i]
	}
	return s
}

// isPath tells a path from words with a slash between (and/or, text/plain) and
// from names with a full stop inside (fmt.Println).
func isPath(s string, seen byteKind) bool {
	if s == "" {
		return false
	}
	if seen&backslash != 0 {
		return true // after a drive letter: nothing else holds one
	}
	if strings.ContainsAny(s, ":@") {
		return false
	}
	extension := s[strings.LastIndexByte(s, '/')+1:]
	extension = extension[strings.LastIndexByte(extension, '.')+1:]
	switch slashes := strings.Count(s, "/"); {
	case slashes == 0:
		return len(extension) < len(s) && isSourceExtension(extension)
	case !hasLetter(s):
		return false // 1/2, 0..-2//1
	case s[0] == '/' || s[0] == '~' || s[0] == '.':
		return true
	default:
		return slashes >= 2 || strings.Contains(s, "."+extension)
	}
}

// isSourceExtension lists the extensions that make a file name of a word with
// a full stop inside.
func isSourceExtension(s string) bool {
	switch s {
	case "go", "mod", "sum", "py", "js", "mjs", "cjs", "ts", "tsx", "jsx", "rs", "c", "h", "cc", "cpp", "hpp", "java", "kt", "swift", "rb", "php", "cs",
		"sh", "sql", "html", "css", "vue", "md", "rst", "txt", "tex", "json", "jsonl", "yaml", "yml", "toml", "ini", "cfg", "conf", "lock", "xml", "csv", "tsv",
		"log", "diff", "patch", "proto", "tf", "gradle", "png", "jpg", "jpeg", "gif", "svg", "pdf", "zip", "gz", "tar", "db", "sqlite", "bin", "so", "exe", "wasm":
		return true
	}
	return false
}

// worstPiece is the class of what is hardest to read in a path or a URL.
func worstPiece(s string) Class {
	worst := none
	for piece := range namesIn(s) {
		if len(piece) >= 6 {
			if c := pieceClass(piece); c <= Key {
				worst = min(worst, c)
			}
		}
	}
	return worst
}
