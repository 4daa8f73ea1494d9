package rawjson

import (
	"bytes"
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// String decodes a JSON string. A lone surrogate escape becomes the three
// bytes that UTF-8 would use for it (WTF-8): not valid UTF-8, so that it is
// told apart from everything else and [AppendString] can write it again.
// Invalid UTF-8 in the input becomes U+FFFD.
func String(value []byte) (string, error) {
	inside, err := inside(value)
	if err != nil {
		return "", err
	}
	if plainLen(inside) == len(inside) {
		return strings.ToValidUTF8(string(inside), "\uFFFD"), nil
	}
	var out strings.Builder
	out.Grow(len(inside))
	valid := utf8.Valid(inside)
	for i := 0; i < len(inside); {
		n := plainLen(inside[i:])
		piece := inside[i : i+n]
		if !valid {
			piece = bytes.ToValidUTF8(piece, []byte("\uFFFD"))
		}
		out.Write(piece)
		if i += n; i < len(inside) {
			r, n := unescape(inside[i:])
			var buf [utf8.UTFMax]byte
			out.Write(appendRune(buf[:0], r))
			i += n
		}
	}
	return out.String(), nil
}

// Take decodes a JSON string as [Text] does, in the memory of value, which must
// not be used again.
func Take(value []byte) string {
	inside, err := inside(value)
	if err != nil || !utf8.Valid(inside) { // what is repaired may need more room
		return Text(value)
	}
	out := inside[:0] // never overtakes what is still to be read
	for i := 0; i < len(inside); {
		n := plainLen(inside[i:])
		out = append(out, inside[i:i+n]...)
		if i += n; i < len(inside) {
			r, n := unescape(inside[i:])
			out = appendRune(out, r)
			i += n
		}
	}
	return unsafe.String(unsafe.SliceData(out), len(out))
}

// Base64 decodes a JSON string that holds bytes in base64, of the standard
// alphabet with padding, without making a string of it on the way.
func Base64(value []byte) ([]byte, error) {
	inside, err := inside(value)
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(inside, '\\') >= 0 {
		inside = []byte(Text(value))
	}
	data := make([]byte, base64.StdEncoding.DecodedLen(len(inside)))
	n, err := base64.StdEncoding.Decode(data, inside)
	return data[:n], err
}

// inside returns what stands between the quotes of a JSON string.
func inside(value []byte) ([]byte, error) {
	if end, err := skipString(value, 0); err != nil {
		return nil, err
	} else if end != len(value) {
		return nil, &SyntaxError{end, "the end"}
	}
	return value[1 : len(value)-1], nil
}

// appendRune appends r as UTF-8, a surrogate in the form of [String].
func appendRune(dst []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(dst, 0xED, 0x80|byte(r>>6&0x3F), 0x80|byte(r&0x3F))
	}
	return utf8.AppendRune(dst, r)
}

// unescape decodes one valid escape (two, where they are a surrogate pair).
func unescape(s []byte) (r rune, n int) {
	switch s[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r, _ = hex4(s[2:])
		if utf16.IsSurrogate(r) && len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
			if low, ok := hex4(s[8:]); ok {
				if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
					return pair, 12
				}
			}
		}
		return r, 6
	}
	return rune(s[1]), 2
}

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string: only what JSON demands is escaped,
// surrogates in the form of [String] are written as escapes, and any other
// invalid byte becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
			dst = append(dst, s[start:i]...)
			if sur, ok := surrogate(s[i:]); ok {
				dst = append(dst, '\\', 'u')
				for shift := 12; shift >= 0; shift -= 4 {
					dst = append(dst, hexDigits[sur>>shift&0xF])
				}
				i += 3
			} else {
				dst = append(dst, "\uFFFD"...)
				i++
			}
			start = i
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xF])
		}
		i++
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// AppendMember adds a member to the end of an object that it has made, nil for
// an empty one.
func AppendMember(object []byte, key string, value []byte) []byte {
	if object == nil {
		object = []byte{'{'}
	} else {
		object[len(object)-1] = ','
	}
	return append(append(append(AppendString(object, key), ':'), value...), '}')
}

// surrogate decodes the WTF-8 form of a surrogate.
func surrogate(s string) (rune, bool) {
	if len(s) < 3 || s[0] != 0xED || s[1] < 0xA0 || s[1] > 0xBF || s[2]&0xC0 != 0x80 {
		return 0, false
	}
	return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), true
}

// Text returns the decoded string, or "" if value is absent or not a string.
func Text(value []byte) string {
	s, err := String(value)
	if err != nil {
		return ""
	}
	return s
}

// Int returns the number, truncated, or 0 if value is absent or not a number.
func Int(value []byte) int64 {
	if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
		return n
	}
	f, err := strconv.ParseFloat(string(value), 64)
	if err != nil {
		return 0
	}
	return int64(f)
}

// Bool reports whether value is the word true.
func Bool(value []byte) bool { return string(value) == "true" }

// IsNull reports whether value is absent or the word null.
func IsNull(value []byte) bool { return len(value) == 0 || string(value) == "null" }
