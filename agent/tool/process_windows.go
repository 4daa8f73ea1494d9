package tool

import (
	"os/exec"
	"strconv"
	"time"
)

func group(*exec.Cmd) {}

// stopGroup ends a command and its children: Windows has no groups to ask.
func stopGroup(cmd *exec.Cmd, _ time.Duration) error {
	if err := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run(); err != nil {
		return cmd.Process.Kill()
	}
	return nil
}
