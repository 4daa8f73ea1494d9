package tool

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/stemma-history/stemma/wire"
)

// globFiles is how many names a search shows.
const globFiles = 1000

// Glob returns the tool that finds files by their names.
func Glob(w *Workspace) Tool { return globTool{w} }

type globTool struct{ w *Workspace }

func (t globTool) place(c Call) (place, *Workspace, error) { return t.w.placeOf(c) }

func (globTool) ReadOnly() bool { return true }

func (globTool) Definition() wire.Tool {
	return wire.Tool{
		Name:        "glob",
		Description: "Finds files by name, the newest first. Files that git ignores are left out unless ignored is true.",
		Schema: schema(`"pattern":{"type":"string","description":"such as **/*.go or cmd/*/main.{go,c}; ** stands for any directories"},`+
			`"path":{"type":"string","description":"directory to look in; default: the working directory"},`+
			`"ignored":{"type":"boolean"}`, "pattern"),
	}
}

func (t globTool) Run(ctx context.Context, c Call) Result {
	a, err := decode[struct {
		Pattern string `json:"pattern"`
		Path    string `json:"path"`
		Ignored bool   `json:"ignored"`
	}](c.Arguments)
	if err == nil {
		err = required("pattern", a.Pattern)
	}
	if err == nil && !doublestar.ValidatePattern(a.Pattern) {
		err = fmt.Errorf("pattern %q is not valid: a bracket or brace is not closed", a.Pattern)
	}
	if err != nil {
		return Fail(err.Error())
	}
	p, err := t.w.find(a.Path)
	if err != nil {
		return Fail(err.Error())
	}
	names, err := p.files(ctx, a.Ignored)
	if err != nil {
		return Fail(err.Error())
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !doublestar.MatchUnvalidated(a.Pattern, name) })
	if len(names) == 0 {
		return found("No file has such a name.")
	}
	return found(t.list(p, names))
}

// list shows names, the file changed last first.
func (t globTool) list(p place, names []string) string {
	changed := make(map[string]time.Time, len(names))
	for _, name := range names {
		if info, err := p.root.Stat(filepath.Join(p.name, name)); err == nil {
			changed[name] = info.ModTime()
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return changed[b].Compare(changed[a]) })
	var b strings.Builder
	for _, name := range names[:min(len(names), globFiles)] {
		b.WriteString(p.shown(t.w, name))
		b.WriteByte('\n')
	}
	if more := len(names) - globFiles; more > 0 {
		fmt.Fprintf(&b, "(And %d more: make the pattern narrower.)\n", more)
	}
	return b.String()
}
