package rawjson

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// maxDepth bounds nesting, so that hostile input cannot exhaust the stack.
// encoding/json uses the same limit.
const maxDepth = 10_000

// A SyntaxError says where in the given bytes the JSON breaks.
type SyntaxError struct {
	Offset int // bytes from the start of the value that was passed in
	Want   string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid JSON at byte %d: expected %s", e.Offset, e.Want)
}

// ErrStop ends [Members] or [Elements] early without an error.
var ErrStop = errors.New("stop")

// Valid reports whether data is exactly one JSON value, spaces around it allowed.
func Valid(data []byte) bool {
	end, err := skip(data, space(data, 0), 0)
	return err == nil && space(data, end) == len(data)
}

// Fits reports whether data is exactly one JSON value, with nothing around it,
// that can be read again where it stands inside of that many others.
func Fits(data []byte, levels int) bool {
	end, err := skip(data, 0, levels)
	return err == nil && end == len(data)
}

// First returns the JSON value that data begins with (after spaces), exactly
// as written, and the bytes after it.
func First(data []byte) (value, rest []byte, err error) {
	start := space(data, 0)
	end, err := skip(data, start, 0)
	if err != nil {
		return nil, data, err
	}
	return data[start:end], data[end:], nil
}

// Members calls f for every member of the object in order, repeated keys
// included. The key is decoded; the value is a slice of object. The whole
// object is checked as far as it is read. An error of f ends the walk and is
// returned, except [ErrStop].
func Members(object []byte, f func(key string, value []byte) error) error {
	i := space(object, 0)
	if i >= len(object) || object[i] != '{' {
		return &SyntaxError{i, "an object"}
	}
	for first := true; ; first = false {
		i = space(object, i+1)
		if first && i < len(object) && object[i] == '}' {
			return end(object, i+1)
		}
		keyEnd, err := skipString(object, i)
		if err != nil {
			return err
		}
		key, err := String(object[i:keyEnd])
		if err != nil {
			return err
		}
		if i = space(object, keyEnd); i >= len(object) || object[i] != ':' {
			return &SyntaxError{i, "':'"}
		}
		start := space(object, i+1)
		if i, err = skip(object, start, 1); err != nil {
			return err
		}
		if err := f(key, object[start:i]); err != nil {
			return stopped(err)
		}
		if i = space(object, i); i < len(object) && object[i] == '}' {
			return end(object, i+1)
		}
		if i >= len(object) || object[i] != ',' {
			return &SyntaxError{i, "',' or '}'"}
		}
	}
}

// Elements calls f for every element of the array in order, as [Members] does.
func Elements(array []byte, f func(value []byte) error) error {
	i := space(array, 0)
	if i >= len(array) || array[i] != '[' {
		return &SyntaxError{i, "an array"}
	}
	for first := true; ; first = false {
		start := space(array, i+1)
		if first && start < len(array) && array[start] == ']' {
			return end(array, start+1)
		}
		var err error
		if i, err = skip(array, start, 1); err != nil {
			return err
		}
		if err := f(array[start:i]); err != nil {
			return stopped(err)
		}
		if i = space(array, i); i < len(array) && array[i] == ']' {
			return end(array, i+1)
		}
		if i >= len(array) || array[i] != ',' {
			return &SyntaxError{i, "',' or ']'"}
		}
	}
}

// Get returns the value of the first member with that key, or nil if object
// is not an object or has none.
func Get(object []byte, key string) []byte {
	var found []byte
	_ = Members(object, func(k string, v []byte) error {
		if k == key {
			found = v
			return ErrStop
		}
		return nil
	})
	return found
}

func stopped(err error) error {
	if errors.Is(err, ErrStop) {
		return nil
	}
	return err
}

func end(data []byte, i int) error {
	if i = space(data, i); i != len(data) {
		return &SyntaxError{i, "the end"}
	}
	return nil
}

func space(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\r' || data[i] == '\t') {
		i++
	}
	return i
}

// skip returns the index behind the value that starts at i.
func skip(data []byte, i, depth int) (int, error) {
	if depth > maxDepth {
		return i, &SyntaxError{i, fmt.Sprintf("nesting of at most %d", maxDepth)}
	}
	if i >= len(data) {
		return i, &SyntaxError{i, "a value"}
	}
	switch c := data[i]; {
	case c == '"':
		return skipString(data, i)
	case c == '{':
		return skipObject(data, i, depth)
	case c == '[':
		return skipArray(data, i, depth)
	case c == 't':
		return skipWord(data, i, "true")
	case c == 'f':
		return skipWord(data, i, "false")
	case c == 'n':
		return skipWord(data, i, "null")
	case c == '-' || '0' <= c && c <= '9':
		return skipNumber(data, i)
	}
	return i, &SyntaxError{i, "a value"}
}

