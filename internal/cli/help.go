package cli

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
)

// maxHelpWidth keeps lines of help readable on wide terminals, in columns.
const maxHelpWidth = 100

// printHelp writes the help of a command.
//
// It is written by hand because a template engine would cost the binary more
// than this (reflection keeps every exported method linked), and because
// charm.land/fang asks the terminal for its background before each page.
func printHelp(out *output, c *cobra.Command) {
	width := min(out.width, maxHelpWidth)
	if !out.terminal {
		width = 80
	}
	heading := func(title string) { out.printf("\n%s\n", out.paint(bold, title)) }

	about := c.Long
	if about == "" {
		about = c.Short
	}
	out.printf("%s\n", ansi.Wordwrap(about, width, ""))

	heading("Usage")
	out.printf("  %s\n", usageLine(c))
	if c.Example != "" {
		heading("Examples")
		for line := range strings.Lines(c.Example + "\n") {
			command, comment, found := strings.Cut(line, "# ")
			if found {
				line = command + out.paint(faint, "# "+strings.TrimSuffix(comment, "\n")) + "\n"
			}
			out.print(line)
		}
	}
	for _, g := range c.Groups() {
		heading(g.Title)
		for _, sub := range c.Commands() {
			if sub.GroupID == g.ID && sub.IsAvailableCommand() {
				printSubcommand(out, sub, width)
			}
		}
	}
	if len(c.Groups()) == 0 && c.HasAvailableSubCommands() {
		heading("Commands")
		for _, sub := range c.Commands() {
			printSubcommand(out, sub, width)
		}
	}
	if flags := c.LocalFlags(); flags.HasAvailableFlags() {
		heading("Flags")
		out.print(flags.FlagUsagesWrapped(width))
	}
	if flags := c.InheritedFlags(); flags.HasAvailableFlags() {
		heading("Flags of every command")
		out.print(flags.FlagUsagesWrapped(width))
	}
}

func usageLine(c *cobra.Command) string {
	switch {
	case !c.HasParent():
		return c.CommandPath() + " COMMAND [flags]"
	case c.HasAvailableFlags():
		return c.UseLine() + " [flags]"
	}
	return c.UseLine()
}

func printSubcommand(out *output, c *cobra.Command, width int) {
	name := fmt.Sprintf("%-*s", c.NamePadding(), c.Name())
	out.printf("  %s  %s\n", out.paint(cyan, name), ansi.Truncate(c.Short, width-len(name)-4, "…"))
}

// unknownCommand says which command is meant, perhaps.
func unknownCommand(c *cobra.Command, name string) error {
	hint := ""
	if near := c.SuggestionsFor(name); len(near) > 0 {
		hint = ", perhaps " + strings.Join(near, " or ") + " is meant"
	}
	return fmt.Errorf("%s has no command %s%s; %[1]s --help lists them", c.CommandPath(), name, hint)
}

// newHelp returns the command that prints the help of another.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Show what a command does, and its flags",
		Long:    "Show what a command does, its flags, and examples.",
		Example: "  stemma help import",
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
			if len(args) == 0 {
				for _, sub := range c.Root().Commands() {
					if sub.IsAvailableCommand() {
						names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			about, rest, err := c.Root().Find(args)
			if err == nil && len(rest) > 0 {
				err = unknownCommand(about, rest[0])
			}
			if err != nil {
				return usageError{err}
			}
			return about.Help()
		},
	}
}
