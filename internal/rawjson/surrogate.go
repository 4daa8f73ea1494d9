package rawjson

import (
	"bytes"
	"unicode/utf16"
)

// LoneSurrogate returns the index of the first escape in data that is one half
// of a surrogate pair without the other; -1 if there is none. JSON allows it,
// but it is no Unicode text.
func LoneSurrogate(data []byte) int {
	for i := 0; ; {
		next := bytes.IndexByte(data[i:], '\\')
		if next < 0 || i+next+1 >= len(data) {
			return -1
		}
		i += next
		if data[i+1] != 'u' {
			i += 2
			continue
		}
		r, ok := hex4(data[i+2:])
		if !ok {
			return -1 // no JSON
		}
		if utf16.IsSurrogate(r) {
			if _, n := unescape(data[i:]); n == 6 {
				return i
			}
			i += 6
		}
		i += 6
	}
}

// Paired returns data with U+FFFD in place of each lone surrogate. It is data
// itself where there is none.
func Paired(data []byte) []byte {
	var out []byte
	for {
		i := LoneSurrogate(data)
		if i < 0 {
			if out == nil {
				return data
			}
			return append(out, data...)
		}
		out = append(append(out, data[:i]...), `\ufffd`...)
		data = data[i+6:]
	}
}
