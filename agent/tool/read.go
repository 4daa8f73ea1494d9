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
	"slices"
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

func (t readTool) place(c Call) (place, *Workspace, error) { return t.w.placeOf(c) }

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

func (t readTool) Run(ctx context.Context, c Call) Result {
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
	f, info, err := p.open()
	if err != nil {
		return Fail(plain(err).Error())
	}
	defer f.Close()
	if info.IsDir() {
		return listDirectory(f)
	}
	return show(ctx, f, info, a)
}

func listDirectory(dir *os.File) Result {
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return Fail(plain(err).Error())
	}
	if len(entries) == 0 {
		return found("The directory is empty.")
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	var b strings.Builder
	for _, e := range entries[:min(len(entries), readLines)] {
		b.WriteString(e.Name())
		if e.IsDir() {
			b.WriteByte('/')
		}
		b.WriteByte('\n')
	}
	if more := len(entries) - readLines; more > 0 {
		fmt.Fprintf(&b, "(And %d more: glob finds files by a pattern.)\n", more)
	}
	return found(b.String())
}

// show shows a regular file as what it is.
func show(ctx context.Context, f *os.File, info fs.FileInfo, a readArguments) Result {
	r := bufio.NewReaderSize(f, 64<<10)
	start, err := r.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return Fail(plain(err).Error())
	}
	switch media := http.DetectContentType(start); {
	case len(start) == 0:
		return found("The file is empty.")
	case isImage(media):
		return showMedia(r, info, func(data []byte) message.Content { return message.NewImage(media, data) })
	case media == "application/pdf":
		return showMedia(r, info, func(data []byte) message.Content {
			return message.Document{Media: message.Media{Type: media, Data: data, Size: int64(len(data)), Name: info.Name()}}
		})
	case bytes.IndexByte(start, 0) >= 0:
		return Fail(fmt.Sprintf("%s is no text: %s, %d bytes", info.Name(), media, info.Size()))
	}
	return showLines(ctx, r, max(a.Offset, 1), a.Limit)
}

// isImage reports whether all providers that see images take this kind
// (2026-11).
func isImage(media string) bool {
	return media == "image/png" || media == "image/jpeg" || media == "image/gif" || media == "image/webp"
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
func showLines(ctx context.Context, r *bufio.Reader, offset, limit int) Result {
	if limit <= 0 {
		limit = readLines
	}
	var b strings.Builder
	number, rest := 0, false
	for ctx.Err() == nil {
		line, lost, err := readLine(r, readBytes)
		if len(line) > 0 {
			number++
			if rest = number-offset >= limit || b.Len() > readBytes; rest {
				break
			}
			if number >= offset {
				fmt.Fprintf(&b, "%d\t%s\n", number, cutText(strings.TrimRight(string(line), "\r\n"), readBytes, lost))
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
	case ctx.Err() != nil:
		return Fail("interrupted")
	case rest:
		fmt.Fprintf(&b, "(There is more: go on with offset %d.)\n", number)
	case b.Len() == 0:
		return Fail(fmt.Sprintf("the file has %d lines: offset %d is behind its end", number, offset))
	}
	return found(b.String())
}

// readLine reads a line with its end. Of a longer one than limit the first
// bytes are kept, and how many were lost is counted: a line can be as long as a
// disk.
func readLine(r *bufio.Reader, limit int) (line []byte, lost int, err error) {
	for {
		piece, err := r.ReadSlice('\n')
		kept := min(len(piece), limit-len(line))
		line = append(line, piece[:kept]...)
		lost += len(piece) - kept
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, lost, err
		}
	}
}

// validText returns at most limit bytes of a text, cut at a character, with
// what is no UTF-8 replaced.
func validText(s string, limit int) string { return cutText(s, limit, 0) }

// cutText is validText for a text of which some bytes were lost already.
func cutText(s string, limit, lost int) string {
	if len(s)+lost > limit {
		cut := min(limit, len(s))
		for cut > 0 && cut < len(s) && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = fmt.Sprintf("%s (and %d bytes more)", s[:cut], len(s)-cut+lost)
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
