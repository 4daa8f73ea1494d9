package providertest

import (
	"context"
	"errors"
	"net/http"
)

// An output is the answer on its way to the client.
type output struct {
	ctx    context.Context
	to     http.ResponseWriter
	chunk  int
	fault  Fault
	status int
	media  string
	frames [][]byte
	sent   int // bytes
}

func (o *output) whole(status int, body []byte) {
	o.status, o.media, o.frames = status, "application/json", [][]byte{body}
	if len(body) == 0 {
		o.frames = nil
	}
}

func (o *output) stream(media string, frames [][]byte) {
	o.status, o.media, o.frames = http.StatusOK, media, frames
}

// errGone ends an answer whose client is not to get the rest.
var errGone = errors.New("the rest is not sent")

// send writes the answer, as far as its fault allows.
func (o *output) send() {
	if o.frames != nil {
		o.to.Header().Set("Content-Type", o.media)
	}
	o.to.WriteHeader(o.status)
	for _, frame := range o.frames {
		if err := o.write(frame); err != nil {
			if errors.Is(err, errGone) {
				panic(http.ErrAbortHandler) // closes the connection, with no word in a log
			}
			return // the client is gone
		}
	}
}

// write sends a frame in the pieces that are asked for.
func (o *output) write(frame []byte) error {
	for len(frame) > 0 {
		n := len(frame)
		if o.chunk > 0 {
			n = min(n, o.chunk)
		}
		stop := o.before()
		if stop >= 0 {
			n = min(n, stop-o.sent)
		}
		if n > 0 {
			if _, err := o.to.Write(frame[:n]); err != nil {
				return err
			}
			o.sent += n
			frame = frame[n:]
			if err := http.NewResponseController(o.to).Flush(); err != nil {
				return err
			}
		}
		if stop < 0 || o.sent < stop {
			continue
		}
		if _, hangs := o.fault.(Hang); hangs {
			_ = http.NewResponseController(o.to).Flush() // the headers, where nothing else was sent
			<-o.ctx.Done()
		}
		return errGone
	}
	return nil
}

// before is the byte at which the answer stops short; -1: it does not.
func (o *output) before() int {
	switch f := o.fault.(type) {
	case Cut:
		return f.After
	case Hang:
		return f.After
	}
	return -1
}
