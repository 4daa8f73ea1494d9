package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// errSilent is why a request is ended of which nothing was heard.
var errSilent = errors.New("nothing came")

// watch ends a request after a silence. It runs from the start, and while a read
// waits; not while what was read is being looked at.
type watch struct {
	idle   time.Duration
	timer  *time.Timer
	ending bool // reading does not prolong it any more
}

// newWatch returns a context that ends after idle without a sign of life.
func newWatch(ctx context.Context, idle time.Duration) (context.Context, *watch, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watch{idle: idle}
	w.timer = time.AfterFunc(idle, func() { cancel(fmt.Errorf("%w for %v", errSilent, idle)) })
	return ctx, w, func() {
		w.timer.Stop()
		cancel(nil)
	}
}

// end ends the request after a time, whatever comes until then. It is called
// between reads.
func (w *watch) end(within time.Duration) {
	w.ending = true
	w.timer.Reset(within)
}

// reader returns a reader of r that is watched.
func (w *watch) reader(r io.Reader) io.Reader { return watched{w, r} }

type watched struct {
	*watch
	r io.Reader
}

func (w watched) Read(p []byte) (int, error) {
	if w.ending {
		return w.r.Read(p)
	}
	w.timer.Reset(w.idle)
	n, err := w.r.Read(p)
	w.timer.Stop()
	return n, err
}
