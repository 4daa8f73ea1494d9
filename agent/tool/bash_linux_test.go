package tool_test

import (
	"context"
	"encoding/json"
	"os/exec"
	"strconv"
	"testing"

	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/message"
)

// TestBashEndsWhatLeftItsProcessGroup, by job control or as a session of its own.
func TestBashEndsWhatLeftItsProcessGroup(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
	for name, command := range map[string]string{
		"job control": `set -m; sleep 100 & echo $!; wait`,
		"a session":   `setsid sh -c 'echo $$; exec sleep 100' & wait`,
		"a session in a session, deaf to the first signal": `setsid sh -c 'setsid sh -c "trap \"\" TERM; echo \$\$; sleep 100" & wait' & wait`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each waits until the dead are buried
			b := newBench(t, nil)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			arguments, err := json.Marshal(map[string]string{"command": command})
			if err != nil {
				t.Fatal(err)
			}
			pid := 0
			r := tool.Bash(b.w, tool.Shell{}).Run(ctx, tool.Call{Arguments: arguments, Progress: func(line string) {
				pid, _ = strconv.Atoi(line)
				cancel()
			}})
			b.wants(r, message.Unknown, "Interrupted")
			if pid == 0 || alive(pid) {
				t.Errorf("process %d still runs", pid)
			}
		})
	}
}
