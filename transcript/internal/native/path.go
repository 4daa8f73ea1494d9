package native

import "path/filepath"

// Directory returns the absolute form of the directory that a path is in.
func Directory(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil { // the working directory is gone
		return filepath.Dir(path)
	}
	return filepath.Dir(abs)
}
