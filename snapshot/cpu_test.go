//go:build unix

package snapshot

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time that the process has used, which tells
// more than the clock on a machine with other work to do.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
