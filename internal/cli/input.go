package cli

import (
	"bufio"
	"context"
	"io"
	"os"
	"strings"
)

// readAll reads standard input to its end, or until ctx ends: a read that waits
// for a person cannot be interrupted, but it can be left behind.
func (a *app) readAll(ctx context.Context) (string, error) {
	return untilDone(ctx, func() (string, error) {
		text, err := io.ReadAll(a.in)
		return string(text), err
	})
}

// ask asks a question on the terminal. Off it, or without an answer, it is no.
func (a *app) ask(ctx context.Context, question string) (bool, error) {
	if file, ok := a.in.(*os.File); !ok || !isTerminal(file) || !a.err.terminal {
		return false, nil
	}
	_ = a.out.Flush()
	a.err.printf("%s [y/N] ", question)
	_ = a.err.Flush()
	answer, err := untilDone(ctx, func() (string, error) {
		line, err := bufio.NewReader(a.in).ReadString('\n')
		if err == io.EOF {
			err = nil
		}
		return line, err
	})
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", err
}

func untilDone(ctx context.Context, read func() (string, error)) (string, error) {
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read()
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
