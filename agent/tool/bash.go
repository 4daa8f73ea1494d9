package tool

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

const (
	// commandTime is how long a command may run that asks for no time, and
	// longestCommand the most that it may ask for.
	commandTime    = 2 * time.Minute
	longestCommand = time.Hour
	// killGrace is how long a command has to end by itself after it was told to.
	killGrace = 2 * time.Second
	// pipeGrace is how long output is awaited after a command has ended: what it
	// left in the background may hold its pipe for ever.
	pipeGrace = time.Second
)

// A Shell is what runs commands.
type Shell struct {
	// Path is the program that takes -c COMMAND. Default: bash, else sh.
	Path string
	// Env is the environment of commands. Default: that of this process.
	Env []string
}

// Bash returns the tool that runs commands of a shell in the working directory.
// A command can reach whatever the process can.
//
// Where a call is cancelled, or takes too long, what it has started ends with it:
// on Linux whatever descends from it then, elsewhere what is in its process
// group. A daemon, whose parent has ended before, is out of reach and goes on.
func Bash(w *Workspace, s Shell) Tool { return bashTool{w, s} }

type bashTool struct {
	w     *Workspace
	shell Shell
}

func (bashTool) ReadOnly() bool { return false }

func (bashTool) Definition() wire.Tool {
	return wire.Tool{
		Name: "bash",
		Description: "Runs a command of the shell in the working directory, and returns what it prints on both outputs. " +
			"There is no terminal and no input. Each command has a shell of its own.",
		Schema: schema(`"command":{"type":"string"},`+
			`"timeout":{"type":"integer","minimum":1,"description":"seconds; default 120, at most 3600"}`, "command"),
	}
}

func (t bashTool) Run(ctx context.Context, c Call) Result {
	a, err := decode[struct {
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
	}](c.Arguments)
	if err == nil {
		err = required("command", a.Command)
	}
	if err != nil {
		return Fail(err.Error())
	}
	limit := commandTime
	if a.Timeout > 0 {
		limit = time.Duration(min(a.Timeout, int(longestCommand/time.Second))) * time.Second
	}
	out := &output{progress: c.Progress}
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err = t.shell.run(timed, t.w.Dir(), a.Command, out)
	return commandResult(out.text(), err, ctx.Err() != nil, timed.Err() != nil, limit)
}

// run runs a command to its end, and takes down everything it started where ctx
// ends first.
func (s Shell) run(ctx context.Context, dir, command string, out *output) error {
	path := s.Path
	if path == "" {
		path = "sh"
		if found, err := exec.LookPath("bash"); err == nil {
			path = found
		}
	}
	cmd := exec.CommandContext(ctx, path, "-c", command)
	cmd.Dir, cmd.Env = dir, s.Env
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = killGrace + pipeGrace
	group(cmd)
	cmd.Cancel = func() error { return stopGroup(cmd, killGrace) }
	err := cmd.Run()
	out.flush()
	return err
}

// commandResult says how a command ended.
func commandResult(text string, err error, cancelled, late bool, limit time.Duration) Result {
	end, outcome := "", message.Failed
	var exit *exec.ExitError
	switch {
	case err == nil: // it had ended before it could be stopped
		outcome = message.OK
		if text == "" {
			end = "(No output.)"
		}
	case cancelled:
		end, outcome = "Interrupted: what the command had done until then stays done.", message.Unknown
	case late:
		end = fmt.Sprintf("Stopped after %s: the command took longer.", limit)
	case errors.Is(err, exec.ErrWaitDelay):
		end, outcome = "A process that the command left in the background still held its output, which is closed now.", message.OK
	case errors.As(err, &exit):
		end = "Ended with " + exit.String() + "."
	default:
		end = "The command could not be run: " + err.Error()
	}
	if text != "" && end != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	r := Text(text + end)
	r.Outcome = outcome
	return r
}
