package tool

import (
	"context"
	"errors"
	"fmt"
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
	if err := p.write([]byte(*a.Content)); err != nil {
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

// write replaces a file in one step: whoever reads it sees all of the old
// content or all of the new, and a full disk leaves the old.
func (p place) write(data []byte) error {
	mode := fs.FileMode(0o666)
	switch info, err := p.root.Stat(p.name); {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file", p.name)
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	dir := filepath.Dir(p.name)
	if err := p.root.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	temporary := filepath.Join(dir, "."+filepath.Base(p.name)+"."+uuid.NewString()[:8])
	if err := writeSynced(p.root, temporary, data, mode); err != nil {
		_ = p.root.Remove(temporary)
		return err
	}
	if err := p.root.Rename(temporary, p.name); err != nil {
		_ = p.root.Remove(temporary)
		return err
	}
	return nil
}

func writeSynced(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
