package tool

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

const (
	// readLines is how many lines a read shows that asks for no number: more
	// than nearly all source files have.
	readLines = 2000
	// readBytes is the most that one read returns, in bytes.
	readBytes = 1 << 20
	// mediaBytes is the largest image or document that a read shows: 10 MB of
	// base64, what the Anthropic API takes (2026-11).
	mediaBytes = 10_000_000 / 4 * 3
)

// Read returns the tool that shows files: text with line numbers, images,
// PDFs, and the names in a directory.
func Read(w *Workspace) Tool { return readTool{w} }

type readTool struct{ w *Workspace }

func (readTool) ReadOnly() bool { return true }

func (readTool) Definition() wire.Tool {
	return wire.Tool{
		Name: "read",
		Description: "Shows a file. Lines of text stand behind their number and a tab, which are not part of the file. " +
			"Images and PDFs are shown as such, directories as a list of names.",
		Schema: schema(`"path":{"type":"string","description":"relative to the working directory, or absolute"},`+
			`"offset":{"type":"integer","minimum":1,"description":"first line to show, from 1"},`+
			`"limit":{"type":"integer","minimum":1,"description":"how many lines; default 2000"}`, "path"),
	}
}

type readArguments struct {
	Path          string `json:"path"`
	Offset, Limit int
}

func (t readTool) Run(_ context.Context, c Call) Result {
	a, err := decode[readArguments](c.Arguments)
	if err == nil {
		err = required("path", a.Path)
	}
	if err != nil {
		return Fail(err.Error())
	}
	p, err := t.w.find(a.Path)
	if err != nil {
		return Fail(err.Error())
	}
	f, err := p.root.Open(p.name)
	if err != nil {
		return Fail(plain(err).Error())
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return Fail(plain(err).Error())
	case info.IsDir():
		return listDirectory(f)
	case !info.Mode().IsRegular():
		return Fail(a.Path + " is no regular file")
	}
	return show(f, info, a)
}

func listDirectory(dir *os.File) Result {
	entries, err := dir.ReadDir(readLines)
	if err != nil && !errors.Is(err, io.EOF) {
		return Fail(plain(err).Error())
	}
	if len(entries) == 0 {
		return found("The directory is empty.")
	}
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(e.Name())
		if e.IsDir() {
			b.WriteByte('/')
		}
		b.WriteByte('\n')
	}
	if len(entries) == readLines {
		fmt.Fprintf(&b, "(Only the first %d names are shown.)\n", readLines)
	}
	return found(b.String())
}

// show shows a regular file as what it is.
func show(f *os.File, info fs.FileInfo, a readArguments) Result {
	r := bufio.NewReaderSize(f, 64<<10)
	start, err := r.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return Fail(plain(err).Error())
	}
	switch media := http.DetectContentType(start); {
	case len(start) == 0:
		return found("The file is empty.")
	case media == "image/png", media == "image/jpeg", media == "image/gif", media == "image/webp":
		return showMedia(r, info, func(data []byte) message.Content { return message.NewImage(media, data) })
	case media == "application/pdf":
		return showMedia(r, info, func(data []byte) message.Content {
			return message.Document{Media: message.Media{Type: media, Data: data, Size: int64(len(data)), Name: info.Name()}}
		})
	case bytes.IndexByte(start, 0) >= 0:
		return Fail(fmt.Sprintf("%s is no text: %s, %d bytes", info.Name(), media, info.Size()))
	}
	return showLines(r, max(a.Offset, 1), a.Limit)
}

func showMedia(r io.Reader, info fs.FileInfo, content func([]byte) message.Content) Result {
	if info.Size() > mediaBytes {
		return Fail(fmt.Sprintf("%s has %d bytes: at most %d can be shown", info.Name(), info.Size(), mediaBytes))
	}
	data, err := io.ReadAll(io.LimitReader(r, mediaBytes))
	if err != nil {
		return Fail(plain(err).Error())
	}
	return Result{Content: []message.Content{content(data)}, Uneventful: true}
}

// showLines numbers lines from the one at offset on.
func showLines(r *bufio.Reader, offset, limit int) Result {
	if limit <= 0 {
		limit = readLines
	}
	var b strings.Builder
	number, rest := 0, false
	for {
		line, err := r.ReadString('\n')
		if line != "" {
			number++
			if rest = number >= offset+limit || b.Len() > readBytes; rest {
				break
			}
			if number >= offset {
				fmt.Fprintf(&b, "%d\t%s\n", number, validText(strings.TrimRight(line, "\r\n"), readBytes))
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Fail(plain(err).Error())
		}
	}
	switch {
	case rest:
		fmt.Fprintf(&b, "(There is more: go on with offset %d.)\n", number)
	case b.Len() == 0:
		return Fail(fmt.Sprintf("the file has %d lines: offset %d is behind its end", number, offset))
	}
	return found(b.String())
}

// validText returns at most limit bytes of a text, cut at a character, with
// what is no UTF-8 replaced.
func validText(s string, limit int) string {
	if len(s) > limit {
		cut := limit
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = fmt.Sprintf("%s (and %d bytes more)", s[:cut], len(s)-cut)
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
