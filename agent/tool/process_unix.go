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

// stopGroup asks a group to end, and kills what is left of it after a while.
func stopGroup(cmd *exec.Cmd, grace time.Duration) error {
	pid := cmd.Process.Pid
	if err := syscall.Kill(-pid, syscall.SIGTERM); errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	for wait := time.Millisecond; grace > 0; wait *= 2 {
		time.Sleep(min(wait, grace))
		grace -= wait
		if err := syscall.Kill(-pid, 0); errors.Is(err, syscall.ESRCH) {
			return nil
		}
	}
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	return nil
}
