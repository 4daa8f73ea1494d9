package transcript

import (
	"bytes"
	"iter"

	"github.com/stemma-history/stemma/internal/rawjson"
)

// HeadLines yields what stands on the first lines of the file, empty ones left
// out. The last one may be cut: look into it with [Peek].
func (f *File) HeadLines() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for line := range bytes.Lines(bytes.TrimPrefix(f.Head, byteOrderMark)) {
			if line = bytes.Trim(line, blank); len(line) > 0 && !yield(line) {
				return
			}
		}
	}
}

// Document returns the beginning of a file that is one JSON value, without what
// stands before it: look into it with [Peek] or [PeekElements].
func (f *File) Document() []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(f.Head, byteOrderMark), blank)
}

// Peek yields the members of the object that data begins with, as far as data
// goes. The last value may be cut. Detection looks into files with it that are
// larger than their head.
func Peek(data []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		data, ok := bytes.CutPrefix(bytes.TrimLeft(data, blank), []byte("{"))
		for ok {
			key, rest, err := rawjson.First(data)
			if err != nil || key[0] != '"' {
				return
			}
			if rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest, blank), []byte(":")); !ok {
				return
			}
			value, rest, err := rawjson.First(rest)
			if err != nil {
				yield(rawjson.Text(key), bytes.TrimLeft(rest, blank))
				return
			}
			if !yield(rawjson.Text(key), value) {
				return
			}
			data, ok = bytes.CutPrefix(bytes.TrimLeft(rest, blank), []byte(","))
		}
	}
}

// PeekElements yields the elements of the array that data begins with, as far
// as data goes. The last one may be cut.
func PeekElements(data []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		data, ok := bytes.CutPrefix(bytes.TrimLeft(data, blank), []byte("["))
		for ok && len(data) > 0 {
			value, rest, err := rawjson.First(data)
			if err != nil {
				yield(bytes.TrimLeft(data, blank))
				return
			}
			if !yield(value) {
				return
			}
			data, ok = bytes.CutPrefix(bytes.TrimLeft(rest, blank), []byte(","))
		}
	}
}

// PeekMember returns the value of the first member with that key, or nil. It
// may be cut.
func PeekMember(data []byte, key string) []byte {
	for k, v := range Peek(data) {
		if k == key {
			return v
		}
	}
	return nil
}
