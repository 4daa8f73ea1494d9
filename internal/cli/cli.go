package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/config"
)

// Main runs stemma with the arguments and streams of the process and returns
// its exit code.
func Main() int {
	ctx, stop := interruptible()
	defer stop()
	a := newApp(os.Stdin, os.Stdout, os.Stderr)
	return a.execute(ctx, os.Args[1:])
}

// interruptible returns a context that ends at the first Ctrl-C or request to
// terminate. Every command is safe to stop: what it stores, it stores in whole
// transactions. A second Ctrl-C ends the process at once.
func interruptible() (context.Context, context.CancelFunc) {
	// A closed pipe is an error of the write, not the end of the process. It is
	// not ignored by signal.Ignore, which a pager would inherit.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// An app is what commands know of the world around them.
type app struct {
	in  io.Reader
	out *output
	err *output
	now func() time.Time

	args       []string      // of the process
	storeFlag  string        // --store
	opened     history.Store // by the command that runs this one; nil: none
	imagesFlag string        // --images, of the commands that have it
	running    bool          // the arguments are parsed, the command has begun
	loaded     func() (*config.Config, error)
}

func newApp(in io.Reader, out, err io.Writer) *app {
	a := &app{in: in, out: newOutput(out), err: newOutput(err), now: time.Now}
	a.out.layOutFor(os.Getenv("STEMMA_COLUMNS"))
	a.loaded = sync.OnceValues(a.load)
	return a
}

// execute runs one command and returns its exit code.
func (a *app) execute(ctx context.Context, args []string) int {
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a.out.failed = cancel // nobody reads any more: stop working
	a.args = args
	root := newRoot(a)
	root.SetArgs(args)
	err := root.ExecuteContext(running)
	if err != nil && !a.running {
		err = asUsage(err)
	}
	if flushErr := a.out.Flush(); flushErr != nil {
		err = flushErr // whatever else went wrong followed from it
	}
	code := exitCode(ctx, err)
	if text := errorText(code, err); text != "" {
		a.err.printf("stemma: %s\n", text)
	}
	_ = a.err.Flush() // there is no one left to tell
	return code
}
