package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/internal/words"
)

// argumentsOf returns the check that a command gets the arguments of its Use
// line: CONV has to be there, [ENTRY] may be, FILE... may be more than one.
func argumentsOf(c *cobra.Command) cobra.PositionalArgs {
	fields := strings.Fields(c.Use)[1:]
	least, most := 0, len(fields)
	for _, w := range fields {
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
		want := strings.Join(fields, " ")
		if want == "" {
			want = "no arguments"
		}
		return fmt.Errorf("%s: expected %s, got %s; see %s --help", c.Name(), want, words.Count(len(args), "argument"), c.CommandPath())
	}
}