func skipObject(data []byte, i, depth int) (int, error) {
	for first := true; ; first = false {
		i = space(data, i+1)
		if first && i < len(data) && data[i] == '}' {
			return i + 1, nil
		}
		var err error
		if i, err = skipString(data, i); err != nil {
			return i, err
		}
		if i = space(data, i); i >= len(data) || data[i] != ':' {
			return i, &SyntaxError{i, "':'"}
		}
		if i, err = skip(data, space(data, i+1), depth+1); err != nil {
			return i, err
		}
		if i = space(data, i); i < len(data) && data[i] == '}' {
			return i + 1, nil
		}
		if i >= len(data) || data[i] != ',' {
			return i, &SyntaxError{i, "',' or '}'"}
		}
	}
}

func skipArray(data []byte, i, depth int) (int, error) {
	for first := true; ; first = false {
		i = space(data, i+1)
		if first && i < len(data) && data[i] == ']' {
			return i + 1, nil
		}
		var err error
		if i, err = skip(data, i, depth+1); err != nil {
			return i, err
		}
		if i = space(data, i); i < len(data) && data[i] == ']' {
			return i + 1, nil
		}
		if i >= len(data) || data[i] != ',' {
			return i, &SyntaxError{i, "',' or ']'"}
		}
	}
}

func skipString(data []byte, i int) (int, error) {
	if i >= len(data) || data[i] != '"' {
		return i, &SyntaxError{i, "a string"}
	}
	for i++; ; {
		i += plainLen(data[i:])
		switch {
		case i == len(data):
			return i, &SyntaxError{i, "'\"'"}
		case data[i] == '"':
			return i + 1, nil
		case data[i] == '\\' && escapeLen(data[i:]) > 0:
			i += escapeLen(data[i:])
		default:
			return i, &SyntaxError{i, "a valid string"}
		}
	}
}

// plainLen returns how many bytes at the beginning of s stand for themselves in
// a string: no quote, no backslash and no control character. Most of a history
// is long strings, so it looks at eight bytes at a time.
func plainLen(s []byte) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x80 * ones
	)
	n := 0
	for ; n+8 <= len(s); n += 8 {
		word := binary.LittleEndian.Uint64(s[n:])
		quote, backslash := word^'"'*ones, word^'\\'*ones
		// The high bit of each byte that is less than a space, a quote or a
		// backslash. A borrow may set it in bytes after the first such one only.
		special := ((word-' '*ones)&^word | (quote-ones)&^quote | (backslash-ones)&^backslash) & highs
		if special != 0 {
			return n + bits.TrailingZeros64(special)/8
		}
	}
	for n < len(s) && s[n] >= ' ' && s[n] != '"' && s[n] != '\\' {
		n++
	}
	return n
}

// escapeLen returns the length of the escape that s begins with, 0 if it is none.
func escapeLen(s []byte) int {
	if len(s) < 2 {
		return 0
	}
	switch s[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if _, ok := hex4(s[2:]); ok {
			return 6
		}
	}
	return 0
}

func hex4(s []byte) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range s[:4] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

func skipWord(data []byte, i int, word string) (int, error) {
	if !bytes.HasPrefix(data[i:], []byte(word)) {
		return i, &SyntaxError{i, "'" + word + "'"}
	}
	return i + len(word), nil
}

func skipNumber(data []byte, i int) (int, error) {
	digits := func() bool {
		start := i
		for i < len(data) && '0' <= data[i] && data[i] <= '9' {
			i++
		}
		return i > start
	}
	if data[i] == '-' {
		i++
	}
	if i < len(data) && data[i] == '0' {
		i++
	} else if !digits() {
		return i, &SyntaxError{i, "a digit"}
	}
	if i < len(data) && data[i] == '.' {
		if i++; !digits() {
			return i, &SyntaxError{i, "a digit"}
		}
	}
	if i < len(data) && data[i]|0x20 == 'e' {
		if i++; i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		if !digits() {
			return i, &SyntaxError{i, "a digit"}
		}
	}
	return i, nil
}
