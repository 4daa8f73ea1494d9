package tool

import (
	"bytes"
	"fmt"
	"sync"
)

const (
	// outputHead and outputTail are how much of a command's output is kept, in
	// bytes. What stands between is counted, and gone.
	outputHead = 4 << 20
	outputTail = 4 << 20
)

// An output keeps what a command prints, and passes lines on as they come.
type output struct {
	progress func(string)

	mu         sync.Mutex
	head, tail []byte
	lost       int
	line       []byte // not yet passed on
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	rest := p
	if room := outputHead - len(o.head); room > 0 {
		n := min(room, len(rest))
		o.head, rest = append(o.head, rest[:n]...), rest[n:]
	}
	o.tail = append(o.tail, rest...)
	if len(o.tail) > 2*outputTail {
		o.cut()
	}
	o.pass(p)
	return len(p), nil
}

// cut holds the tail to its length. It is let grow to twice that in between, so
// that each byte is moved once.
func (o *output) cut() {
	if extra := len(o.tail) - outputTail; extra > 0 {
		o.lost += extra
		o.tail = append(o.tail[:0], o.tail[extra:]...)
	}
}

// pass gives whole lines to progress.
func (o *output) pass(p []byte) {
	if o.progress == nil {
		return
	}
	o.line = append(o.line, p...)
	for {
		i := bytes.IndexByte(o.line, '\n')
		if i < 0 {
			break
		}
		o.progress(validText(string(o.line[:i]), progressBytes))
		o.line = o.line[i+1:]
	}
	if len(o.line) > progressBytes {
		o.progress(validText(string(o.line), progressBytes))
		o.line = nil
	}
}

// progressBytes is the longest line that is passed on.
const progressBytes = 4096

// flush passes on a last line without an end. Nothing is passed on after it:
// what a command left in the background may still print.
func (o *output) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.progress != nil && len(o.line) > 0 {
		o.progress(validText(string(o.line), progressBytes))
	}
	o.progress, o.line = nil, nil
}

// text returns everything that was kept, as UTF-8.
func (o *output) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.cut()
	head, tail := string(o.head), string(o.tail)
	if o.lost > 0 {
		head += fmt.Sprintf("\n(%d bytes are left out here.)\n", o.lost)
	}
	return validText(head+tail, len(head)+len(tail))
}
