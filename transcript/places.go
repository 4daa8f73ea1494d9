package transcript

import (
	"fmt"
	"path/filepath"
	"slices"
)

// Places returns the files that the tools keep on this machine, sorted, each
// once.
func Places(formats []Format, m Machine) ([]string, error) {
	var files []string
	for _, format := range formats {
		for _, pattern := range format.Places(m) {
			found, err := filepath.Glob(pattern)
			if err != nil {
				return nil, fmt.Errorf("places of %s: %q: %w", format.Name(), pattern, err)
			}
			files = append(files, found...)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// Dir returns the directory that the environment variable names, or else the
// given one below the home directory. It is empty where neither is known.
func (m Machine) Dir(variable string, below ...string) string {
	if m.Getenv != nil {
		if dir := m.Getenv(variable); dir != "" {
			return dir
		}
	}
	if m.Home == "" {
		return ""
	}
	return filepath.Join(append([]string{m.Home}, below...)...)
}
