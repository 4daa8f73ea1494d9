package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/stemma-history/stemma/agent"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/reclaim"
)

// The exit codes of every command.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitDoesNotFit  = 3
	exitNotFound    = 4
	exitInterrupted = 130 // 128 + SIGINT, as shells report it
)

// exitCodes says what the codes mean, for the manual.
var exitCodes = []struct {
	number  int
	meaning string
}{
	{exitDone, "done"},
	{exitFailed, "failed"},
	{exitUsage, "wrong usage"},
	{exitDoesNotFit, "does not fit the window"},
	{exitNotFound, "no such conversation, entry or file"},
	{exitInterrupted, "interrupted"},
}

// usageError says that a command was called in a wrong way.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// asUsage marks an error that the arguments caused.
func asUsage(err error) error { return usageError{err} }

// errSilent is returned by commands that have said already what went wrong.
var errSilent = errors.New("reported above")

// exitCode returns the code for the error that ended a command. ctx is the one
// that a signal ends.
func exitCode(ctx context.Context, err error) int {
	switch {
	case err == nil:
		return exitDone
	case ctx.Err() != nil:
		return exitInterrupted
	case errors.Is(err, syscall.EPIPE):
		return exitDone // the reader has seen enough
	case errors.As(err, new(usageError)):
		return exitUsage
	case errors.As(err, new(*reclaim.FitError)), errors.As(err, new(*doesNotFitError)), errors.As(err, new(*pagesError)), errors.As(err, new(*agent.OverflowError)):
		return exitDoesNotFit
	case errors.Is(err, history.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return exitNotFound
	}
	return exitFailed
}

// errorText returns what to say about the error on the way out.
func errorText(code int, err error) string {
	switch {
	case code == exitDone || errors.Is(err, errSilent):
		return ""
	case code == exitInterrupted:
		return "interrupted; what was reported as done is kept"
	}
	return err.Error()
}
