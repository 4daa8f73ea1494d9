package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime/debug"
)

// MaxLine is the longest line that is read. Sessions with single lines of
// several hundred megabytes exist (Codex, 2026); a longer one is reported.
const MaxLine = 1 << 30

// lineBuffer is the longest line that is read without memory of its own.
const lineBuffer = 1 << 20

// A Line is one line of a file. Data is valid until the next one is read.
type Line struct {
	Number int64 // counted from 1
	Offset int64 // of its first byte in the file
	Data   []byte
	// Torn says that the file ends in the middle of the line: the tool was
	// killed while it wrote, or writes at this moment.
	Torn bool
	// Skipped is the length of a line longer than MaxLine, whose Data is empty.
	Skipped int64

	own bool // Data is not reused
}

// Keep returns Data for longer than the next line: a copy, except of a line so
// long that it has memory of its own.
func (l Line) Keep() []byte {
	if l.own {
		return l.Data
	}
	return bytes.Clone(l.Data)
}

// Lines yields the lines of a file, without their ends, empty ones included.
// Memory grows only with the longest line. r stands at its beginning.
func Lines(r io.Reader) iter.Seq2[Line, error] {
	return lines(r, MaxLine)
}

func lines(r io.Reader, maxLine int64) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		buffered := bufio.NewReaderSize(r, lineBuffer)
		// A long line is read again where it stands, once its length is known:
		// gathering it would take up to three times its size.
		section, seekable := r.(*io.SectionReader)
		line := Line{Number: 1}
		for {
			data, size, err := readLine(buffered, maxLine, seekable)
			switch {
			case err != nil && !errors.Is(err, io.EOF):
				yield(Line{}, fmt.Errorf("line %d: %w", line.Number, err))
				return
			case size == 0:
				return
			case size > maxLine:
				data, line.Skipped = nil, size
			case data == nil:
				data = room(int(size))
				if _, err := section.ReadAt(data, line.Offset); err != nil && err != io.EOF {
					yield(Line{}, fmt.Errorf("line %d: %w", line.Number, err))
					return
				}
			}
			line.Data, line.own = trimEnd(data), size > lineBuffer
			line.Torn = errors.Is(err, io.EOF)
			if !yield(line, nil) || line.Torn {
				return
			}
			line = Line{Number: line.Number + 1, Offset: line.Offset + size}
		}
	}
}

// long is from how many bytes on a value is too large for two of its kind to be
// in memory at a time.
const long = 16 << 20

// room returns memory for size bytes. Where that is much, what is no longer used
// is given back first: the collector would else let as much garbage stand as
// there is in use.
func room(size int) []byte {
	if size >= long {
		debug.FreeOSMemory()
	}
	return make([]byte, size)
}

// readLine returns the next line and its size. The data is nil where the line
// is longer than maxLine, or does not fit the buffer and measure is set.
func readLine(r *bufio.Reader, maxLine int64, measure bool) (data []byte, size int64, err error) {
	for {
		piece, err := r.ReadSlice('\n')
		size += int64(len(piece))
		full := errors.Is(err, bufio.ErrBufferFull)
		switch {
		case !full && size == int64(len(piece)):
			return piece, size, err
		case size > maxLine || measure:
			data = nil
		default:
			data = append(data, piece...)
		}
		if !full {
			return data, size, err
		}
	}
}

func trimEnd(data []byte) []byte {
	if n := len(data); n > 0 && data[n-1] == '\n' {
		data = data[:n-1]
	}
	if n := len(data); n > 0 && data[n-1] == '\r' {
		data = data[:n-1]
	}
	return data
}
