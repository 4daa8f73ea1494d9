package tool

import (
	"bytes"
	"context"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// heavy are directories that hold what was built or fetched. They are not
// walked where there is no git to say what belongs to a project.
var heavy = []string{".git", ".hg", ".svn", "node_modules", ".venv", "__pycache__"}

// placeOf is where a call goes that names a path, or the working directory.
func (w *Workspace) placeOf(c Call) (place, *Workspace, error) {
	a, err := decode[struct{ Path string }](c.Arguments)
	if err != nil {
		return place{}, nil, err
	}
	p, err := w.find(a.Path)
	return p, w, err
}

// Files returns the files of the working directory as slash paths relative to
// it, sorted; those that git ignores are left out.
func (w *Workspace) Files(ctx context.Context) ([]string, error) {
	return place{w.roots[0], "."}.files(ctx, false)
}

// files returns the files below a place, as slash paths relative to it, sorted.
// Inside a git repository they are those that git would show, unless ignored
// ones are asked for too.
func (p place) files(ctx context.Context, ignored bool) ([]string, error) {
	if info, err := p.root.Stat(p.name); err != nil {
		return nil, plain(err)
	} else if !info.IsDir() {
		return []string{"."}, nil
	}
	if !ignored {
		// A directory of which git knows nothing is ignored itself, and was named.
		if names, ok := p.gitFiles(ctx); ok && (len(names) > 0 || p.name == ".") {
			return names, nil
		}
	}
	sub, err := fs.Sub(p.root.FS(), filepath.ToSlash(p.name))
	if err != nil {
		return nil, err
	}
	var names []string
	err = fs.WalkDir(sub, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return nil //nolint:nilerr // what may not be read is left out
		case d.IsDir() && name != "." && skipped(d.Name(), ignored):
			return fs.SkipDir
		case d.Type().IsRegular():
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

func skipped(dir string, ignored bool) bool {
	if ignored {
		return dir == ".git"
	}
	return slices.Contains(heavy, dir)
}

// gitFiles asks git, which knows all about ignored files. A repository's
// configuration may name programs: a monitor, and how to fetch a directory that
// is not there yet. None of them may run because somebody looks for a file.
func (p place) gitFiles(ctx context.Context) (names []string, ok bool) {
	cmd := exec.CommandContext(ctx, "git", "-c", "core.fsmonitor=false", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
	cmd.Dir = filepath.Join(p.root.Name(), p.name)
	cmd.Env = append(cmd.Environ(), "GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1")
	out, err := cmd.Output()
	if err != nil {
		return nil, false
	}
	for name := range bytes.SplitSeq(out, []byte{0}) {
		if len(name) == 0 {
			continue
		}
		if info, err := p.root.Lstat(filepath.Join(p.name, string(name))); err == nil && info.Mode().IsRegular() {
			names = append(names, string(name))
		}
	}
	slices.Sort(names)
	return names, true
}

// shown is how a model reads the name of a file that was found below the place.
func (p place) shown(w *Workspace, file string) string {
	return strings.TrimPrefix(path.Join(p.String(w), file), "./")
}
