package pagecache

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A process looks at the size of the directory at its first write, and again
// whenever it has written a sixteenth of the capacity: so the directory may be
// that much too large for each process that writes at the same time. A look at
// 4,000 pages takes some milliseconds.
const lookEvery = 16

// count notes that bytes were written, and holds the directory to its size.
func (c *Cache) count(bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.written += bytes
	if c.pruned && c.written < c.capacity/lookEvery {
		return
	}
	c.pruned, c.written = true, 0
	c.prune()
}

// abandonedAfter is how old a file must be that a process left half written.
const abandonedAfter = time.Hour

type used struct {
	file  string
	bytes int64
	at    time.Time
}

// prune removes the pages that were used longest ago, until a sixteenth of the
// capacity is free, and what other processes left half written. What cannot be
// looked at or removed stays.
func (c *Cache) prune() {
	var pages []used
	var total int64
	_ = filepath.WalkDir(c.directory, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil //nolint:nilerr // another process may have removed it
		}
		info, err := entry.Info()
		if err != nil {
			return nil //nolint:nilerr // the same
		}
		switch {
		case strings.HasSuffix(file, extension):
			pages = append(pages, used{file, info.Size(), info.ModTime()})
			total += info.Size()
		case c.now().Sub(info.ModTime()) > abandonedAfter:
			if matched, _ := filepath.Match(temporaryPattern, entry.Name()); matched {
				_ = os.Remove(file)
			}
		}
		return nil
	})
	if total <= c.capacity {
		return
	}
	slices.SortFunc(pages, func(a, b used) int { return cmp.Or(a.at.Compare(b.at), strings.Compare(a.file, b.file)) })
	for _, p := range pages {
		if total <= c.capacity-c.capacity/lookEvery {
			return
		}
		_ = os.Remove(p.file)
		total -= p.bytes
	}
}
