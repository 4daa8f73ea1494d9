package tool

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/stemma-history/stemma/wire"
)

const (
	// grepLines is how many lines a search shows, grepBytes how much of each,
	// and grepLine how much of each is looked at.
	grepLines = 500
	grepBytes = 400
	grepLine  = 8 << 20
)

// Grep returns the tool that finds lines in files by a regular expression.
func Grep(w *Workspace) Tool { return grepTool{w} }

type grepTool struct{ w *Workspace }

func (t grepTool) place(c Call) (place, *Workspace, error) { return t.w.placeOf(c) }

func (grepTool) ReadOnly() bool { return true }

func (grepTool) Definition() wire.Tool {
	return wire.Tool{
		Name: "grep",
		Description: "Finds the lines of files that a regular expression (RE2, as in Go) matches, as path:line:text. " +
			"Files that git ignores, and files that are no text, are left out.",
		Schema: schema(`"pattern":{"type":"string"},`+
			`"path":{"type":"string","description":"file or directory to look in; default: the working directory"},`+
			`"glob":{"type":"string","description":"only files with such names, for example **/*.go"},`+
			`"ignore_case":{"type":"boolean"}`, "pattern"),
	}
}

type grepArguments struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path"`
	Glob       string `json:"glob"`
	IgnoreCase bool   `json:"ignore_case"`
}

func (t grepTool) Run(ctx context.Context, c Call) Result {
	a, err := decode[grepArguments](c.Arguments)
	if err == nil {
		err = required("pattern", a.Pattern)
	}
	if err != nil {
		return Fail(err.Error())
	}
	if a.IgnoreCase {
		a.Pattern = "(?i)" + a.Pattern
	}
	pattern, err := regexp.Compile(a.Pattern)
	if err != nil {
		return Fail(err.Error())
	}
	p, err := t.w.find(a.Path)
	if err != nil {
		return Fail(err.Error())
	}
	names, err := p.files(ctx, false)
	if err != nil {
		return Fail(err.Error())
	}
	hits := &matches{}
	for _, name := range names {
		if a.Glob != "" && !doublestar.MatchUnvalidated(a.Glob, name) {
			continue
		}
		if err := hits.search(ctx, p, name, p.shown(t.w, name), pattern); err != nil {
			fmt.Fprintf(&hits.text, "%s: %v\n", p.shown(t.w, name), plain(err))
		}
		if ctx.Err() != nil {
			return Fail("interrupted")
		}
		if hits.lines >= grepLines {
			fmt.Fprintf(&hits.text, "(Only the first %d lines are shown: make the pattern or the path narrower.)\n", grepLines)
			break
		}
	}
	if hits.text.Len() == 0 {
		return found("No line matches.")
	}
	return found(hits.text.String())
}

// matches is what a search has found so far.
type matches struct {
	text  strings.Builder
	lines int
}

// search adds the lines of one file.
func (m *matches) search(ctx context.Context, p place, name, shown string, pattern *regexp.Regexp) error {
	f, _, err := place{p.root, filepath.Join(p.name, name)}.open()
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 64<<10)
	if start, _ := r.Peek(8 << 10); bytes.IndexByte(start, 0) >= 0 {
		return nil
	}
	for number := 1; m.lines < grepLines; number++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		line, _, err := readLine(r, grepLine)
		line = bytes.TrimRight(line, "\r\n")
		if at := pattern.FindIndex(line); at != nil && (err == nil || len(line) > 0) {
			fmt.Fprintf(&m.text, "%s:%d:%s\n", shown, number, around(line, at[0]))
			m.lines++
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// around returns the piece of a long line that a match begins in.
func around(line []byte, at int) string {
	if from := at - grepBytes/4; len(line) > grepBytes && from > 0 {
		return "… " + validText(string(line[from:]), grepBytes)
	}
	return validText(string(line), grepBytes)
}
