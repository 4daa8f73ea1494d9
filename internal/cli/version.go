package cli

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release is the version of a released binary, set by the linker:
// -ldflags "-X github.com/stemma-history/stemma/internal/cli.release=1.2.3".
var release string

// version returns what this binary was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	v, revision := release, ""
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
