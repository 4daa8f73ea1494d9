package transcript

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"github.com/stemma-history/stemma/internal/rawjson"
)

// A Span says where a value stands in a file.
type Span struct {
	Offset int64
	Size   int
	// Mended says that it holds bytes that JSON does not allow (see [Objects]).
	Mended bool
}

// An Object is one JSON object of a file of lines. Data is valid until the next
// one is read.
type Object struct {
	Span
	Line int64 // counted from 1
	Data []byte

	own bool
}

// Keep returns Data for longer than the next object.
func (o Object) Keep() []byte {
	if o.own {
		return o.Data
	}
	return bytes.Clone(o.Data)
}

// ReadObject returns the bytes of a span, as [Objects] gave them.
func (f *File) ReadObject(s Span) ([]byte, error) {
	data := room(s.Size)
	if _, err := f.ReadAt(data, s.Offset); err != nil {
		return nil, fmt.Errorf("read %d bytes at %d: %w", s.Size, s.Offset, err)
	}
	if s.Mended {
		data = mend(data)
	}
	return data, nil
}

// Objects yields the objects of a file that has one a line, whatever became of
// the file: two of them on one line are two, bytes that JSON does not allow in
// a string count as text, and what cannot be read is reported and passed over.
func Objects(ctx context.Context, f *File, report func(Problem)) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		for line, err := range Lines(f.Reader()) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(Object{}, err)
				return
			}
			if !line.objects(report, func(o Object) bool { return yield(o, nil) }) {
				return
			}
		}
	}
}

// objects yields the objects on one line. It returns false to stop.
func (l Line) objects(report func(Problem), yield func(Object) bool) bool {
	bad := func(what string) { report(Problem{Line: l.Number, What: what}) }
	if l.Skipped > 0 {
		bad(fmt.Sprintf("the line has %d bytes, more than the %d that are read; it is skipped", l.Skipped, int64(MaxLine)))
		return true
	}
	for at, end := l.inside(); at < end; at += blanks(l.Data[at:end]) {
		data := l.Data[at:end]
		object := Object{Span: Span{Offset: l.Offset + int64(at)}, Line: l.Number, own: l.own}
		value, rest, err := rawjson.First(data)
		if err != nil && hasControl(data) {
			if mended := mend(data); rawjson.Valid(mended) {
				bad("it has control characters that JSON does not allow; they are read as text")
				object.Size, object.Mended, object.Data, object.own = len(data), true, mended, true
				return yield(object)
			}
		}
		switch {
		case err == nil && value[0] == '{':
			object.Size, object.Data = len(value), value
			if !yield(object) {
				return false
			}
			at = end - len(rest)
		case err == nil:
			bad(fmt.Sprintf("expected a JSON object, found %.20q; it is skipped", value))
			at = end - len(rest)
		default:
			next := resume(data)
			if l.Torn && next == len(data) {
				bad("the file ends in the middle of the record; it is skipped, and read by an import after it is complete")
			} else {
				bad(fmt.Sprintf("not read: %v", err))
			}
			at += next
		}
	}
	return true
}

// blank is what may stand around a record: white space, and the zeros that a
// file system leaves where a crash cut a write.
const blank = " \t\r\n\x00"

func blanks(data []byte) int { return len(data) - len(bytes.TrimLeft(data, blank)) }

var byteOrderMark = []byte("\uFEFF")

// inside returns where in the line its records begin and end.
func (l Line) inside() (from, to int) {
	if l.Number == 1 && bytes.HasPrefix(l.Data, byteOrderMark) {
		from = len(byteOrderMark)
	}
	from += blanks(l.Data[from:])
	return from, from + len(bytes.TrimRight(l.Data[from:], blank))
}

// resume returns the index in a damaged line from which whole records follow
// up to the end of the line, or its length. An object inside the damaged record
// is not taken for one.
func resume(data []byte) int {
	budget := 8*len(data) + 1<<16 // keeps a hostile line from costing its square
	for i := 1; budget > 0; {
		found := bytes.Index(data[i:], []byte(`{"`))
		if found < 0 {
			break
		}
		i += found
		value, rest, err := rawjson.First(data[i:])
		rest = bytes.TrimLeft(rest, blank)
		if err == nil && (len(rest) == 0 || rest[0] == '{') {
			return i
		}
		budget -= len(data) - i - len(rest) + len(value)
		i++
	}
	return len(data)
}

func hasControl(data []byte) bool {
	return bytes.ContainsFunc(data, func(r rune) bool { return r < ' ' })
}

// mend escapes control characters inside strings, and drops them outside.
func mend(data []byte) []byte {
	out := make([]byte, 0, len(data)+64)
	inString, escaped := false, false
	for _, c := range data {
		switch {
		case c < ' ' && inString:
			out = fmt.Appendf(out, `\u%04x`, c)
			escaped = false
			continue
		case c < ' ':
			out = append(out, ' ')
			continue
		case escaped:
			escaped = false
		case c == '\\' && inString:
			escaped = true
		case c == '"':
			inString = !inString
		}
		out = append(out, c)
	}
	return out
}
