//go:build !windows

package cli

import "os"

// showsColours reports whether a terminal understands control sequences.
func showsColours(*os.File) bool { return true }
