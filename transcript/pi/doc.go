// Package pi reads the session files of pi and of tools built on it, such as
// oh-my-pi.
//
// A session is a file of JSON lines: a header, then entries that name the entry
// they continue from. Files of the first version (2025) are lists without ids.
// Facts on the format are from the tool's source and documentation (versions 1
// to 3 of the format, 2025 to 2026).
package pi
