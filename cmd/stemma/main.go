// Command stemma keeps the conversations of LLM agents as trees, and makes
// them fit the model's context window without losing a word.
package main

import (
	"os"

	"github.com/stemma-history/stemma/internal/cli"
)

func main() { os.Exit(cli.Main()) }
