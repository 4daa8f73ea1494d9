package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

var shells = []string{"bash", "zsh", "fish", "powershell"}

func newCompletion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a script that completes commands in a shell",
		Long: `Print a script that makes a shell (bash, zsh, fish or powershell) complete commands and flags, and the ids of conversations, entries and checkpoints in your store.

bash needs the package bash-completion.`,
		Example: `  source <(stemma completion bash)                                   # this shell only
  stemma completion bash > /etc/bash_completion.d/stemma             # every bash
  stemma completion zsh > "${fpath[1]}/_stemma"                      # every zsh
  stemma completion fish > ~/.config/fish/completions/stemma.fish    # every fish
  stemma completion powershell >> $PROFILE                           # every PowerShell`,
		ValidArgs: shells,
		RunE: func(c *cobra.Command, args []string) error {
			root := c.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.out, true)
			case "zsh":
				return root.GenZshCompletion(a.out)
			case "fish":
				return root.GenFishCompletion(a.out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.out)
			}
			return usageError{fmt.Errorf("shell %q: expected %s", args[0], strings.Join(shells, ", "))}
		},
	}
}
