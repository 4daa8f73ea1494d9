// Package aider reads the chats of aider: the Markdown file that it keeps in a
// repository.
//
// The file was made for people. It says who spoke by the beginnings of lines,
// and holds no tool calls, ids or times of messages, so what is read of it is
// near to what was said, and the import says so. Facts are from aider's source
// and from the history of its own repository (Aider-AI/aider, 2024-08).
package aider

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/native"
)

// Format is the Markdown of aider.
type Format struct{}

var _ transcript.Format = Format{}

// Name implements [transcript.Format].
func (Format) Name() string { return "aider" }

// fileName is what aider calls its history.
const fileName = ".aider.chat.history.md"

// Places implements [transcript.Format].
func (Format) Places(m transcript.Machine) []string {
	return []string{filepath.Join(m.Directory, fileName)}
}

// Detect implements [transcript.Format].
func (Format) Detect(f *transcript.File) bool {
	for line := range f.HeadLines() {
		if _, ok := chatBegins(string(line)); ok {
			return true
		}
	}
	return false
}

// chatBegins reads the line that begins a chat. Its time is of the machine's
// zone, which the file does not name; it is taken for UTC.
func chatBegins(line string) (time.Time, bool) {
	text, ok := strings.CutPrefix(line, "# aider chat started at ")
	if !ok {
		return time.Time{}, false
	}
	at, err := time.Parse(time.DateTime, strings.TrimSpace(text))
	return at, err == nil
}

// Read implements [transcript.Format].
func (Format) Read(ctx context.Context, f *transcript.File, sink transcript.Sink) error {
	r := reader{sink: sink}
	if filepath.Base(f.Path) == fileName {
		r.directory = native.Directory(f.Path)
	}
	r.begin(time.Time{})
	for line, err := range transcript.Lines(f.Reader()) {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = r.line(line)
		}
		if err != nil {
			return err
		}
		sink.Progress(line.Offset)
	}
	if err := r.end(); err != nil {
		return err
	}
	what := "aider's history is Markdown, and is read approximately: lines that begin with #### are taken for what was typed, lines that begin with > for notices of aider, the rest for answers; tool calls, ids and times are not in the file"
	if r.empty > 0 {
		what += fmt.Sprintf("; %d chats in which nothing was typed are left out", r.empty)
	}
	sink.Problem(transcript.Problem{What: what})
	return nil
}
