package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// A Workspace is where tools may read and write: a directory, and others that
// were allowed besides. Nothing outside is reached, through links neither.
type Workspace struct {
	roots  []*os.Root // the first is the working directory; all names are absolute and free of links
	change sync.Mutex // held while a file is read and written back
}

// OpenWorkspace opens a working directory and others that are allowed.
func OpenWorkspace(dir string, allowed ...string) (*Workspace, error) {
	w := &Workspace{}
	for _, d := range append([]string{dir}, allowed...) {
		root, err := openRoot(d)
		if err != nil {
			_ = w.Close()
			return nil, err
		}
		w.roots = append(w.roots, root)
	}
	return w, nil
}

func openRoot(dir string) (*os.Root, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

// Close closes the workspace.
func (w *Workspace) Close() error {
	var errs []error
	for _, r := range w.roots {
		errs = append(errs, r.Close())
	}
	return errors.Join(errs...)
}

// Dir is the working directory: absolute, and free of links.
func (w *Workspace) Dir() string { return w.roots[0].Name() }

// A place is a path inside a root.
type place struct {
	root *os.Root
	name string // relative to the root, "." for the root itself
}

// find resolves a path that a model wrote, relative to the working directory or
// absolute. The file need not exist.
func (w *Workspace) find(path string) (place, error) {
	if path == "" {
		path = "."
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.Dir(), path)
	}
	real, err := resolve(filepath.Clean(path))
	if err != nil {
		return place{}, err
	}
	for _, r := range w.roots {
		if name, err := filepath.Rel(r.Name(), real); err == nil && filepath.IsLocal(name) {
			return place{r, name}, nil
		}
	}
	return place{}, fmt.Errorf("%s is outside of the working directory %s: ask the person to allow its directory", path, w.Dir())
}

// resolve follows the links of as much of a path as exists.
func resolve(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", plain(err)
	}
	if _, err := os.Lstat(path); err == nil {
		return "", fmt.Errorf("%s is a link to something that does not exist", path)
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path, nil
	}
	real, err = resolve(parent)
	return filepath.Join(real, filepath.Base(path)), err
}

// open opens a file or directory for reading. Pipes and devices are refused
// before they are opened, which could wait for ever or do something.
func (p place) open() (*os.File, fs.FileInfo, error) {
	info, err := p.root.Stat(p.name)
	if err != nil {
		return nil, nil, err
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s is no regular file", p.name)
	}
	f, err := p.root.Open(p.name)
	return f, info, err
}

// String is how a model reads the place: relative inside the working directory.
func (p place) String(w *Workspace) string {
	if p.root == w.roots[0] {
		return filepath.ToSlash(p.name)
	}
	return filepath.ToSlash(filepath.Join(p.root.Name(), p.name))
}

// plain returns an error of the file system without the name of the system
// call, which tells a model nothing.
func plain(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return fmt.Errorf("%s: %s", pathErr.Path, reason(pathErr.Err))
	}
	return err
}

func reason(err error) string {
	return strings.TrimPrefix(err.Error(), "file system: ")
}
