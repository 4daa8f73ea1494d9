// Package cli is the command stemma: one file a command, each an options
// struct, a constructor that only parses, and a run function that only works.
//
// Commands hold no logic of their own: they name things (a conversation, an
// entry), call the public packages, and print. What they print is a table or a
// document on a terminal, tab-separated values or plain text off it, and JSON
// with --json. [Main] turns the error that a command returns into an exit code.
package cli
