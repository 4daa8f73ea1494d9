package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/internal/config"
	"github.com/stemma-history/stemma/internal/words"
)

type configOptions struct {
	*app
	file string
	json bool
}

func newConfig(a *app) *cobra.Command {
	o := &configOptions{app: a}
	c := &cobra.Command{
		Use:   "config",
		Short: "Show the settings, and where each comes from",
		Long: `Show every setting as it holds, and where it comes from: a flag, a variable of the environment (STEMMA_ and the key in capitals), the file, or the default, in this order. Keys of providers are never kept in the file and never shown.

Off a terminal each line has, separated by tabs: key, value, where it comes from.`,
		Example: `  stemma config
  stemma config init                 # write a file with every setting explained
  stemma config check
  STEMMA_COMPACTION_THRESHOLD=70% stemma config --json`,
		RunE: func(*cobra.Command, []string) error { return o.run() },
	}
	jsonFlag(c, &o.json)
	c.AddCommand(a.begin(newConfigPath(a)), a.begin(newConfigCheck(a)), a.begin(newConfigInit(a)))
	return c
}

func (o *configOptions) run() error {
	c, err := o.settings()
	if err != nil {
		return err
	}
	if o.json {
		return printArray(o.app, values(c.Values()))
	}
	t := o.table(column{title: "KEY"}, column{title: "VALUE", flexible: true}, column{title: "FROM", flexible: true, tail: true})
	for _, v := range c.Values() {
		t.row(cell{value: v.Key, style: bold}, settingCell(v), cell{value: v.Origin.String(), style: originStyle(v.Origin)})
	}
	t.print()
	o.nameStrangers(c)
	return nil
}

// settingCell shows a value as people write it, or what holds in its place.
func settingCell(v config.Value) cell {
	switch value := v.Value.(type) {
	case nil:
		return cell{shown: "(" + v.About + ")", style: faint}
	case []string:
		return cell{value: strings.Join(value, ", ")}
	case int64:
		return cell{value: fmt.Sprint(value), shown: words.ByteSize(value)}
	}
	return cell{value: fmt.Sprint(v.Value)}
}

func originStyle(o config.Origin) style {
	if o.Kind == config.ByDefault {
		return faint
	}
	return cyan
}

// nameStrangers names the variables that were meant for us, perhaps.
func (a *app) nameStrangers(c *config.Config) {
	for _, name := range c.Strangers {
		a.err.printf("stemma: the variable %s is none of the settings\n", name)
	}
}

func newConfigPath(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "path",
		Short:   "Print where the file of settings is",
		Long:    "Print where the file of settings is, or would be. STEMMA_CONFIG names another one.",
		Example: "  $EDITOR $(stemma config path)",
		RunE: func(*cobra.Command, []string) error {
			a.out.printf("%s\n", config.FileOf(os.Environ()))
			return nil
		},
	}
}

func newConfigCheck(a *app) *cobra.Command {
	o := &configOptions{app: a}
	return &cobra.Command{
		Use:   "check [FILE]",
		Short: "Look for mistakes in the settings",
		Long: `Read the settings, or a FILE alone, and say everything that is wrong with them: keys that are not known, values of the wrong kind, models that cannot be read.

Exits with 1 where something is wrong.`,
		Example: `  stemma config check
  stemma config check new.toml`,
		RunE: func(_ *cobra.Command, args []string) error {
			o.file = strings.Join(args, "")
			return o.check()
		},
	}
}

func (o *configOptions) check() error {
	load := o.settings
	if o.file != "" {
		load = func() (*config.Config, error) {
			if _, err := os.Stat(o.file); err != nil {
				return nil, err
			}
			return config.Load(config.Sources{File: o.file})
		}
	}
	c, err := load()
	if c != nil {
		_, modelsErr := c.Catalog()
		err = errors.Join(err, modelsErr)
		o.nameStrangers(c)
	}
	if err != nil {
		return err
	}
	o.out.printf("%s: no mistakes\n", c.File)
	return nil
}

func newConfigInit(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "init",
		Short:   "Write a file of settings with every one explained",
		Long:    "Write a file of settings in its place, in which every setting is explained and commented out. A file that is there is left as it is.",
		Example: "  stemma config init",
		RunE: func(*cobra.Command, []string) error {
			file := config.FileOf(os.Environ())
			if err := config.WriteExample(file); err != nil {
				return err
			}
			a.out.printf("%s\n", file)
			return nil
		},
	}
}
