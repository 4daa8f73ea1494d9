package transport

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
)

// maxAnswer is the longest answer that is read, in bytes: models say far less,
// but the images that they draw, and encrypted thinking, are long.
const maxAnswer = 128 << 20

// bounded is a reader that fails behind the longest answer: a server that never
// ends must not fill the memory.
type bounded struct {
	r    io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, fmt.Errorf("the answer is longer than %d bytes", maxAnswer)
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// Event is one event of a stream. It is valid until the next.
type Event struct {
	Name string // empty for most
	Data []byte
}

// Events reads server-sent events. The cost is linear in the size of an event,
// in however many pieces it comes. Lines end with LF or CRLF, as all servers of
// models end them. What the stream ends with is an event too, unless the end
// cut its line.
func Events(r io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		var e Event
		hasData := false
		for line, err := range Lines(r) {
			if err != nil {
				yield(Event{}, err)
				return
			}
			if len(line) == 0 {
				if hasData && !yield(e, nil) {
					return
				}
				e.Name, e.Data, hasData = "", e.Data[:0], false
				continue
			}
			field, value, _ := bytes.Cut(line, []byte(":"))
			value = bytes.TrimPrefix(value, []byte(" "))
			switch string(field) {
			case "data":
				if hasData {
					e.Data = append(e.Data, '\n')
				}
				e.Data, hasData = append(e.Data, value...), true
			case "event":
				e.Name = string(value)
			case "error": // llama.cpp, 2024
				e.Name, e.Data, hasData = "error", append(e.Data, value...), true
			}
		}
		if hasData {
			yield(e, nil)
		}
	}
}

// Lines reads lines without their ends. A line is valid until the next; one that
// the end of the stream cuts is left out.
func Lines(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		in := bufio.NewReaderSize(r, 32<<10)
		if mark, _ := in.Peek(3); string(mark) == "\uFEFF" {
			_, _ = in.Discard(3) // peeked
		}
		var long []byte // a line that is longer than the buffer
		for {
			line, err := in.ReadSlice('\n')
			if errors.Is(err, bufio.ErrBufferFull) {
				long = append(long, line...)
				continue
			}
			if err != nil {
				if err != io.EOF {
					yield(nil, err)
				}
				return
			}
			if len(long) > 0 {
				long = append(long, line...)
				line = long
			}
			line = bytes.TrimSuffix(line[:len(line)-1], []byte("\r"))
			if !yield(line, nil) {
				return
			}
			long = long[:0]
		}
	}
}
