package jsonstream

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/stemma-history/stemma/internal/rawjson"
)

// A Value is one piece of a document.
type Value struct {
	// Key is the name of the member of the outermost object that the value is,
	// or whose array it is in. Empty where the document is an array.
	Key string
	// Index counts the elements of an array from 0; it is -1 at a member.
	Index  int
	Offset int64  // of the first byte
	Data   []byte // exactly as it stands; not used again
	// Err says that Data is no JSON. The values after it are read all the same.
	Err error
}

// MaxValue is the longest value that is read.
const MaxValue = 1 << 30

// Read yields the elements of a document that is an array; or the members of
// one that is an object, and in the place of those members that are arrays and
// named in arrays, their elements. It ends after the first error, which is a
// [*rawjson.SyntaxError] where the document is damaged in a way that hides what
// follows.
func Read(r io.Reader, arrays ...string) iter.Seq2[Value, error] {
	return func(yield func(Value, error) bool) {
		s := &scanner{r: bufio.NewReaderSize(r, 1<<18), arrays: arrays, yield: func(v Value) bool { return yield(v, nil) }}
		if err := s.document(); err != nil && !errors.Is(err, errStopped) {
			yield(Value{}, err)
		}
	}
}

var errStopped = errors.New("stopped")

type scanner struct {
	r      *bufio.Reader
	offset int64
	arrays []string
	yield  func(Value) bool
}

func (s *scanner) document() error {
	if start, _ := s.r.Peek(3); string(start) == "\uFEFF" {
		s.skip(3)
	}
	c, err := s.peek()
	switch {
	case err != nil:
		return err
	case c == '[':
		err = s.elements("")
	case c == '{':
		err = s.members()
	default:
		err = s.wanted("an array or an object")
	}
	if err != nil {
		return err
	}
	if _, err := s.peek(); !errors.Is(err, io.EOF) {
		return s.orWanted(err, "the end")
	}
	return nil
}

// elements reads an array, which begins here.
func (s *scanner) elements(key string) error {
	s.skip(1)
	for i := 0; ; i++ {
		c, err := s.peek()
		if err != nil {
			return s.orWanted(err, "an element or ']'")
		}
		if c == ']' && i == 0 {
			s.skip(1)
			return nil
		}
		if err := s.value(key, i); err != nil {
			return err
		}
		if c, err = s.peek(); err != nil || c != ',' && c != ']' {
			return s.orWanted(err, "',' or ']'")
		}
		s.skip(1)
		if c == ']' {
			return nil
		}
	}
}

// members reads an object, which begins here.
func (s *scanner) members() error {
	s.skip(1)
	for first := true; ; first = false {
		c, err := s.peek()
		if err == nil && c == '}' && first {
			s.skip(1)
			return nil
		}
		if err != nil || c != '"' {
			return s.orWanted(err, "a member's name")
		}
		name, err := s.extent()
		if err != nil {
			return err
		}
		key, err := rawjson.String(name)
		if err != nil {
			return s.wanted("a member's name")
		}
		if c, err = s.peek(); err != nil || c != ':' {
			return s.orWanted(err, "':'")
		}
		s.skip(1)
		if err := s.member(key); err != nil {
			return err
		}
		if c, err = s.peek(); err != nil || c != ',' && c != '}' {
			return s.orWanted(err, "',' or '}'")
		}
		s.skip(1)
		if c == '}' {
			return nil
		}
	}
}

func (s *scanner) member(key string) error {
	c, err := s.peek()
	if err != nil {
		return s.orWanted(err, "a value")
	}
	if c == '[' && slices.Contains(s.arrays, key) {
		return s.elements(key)
	}
	return s.value(key, -1)
}

// value hands on the value that begins here.
func (s *scanner) value(key string, index int) error {
	v := Value{Key: key, Index: index, Offset: s.offset}
	var err error
	if v.Data, err = s.extent(); err != nil {
		return err
	}
	if _, rest, err := rawjson.First(v.Data); err != nil {
		v.Err = err
	} else if len(rest) > 0 {
		v.Err = fmt.Errorf("invalid JSON: %d bytes follow the value", len(rest))
	}
	if !s.yield(v) {
		return errStopped
	}
	return nil
}

// extent returns the bytes up to the end of the value that begins here, told by
// brackets and quotes alone.
func (s *scanner) extent() ([]byte, error) {
	var data []byte
	var e extent
	for {
		chunk, err := s.chunk()
		if err != nil {
			return nil, s.orWanted(err, "the end of the value")
		}
		n, ended := e.scan(chunk)
		if len(data)+n > MaxValue {
			return nil, s.wanted(fmt.Sprintf("a value of at most %d bytes", MaxValue))
		}
		data = append(data, chunk[:n]...)
		s.skip(n)
		if ended && len(data) == 0 {
			return nil, s.wanted("a value")
		}
		if ended {
			return data, nil
		}
	}
}

// extent is how far into a value a scan has come.
type extent struct {
	depth             int
	inString, escaped bool
}

// scan returns how many of the bytes belong to the value, and whether it ends
// with them.
func (e *extent) scan(data []byte) (n int, ended bool) {
	for i := 0; i < len(data); i++ {
		if e.inString {
			if i += e.scanString(data[i:]); e.inString || i == len(data) {
				return len(data), !e.inString && e.depth == 0
			}
			if e.depth == 0 {
				return i, true
			}
		}
		switch c := data[i]; {
		case c == '"':
			e.inString = true
		case c == '{', c == '[':
			e.depth++
		case (c == '}' || c == ']') && e.depth > 0:
			if e.depth--; e.depth == 0 {
				return i + 1, true
			}
		case e.depth == 0 && (c == ',' || c == '}' || c == ']' || c == ':' || isSpace(c)):
			return i, true
		}
	}
	return len(data), false
}

// scanString returns how many of the bytes belong to the string that data is
// inside of. Most of an export is long strings.
func (e *extent) scanString(data []byte) int {
	quote := -1 // the next one, escaped or not
	for i := 0; i < len(data); {
		if e.escaped {
			e.escaped = false
			i++
			continue
		}
		if quote < i {
			if quote = bytes.IndexByte(data[i:], '"'); quote < 0 {
				quote = len(data)
			} else {
				quote += i
			}
		}
		if escape := bytes.IndexByte(data[i:quote], '\\'); escape >= 0 {
			e.escaped = true
			i += escape + 1
			continue
		}
		if quote < len(data) {
			e.inString = false
			return quote + 1
		}
		break
	}
	return len(data)
}

// chunk returns the bytes that are at hand, at least one.
func (s *scanner) chunk() ([]byte, error) {
	if _, err := s.r.Peek(1); err != nil {
		return nil, err
	}
	return s.r.Peek(s.r.Buffered())
}

// peek skips white space and returns the next byte.
func (s *scanner) peek() (byte, error) {
	for {
		chunk, err := s.chunk()
		if err != nil {
			return 0, err
		}
		for i, c := range chunk {
			if !isSpace(c) {
				s.skip(i)
				return c, nil
			}
		}
		s.skip(len(chunk))
	}
}

func (s *scanner) skip(n int) {
	_, _ = s.r.Discard(n) // at hand
	s.offset += int64(n)
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func (s *scanner) wanted(what string) error {
	return &rawjson.SyntaxError{Offset: int(s.offset), Want: what}
}

// orWanted returns an error of the reader, or says what was expected here.
func (s *scanner) orWanted(err error, what string) error {
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return s.wanted(what)
}
