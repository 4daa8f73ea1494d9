package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newMan(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "man",
		Short: "Print the manual page",
		Long:  "Print the manual page stemma(1), with every command, in the format of man.",
		Example: `  stemma man | man -l -
  stemma man > ~/.local/share/man/man1/stemma.1`,
		RunE: func(c *cobra.Command, _ []string) error {
			writeManual(a.out, c.Root())
			return nil
		},
	}
}

// variables are what of the environment changes what every command does.
var variables = []struct{ name, meaning string }{
	{"STEMMA_STORE", "the store, where --store does not name one"},
	{"STEMMA_CONFIG", "another file of settings; stemma config lists them, each with a variable of its own"},
	{"STEMMA_PAGER, PAGER", "the program that shows long output on a terminal (default: less); cat is none"},
	{"STEMMA_COLUMNS", "lay out tables and drawings for a terminal of so many columns, also where there is none"},
	{"NO_COLOR", "any value: no colours"},
}

// writeManual writes the manual page of root and its commands, in the macros
// of man(7).
func writeManual(w io.Writer, root *cobra.Command) {
	fmt.Fprintf(w, ".TH STEMMA 1 \"\" \"stemma %s\" \"User Commands\"\n", roff(root.Version))
	fmt.Fprintf(w, ".SH NAME\nstemma \\- %s\n", roff(root.Short))
	fmt.Fprint(w, ".SH SYNOPSIS\n.B stemma\n.I COMMAND\n[flags]\n")
	fmt.Fprintf(w, ".SH DESCRIPTION\n%s\n", paragraphs(root.Long))
	manualExamples(w, root)
	fmt.Fprint(w, ".SH FLAGS OF EVERY COMMAND\n")
	manualFlags(w, root.PersistentFlags())
	for _, group := range root.Groups() {
		fmt.Fprintf(w, ".SH %s\n", roff(strings.ToUpper(group.Title)))
		for _, c := range root.Commands() {
			if c.GroupID == group.ID {
				manualCommand(w, c)
			}
		}
	}
	fmt.Fprint(w, ".SH ENVIRONMENT\n")
	for _, v := range variables {
		fmt.Fprintf(w, ".TP\n.B %s\n%s\n", v.name, roff(v.meaning))
	}
	fmt.Fprint(w, ".SH EXIT STATUS\n")
	for _, code := range exitCodes {
		fmt.Fprintf(w, ".TP\n.B %d\n%s\n", code.number, roff(code.meaning))
	}
}

// manualCommand writes the section of a command, and those of its own commands.
func manualCommand(w io.Writer, c *cobra.Command) {
	fmt.Fprintf(w, ".SS %s\n%s\n", roff(usageLine(c)), paragraphs(c.Long))
	manualFlags(w, c.LocalNonPersistentFlags())
	manualExamples(w, c)
	for _, sub := range c.Commands() {
		manualCommand(w, sub)
	}
}

func manualFlags(w io.Writer, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		fmt.Fprintf(w, ".TP\n\\fB%s\\fP \\fI%s\\fP\n%s\n", roff(name), roff(value), roff(usage))
	})
}

func manualExamples(w io.Writer, c *cobra.Command) {
	fmt.Fprintf(w, ".PP\nExamples:\n.PP\n.EX\n%s\n.EE\n", roff(strings.TrimRight(c.Example, "\n")))
}

func paragraphs(text string) string {
	return strings.ReplaceAll(roff(text), "\n\n", "\n.PP\n")
}

// roff escapes text for the typesetter: backslashes, hyphens that are to stay
// hyphens, and a dot or quote at the beginning of a line.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
