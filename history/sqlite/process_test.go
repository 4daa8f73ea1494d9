package sqlite_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/sqlite"
)

// together runs children at the same time and returns what they said.
func together(t *testing.T, children []*exec.Cmd) []string {
	t.Helper()
	outputs := make([]bytes.Buffer, len(children))
	for i, cmd := range children {
		cmd.Stdout = &outputs[i]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	var said []string
	for i, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Errorf("child %d: %v", i, err)
		}
		said = append(said, strings.Split(strings.TrimSpace(outputs[i].String()), "\n")...)
	}
	return said
}

func TestTwentyProcessesMayStartOnAnEmptyDirectory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "stemma.db")
	var children []*exec.Cmd
	for range 20 {
		children = append(children, child(t, "create", path, ""))
	}
	together(t, children)
	s := open(t, path)
	defer s.Close()
	all, err := history.Collect(s.List(t.Context(), history.ListQuery{}))
	if err != nil || len(all) != 20 {
		t.Errorf("%d conversations, error %v", len(all), err)
	}
	if got := value(t, raw(t, path), "PRAGMA page_size"); got != "4096" {
		t.Errorf("the page size is %s", got)
	}
}

// TestProcessesOnOneConversationLoseNoTurn is promise P6 between processes.
func TestProcessesOnOneConversationLoseNoTurn(t *testing.T) {
	t.Parallel()
	for _, processes := range []int{2, 8} {
		t.Run(fmt.Sprint(processes), func(t *testing.T) {
			turns := 400 / processes
			if raceEnabled {
				turns /= 8
			}
			path := filepath.Join(t.TempDir(), "stemma.db")
			s := open(t, path)
			defer s.Close()
			id, _ := conversationWith(t, s, prompts("root")...)
			var children []*exec.Cmd
			for range processes {
				children = append(children, child(t, "turns", path, fmt.Sprint(id, " ", turns)))
			}
			said := together(t, children)
			if len(said) != processes*turns {
				t.Fatalf("%d turns acknowledged, want %d", len(said), processes*turns)
			}
			verifyRaced(t, s, id, said)
			for p, err := range s.Check(t.Context(), false) {
				t.Errorf("check: %+v, error %v", p, err)
			}
		})
	}
}

// verifyRaced wants every turn that was won on the path, and every other one
// beside it.
func verifyRaced(t *testing.T, s *sqlite.Store, id history.ID, said []string) {
	t.Helper()
	stored, onPath := map[string]bool{}, map[string]bool{}
	for n, err := range s.Nodes(t.Context(), id) {
		if err != nil {
			t.Fatal(err)
		}
		stored[n.ID.String()] = true
	}
	for e, err := range s.Path(t.Context(), history.PathQuery{Conversation: id}) {
		if err != nil {
			t.Fatal(err)
		}
		onPath[e.ID.String()] = true
	}
	won := 0
	for _, line := range said {
		word, entry, _ := strings.Cut(line, " ")
		if !stored[entry] || onPath[entry] != (word == "won") {
			t.Errorf("%s: stored %v, on the path %v", line, stored[entry], onPath[entry])
		}
		if word == "won" {
			won++
		}
	}
	if len(stored) != 1+2*len(said) || len(onPath) != 1+2*won {
		t.Errorf("%d entries for %d turns, %d on the path for %d", len(stored), len(said), len(onPath), won)
	}
	t.Logf("%d turns won, %d kept as branches", won, len(said)-won)
}
