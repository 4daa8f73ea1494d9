package transcript

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
)

// MaxLine is the longest line that is read. Sessions with single lines of
// several hundred megabytes exist (Codex, 2026); a longer one is reported.
const MaxLine = 1 << 30

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
}

// Lines yields the lines of a file, without their ends, empty ones included.
// Memory grows only with the longest line.
func Lines(r io.Reader) iter.Seq2[Line, error] {
	return lines(r, MaxLine)
}

func lines(r io.Reader, maxLine int64) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		buffered := bufio.NewReaderSize(r, 1<<20)
		var long []byte // a line that is larger than the buffer
		line := Line{Number: 1}
		var size int64
		for {
			piece, err := buffered.ReadSlice('\n')
			size += int64(len(piece))
			switch {
			case errors.Is(err, bufio.ErrBufferFull):
				if size <= maxLine {
					long = append(long, piece...)
				}
				continue
			case err != nil && err != io.EOF:
				yield(Line{}, fmt.Errorf("line %d: %w", line.Number, err))
				return
			case size == 0:
				return
			}
			line.Data = piece
			if len(long) > 0 {
				long = append(long, piece...)
				line.Data = long
			}
			if size > maxLine {
				line.Data, line.Skipped = nil, size
			}
			line.Data, line.Torn = trimEnd(line.Data), err == io.EOF
			if !yield(line, nil) || err == io.EOF {
				return
			}
			if cap(long) > 16<<20 {
				long = nil // one huge line does not keep its memory
			}
			line = Line{Number: line.Number + 1, Offset: line.Offset + size}
			long, size = long[:0], 0
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
