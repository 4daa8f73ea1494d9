package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// argumentsOf returns the check that a command gets the arguments of its Use
// line: CONV has to be there, [ENTRY] may be, FILE... may be more than one.
func argumentsOf(c *cobra.Command) cobra.PositionalArgs {
	words := strings.Fields(c.Use)[1:]
	least, most := 0, len(words)
	for _, w := range words {
		if !strings.HasPrefix(w, "[") {
			least++
		}
		if strings.Contains(w, "...") {
			most = -1
		}
	}
	return func(c *cobra.Command, args []string) error {
		if len(args) >= least && (most < 0 || len(args) <= most) {
			return nil
		}
		want := strings.Join(words, " ")
		if want == "" {
			want = "no arguments"
		}
		return fmt.Errorf("%s: expected %s, got %s; see %s --help", c.Name(), want, count(len(args), "argument"), c.CommandPath())
	}
}
