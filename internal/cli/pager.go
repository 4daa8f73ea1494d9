package cli

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// paged runs print with its output in a pager: $STEMMA_PAGER, else $PAGER, else
// less, which shows what fits the screen without staying. Off a terminal, or
// where the pager is cat or cannot be started, print writes as ever.
func (a *app) paged(print func() error) error {
	fields := pagerCommand()
	if a.out.screen == nil || !a.out.terminal || len(fields) == 0 {
		return print()
	}
	path, err := exec.LookPath(fields[0])
	if err != nil {
		return print()
	}
	pager := exec.Command(path, fields[1:]...)
	pager.Stdout, pager.Stderr = a.out.screen, os.Stderr
	if os.Getenv("LESS") == "" {
		pager.Env = append(os.Environ(), "LESS=FRX") // quit if it fits; colours; leave it on the screen
	}
	pipe, err := pager.StdinPipe()
	if err != nil {
		return err
	}
	if err := pager.Start(); err != nil {
		return print()
	}
	restore := a.out.redirect(pipe)
	err = print()
	flushed := a.out.Flush()
	restore()
	closed := pipe.Close()
	waited := pager.Wait()
	if errors.Is(flushed, syscall.EPIPE) {
		return nil // the person has read enough
	}
	return errors.Join(err, flushed, closed, waited)
}

func pagerCommand() []string {
	for _, name := range []string{"STEMMA_PAGER", "PAGER"} {
		if command, ok := os.LookupEnv(name); ok {
			if command == "cat" {
				return nil
			}
			return strings.Fields(command)
		}
	}
	return []string{"less"}
}
