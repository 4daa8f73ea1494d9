package cli

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"stemma":      func() { os.Exit(Main()) },
		"tool-server": serveTools,
	})
}

// TestScripts runs the scripts in testdata/script: sessions at a shell, each
// with an empty store. $SAMPLES has real files of other tools.
func TestScripts(t *testing.T) {
	samples, err := filepath.Abs("../../testdata/samples")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		UpdateScripts:      *update,
		RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("SAMPLES", samples)
			env.Setenv("STEMMA_STORE", filepath.Join(env.WorkDir, "store.db"))
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("TZ", "UTC")
			env.Setenv("PAGER", "cat")
			env.Setenv("TERM", "xterm-256color")
			env.Setenv("GORACE", "atexit_sleep_ms=0") // each command would sleep a second
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  exits,
			"fake":   playProviders,
			"setvar": setVar,
		},
	})
}

// exits runs a command that has to end with an exit code: exits 4 stemma show x.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// setVar sets a variable to what a pattern catches in stdout:
// setvar TIP '"tip": "(.*)"'.
func setVar(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: setvar variable pattern")
	}
	caught := regexp.MustCompile("(?m)" + args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if len(caught) != 2 {
		ts.Fatalf("%s does not catch one thing in stdout", args[1])
	}
	ts.Setenv(args[0], caught[1])
}
