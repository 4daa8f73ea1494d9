package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"runtime"
	"syscall"
	"testing"
)

func TestCtrlCEndsTheContext(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot interrupt itself there")
	}
	ctx, stop := interruptible()
	defer stop()
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(os.Interrupt)
	}
	if err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
}

// interruptingReader is a person who presses Ctrl-C instead of typing.
type interruptingReader struct{ press context.CancelFunc }

func (r interruptingReader) Read([]byte) (int, error) {
	r.press()
	select {} // a read of a terminal goes on waiting
}

func TestACommandThatWaitsCanBeInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var said bytes.Buffer
	a := newApp(interruptingReader{cancel}, io.Discard, &said)
	if code := a.execute(ctx, []string{"rewind", "@", "mark", "--digest", "-"}); code != exitInterrupted {
		t.Errorf("exit code %d, want %d", code, exitInterrupted)
	}
	if got, want := said.String(), "stemma: interrupted; what was reported as done is kept\n"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
}

// A fullDisk is an output that takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestAWriteThatFailsIsReported(t *testing.T) {
	var said bytes.Buffer
	a := newApp(bytes.NewReader(nil), fullDisk{}, &said)
	if code := a.execute(t.Context(), []string{"version"}); code != exitFailed || said.Len() == 0 {
		t.Errorf("exit code %d, said %q", code, &said)
	}
}
