//go:build unix

package tool

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// group puts a command and all that it starts into a process group of its own.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// stopGroup asks a command, and what it has started, to end, and kills what is
// left of it after a while.
func stopGroup(cmd *exec.Cmd, grace time.Duration) error {
	groups := groupsOf(cmd.Process.Pid) // before parents end, by whom the others are known
	if reach(groups, syscall.SIGTERM) == 0 {
		return os.ErrProcessDone
	}
	for wait := time.Millisecond; grace > 0; wait *= 2 {
		time.Sleep(min(wait, grace))
		grace -= wait
		if reach(groups, 0) == 0 {
			return nil
		}
	}
	reach(groups, syscall.SIGKILL)
	return nil
}

// reach sends a signal to process groups, and returns how many are there.
func reach(groups []int, s syscall.Signal) (there int) {
	for _, g := range groups {
		if !errors.Is(syscall.Kill(-g, s), syscall.ESRCH) {
			there++
		}
	}
	return there
}
