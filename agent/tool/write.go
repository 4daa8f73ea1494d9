package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"github.com/stemma-history/stemma/wire"
)

// Write returns the tool that writes whole files.
func Write(w *Workspace) Tool { return writeTool{w} }

type writeTool struct{ w *Workspace }

func (t writeTool) place(c Call) (place, *Workspace, error) { return t.w.placeOf(c) }

func (writeTool) ReadOnly() bool { return false }

func (writeTool) Definition() wire.Tool {
	return wire.Tool{
		Name:        "write",
		Description: "Writes a file whole, and the directories above it where they are missing. To change a part of a file, use edit.",
		Schema: schema(`"path":{"type":"string","description":"relative to the working directory, or absolute"},`+
			`"content":{"type":"string"}`, "path", "content"),
	}
}

func (t writeTool) Run(_ context.Context, c Call) Result {
	a, err := decode[struct {
		Path    string  `json:"path"`
		Content *string `json:"content"`
	}](c.Arguments)
	if err == nil {
		err = required("path", a.Path)
	}
	if err == nil && a.Content == nil {
		err = errors.New(`argument "content" is missing`)
	}
	if err != nil {
		return Fail(err.Error())
	}
	p, err := t.w.find(a.Path)
	if err != nil {
		return Fail(err.Error())
	}
	t.w.change.Lock()
	defer t.w.change.Unlock()
	if err := p.write([]byte(*a.Content), nil); err != nil {
		return Fail(plain(err).Error())
	}
	return Text(fmt.Sprintf("Wrote %s: %d lines, %d bytes.", p.String(t.w), lines(*a.Content), len(*a.Content)))
}

func lines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// read returns a file that is to be changed, and what it was then.
func (p place) read(limit int64) ([]byte, fs.FileInfo, error) {
	f, info, err := p.open()
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if info.IsDir() || info.Size() > limit {
		return nil, nil, fmt.Errorf("%s is no regular file of at most %d bytes", p.name, limit)
	}
	data, err := io.ReadAll(f)
	return data, info, err
}

// write replaces a file in one step: whoever reads it sees all of the old
// content or all of the new, and a full disk leaves the old. What it was when
// it was read, if it was, it must still be.
func (p place) write(data []byte, was fs.FileInfo) error {
	old, err := p.root.Stat(p.name)
	switch {
	case err == nil && !old.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file", p.name)
	case err == nil && old.Mode().Perm()&0o200 == 0:
		return fmt.Errorf("%s is read-only", p.name) // a rename would not mind
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	dir := filepath.Dir(p.name)
	if err := p.root.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	temporary := filepath.Join(dir, ".stemma-"+uuid.NewString()[:8]) // a name of its own may be too long
	if err := writeSynced(p.root, temporary, data, old); err != nil {
		_ = p.root.Remove(temporary)
		return err
	}
	if now, err := p.root.Stat(p.name); was != nil && (err != nil || now.Size() != was.Size() || !now.ModTime().Equal(was.ModTime())) {
		_ = p.root.Remove(temporary)
		return fmt.Errorf("%s was changed by another program meanwhile: read it again", p.name)
	}
	if err := p.root.Rename(temporary, p.name); err != nil {
		_ = p.root.Remove(temporary)
		return err
	}
	return nil
}

// writeSynced writes a new file, with the mode of the old one if there is any.
func writeSynced(root *os.Root, name string, data []byte, old fs.FileInfo) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	if old != nil {
		err = f.Chmod(old.Mode().Perm()) // the umask was for new files
	}
	if err == nil {
		_, err = f.Write(data)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
