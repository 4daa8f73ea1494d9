package cli

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// buildVersion is the version, set by the linker where make builds:
// -ldflags "-X github.com/stemma-history/stemma/internal/cli.buildVersion=1.2.3".
var buildVersion string

// version returns what this binary was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return buildVersion
	}
	v, revision := buildVersion, ""
	if v == "" {
		v = info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			revision = s.Value
		}
	}
	if v == "" || v == "(devel)" {
		v = "devel"
	}
	return v + shortRevision(revision) + ", " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
}

func shortRevision(revision string) string {
	if len(revision) < 8 {
		return ""
	}
	return " (" + revision[:8] + ")"
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "Print the version of this program and what it was built with.",
		Example: "  stemma version",
		RunE: func(*cobra.Command, []string) error {
			a.out.printf("stemma version %s\n", version())
			return nil
		},
	}
}
