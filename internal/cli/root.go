package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// groups lists every command under the headings of the help.
func groups(a *app) []group {
	return []group{
		{"Bring in and look", []*cobra.Command{
			newImport(a),
			newList(a),
			newShow(a),
			newTree(a),
			newSearch(a),
			newRecall(a),
			newExport(a),
		}},
		{"Move on the tree", []*cobra.Command{
			newBranch(a),
			newFork(a),
			newDiff(a),
			newCheckpoint(a),
			newRewind(a),
			newPin(a),
			newUnpin(a),
		}},
		{"Run a model", []*cobra.Command{
			newChat(a),
			newRun(a),
			newRetry(a),
		}},
		{"Fit the window", []*cobra.Command{
			newContext(a),
			newShake(a),
			newCompact(a),
			newRequest(a),
			newRescue(a),
			newSnapshot(a),
		}},
		{"Everything else", []*cobra.Command{
			newModels(a),
			newConfig(a),
			newFake(a),
			newCheck(a),
			newCompletion(a),
			newMan(a),
			newVersion(a),
		}},
	}
}

type group struct {
	title    string
	commands []*cobra.Command
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "stemma",
		Short: "Keep an agent's conversation, and make it fit the window",
		Long: `Stemma keeps the conversations of LLM agents as trees: go back, try another way, compare, carry on. It makes them fit the model's context window without losing a word.

CONV is a conversation: the beginning of its id, or @ for the one updated last. ENTRY is an entry of it: a handle such as 412 (its depth on the current path), the beginning of its id, the name of a checkpoint, or @ for the tip.`,
		Example: `  stemma import                      # the sessions of the tools on this machine
  stemma list                        # what is in the store
  stemma tree @                      # the tree of the conversation updated last
  stemma search "exit status 1"      # a place, by its words`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,

		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SuggestionsMinimumDistance = 2 // letters that differ
	root.Args = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(c, args[0])
		}
		return nil
	}
	root.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if c == root && len(a.args) > 0 && !strings.HasPrefix(a.args[0], "-") { // a flag of a command that there is not
			return unknownCommand(c, a.args[0])
		}
		return fmt.Errorf("%w; see %s --help", err, c.CommandPath())
	})
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { printHelp(a.out, c) })
	root.PersistentFlags().StringVar(&a.storeFlag, "store", "", "use the store at `PATH` (default: that of the settings, else stemma.db in your data directory)")
	root.PersistentFlags().BoolP("help", "h", false, "show what a command does, and its flags")
	root.Flags().BoolP("version", "v", false, "print the version")
	root.SetHelpCommand(newHelp())
	cobra.EnableCommandSorting = false
	for i, g := range groups(a) {
		id := strconv.Itoa(i)
		root.AddGroup(&cobra.Group{ID: id, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = id
			root.AddCommand(a.begin(c))
		}
	}
	return root
}

// begin makes c take and complete the arguments that its Use line names, and
// note that it runs: errors before that are errors of usage.
func (a *app) begin(c *cobra.Command) *cobra.Command {
	c.DisableFlagsInUseLine = true
	c.Args = argumentsOf(c)
	if c.ValidArgs == nil && c.ValidArgsFunction == nil {
		c.ValidArgsFunction = a.completionsOf(c.Use)
	}
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		a.running = true
		a.applyLook()
		return run(c, args)
	}
	return c
}
