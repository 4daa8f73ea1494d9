package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/transcript"
)

// A sourceFile is a file that may be imported.
type sourceFile struct {
	path     string
	size     int64
	modified time.Time
	tool     string // where it was looked for
	named    bool   // by an argument of its own, not found in a directory
}

// foundJSON is a file that could be imported.
type foundJSON struct {
	Tool     string    `json:"tool"`
	File     string    `json:"file"`
	Bytes    int64     `json:"bytes"`
	Modified time.Time `json:"modified"`
}

func newFoundJSON(f sourceFile) foundJSON {
	return foundJSON{f.tool, f.path, f.size, f.modified.UTC()}
}

// expand returns the files that paths name, and those in the directories among
// them.
func (a *app) expand(paths []string) ([]sourceFile, error) {
	files := []sourceFile{}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, newSourceFile(path, info, "", true))
			continue
		}
		found, err := a.filesBelow(path)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return files, nil
}

// filesBelow returns the files in a directory and below. Those that stand higher
// come first, since sessions of sub-agents stand below the one that started
// them. What cannot be read is reported and left out.
func (a *app) filesBelow(directory string) ([]sourceFile, error) {
	root, err := filepath.EvalSymlinks(directory) // a walk does not follow links
	if err != nil {
		return nil, err
	}
	var found []sourceFile
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		var info fs.FileInfo
		if err == nil && d.Type().IsRegular() {
			info, err = d.Info()
		}
		switch {
		case err != nil && path == root:
			return err
		case err != nil:
			a.err.printf("stemma: left out: %v\n", err)
		case info != nil:
			name := filepath.Join(directory, strings.TrimPrefix(path, root))
			found = append(found, newSourceFile(name, info, "", false))
		}
		return nil
	})
	slices.SortStableFunc(found, func(a, b sourceFile) int {
		return strings.Count(a.path, string(filepath.Separator)) - strings.Count(b.path, string(filepath.Separator))
	})
	return found, err
}

func newSourceFile(path string, info fs.FileInfo, tool string, named bool) sourceFile {
	return sourceFile{path: path, size: info.Size(), modified: info.ModTime(), tool: tool, named: named}
}

// findSessions returns the files in the places of the known tools, by tool.
func findSessions(all []transcript.Format) ([]sourceFile, error) {
	home, _ := os.UserHomeDir() // formats leave out what they cannot know
	directory, _ := os.Getwd()
	machine := transcript.Machine{Home: home, Getenv: os.Getenv, Directory: directory}
	files := []sourceFile{}
	for _, format := range all {
		paths, err := transcript.Places([]transcript.Format{format}, machine)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				files = append(files, newSourceFile(path, info, format.Name(), false))
			}
		}
	}
	return files, nil
}

// listFound shows what could be imported: a line a tool on a terminal, a line a
// file off it.
func (a *app) listFound(files []sourceFile) {
	if !a.out.terminal {
		t := a.table()
		for _, f := range files {
			t.row(cell{value: f.tool}, cell{value: f.path}, cell{value: strconv.FormatInt(f.size, 10)}, cell{value: words.Stamp(f.modified)})
		}
		return
	}
	t := a.table(column{title: "TOOL"}, column{title: "FILES", right: true}, column{title: "SIZE", right: true}, column{title: "LATEST"}, column{title: "IN", flexible: true})
	for len(files) > 0 {
		tool := files[0].tool
		n := slices.IndexFunc(files, func(f sourceFile) bool { return f.tool != tool })
		if n < 0 {
			n = len(files)
		}
		var size int64
		var latest time.Time
		in := filepath.Dir(files[0].path)
		for _, f := range files[:n] {
			size += f.size
			if f.modified.After(latest) {
				latest = f.modified
			}
			in = commonDirectory(in, filepath.Dir(f.path))
		}
		t.row(
			cell{value: tool, style: bold},
			cell{value: words.Thousands(n)},
			cell{value: words.ByteSize(size)},
			cell{value: words.Ago(latest, a.now())},
			cell{value: in, style: faint},
		)
		files = files[n:]
	}
	t.print()
}

// commonDirectory returns the directory that both are in, or are; "" where there
// is none, as on two drives.
func commonDirectory(a, b string) string {
	for a != b {
		longer := &a
		if len(b) > len(a) {
			longer = &b
		}
		up := filepath.Dir(*longer)
		if up == *longer {
			return ""
		}
		*longer = up
	}
	return a
}
