package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// showsColours makes the console understand control sequences, which those of
// Windows 10 do only when they are asked to, and reports whether it does.
func showsColours(console *os.File) bool {
	handle := windows.Handle(console.Fd())
	var mode uint32
	if windows.GetConsoleMode(handle, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(handle, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
