package sqlite_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/sqlite"
)

// kills returns how many processes the tests kill.
func kills() int {
	switch {
	case os.Getenv("STEMMA_SOAK") != "":
		return 10_000
	case raceEnabled: // everything takes ten times as long
		return 24
	}
	return 300
}

// TestNothingAcknowledgedIsLostWhenTheProcessIsKilled is promise P5: a process
// that appends, forks and imports is killed at any instant. Each time the store
// opens, has everything that was acknowledged, and no path ends inside a turn.
func TestNothingAcknowledgedIsLostWhenTheProcessIsKilled(t *testing.T) {
	t.Parallel()
	const atOnce = 2 // files, each with a process of its own
	longest := 30 * time.Millisecond
	if raceEnabled {
		longest *= 10
	}
	acknowledged := make([]int, atOnce)
	var group sync.WaitGroup
	for i := range atOnce {
		dir := t.TempDir()
		group.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			rounds := kills() / atOnce
			for round := range rounds {
				path := filepath.Join(dir, fmt.Sprint(round/200, ".db")) // a file stays small enough to check it often
				said := kill(t, "everything", path, time.Duration(random.Int64N(int64(longest))))
				acknowledged[i] += len(said)
				if err := verify(t, path, said, round%25 == 24 || round == rounds-1); err != nil {
					t.Errorf("round %d: %v", round, err)
					return
				}
			}
		})
	}
	group.Wait()
	if acknowledged[0] == 0 || acknowledged[1] == 0 {
		t.Errorf("the processes were killed before they had done anything: %v writes acknowledged", acknowledged)
	}
	t.Logf("%d kills, %v writes acknowledged, none lost", kills(), acknowledged)
}

// verify opens a store whose process was killed and looks for what it said.
func verify(t *testing.T, path string, said []string, whole bool) error {
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	for _, line := range said {
		var id, tip history.ID
		var depth int
		if err := scanLine(line, &id, &depth, &tip); err != nil {
			return err
		}
		e, err := s.Entry(t.Context(), id, tip)
		if err != nil || e.Depth != depth {
			return fmt.Errorf("acknowledged %q, found depth %d, error %w", line, e.Depth, err)
		}
	}
	if len(said) > 0 {
		if err := verifyWritten(t, s, said[0]); err != nil {
			return err
		}
	}
	if !whole {
		return nil
	}
	for p, err := range s.Check(t.Context(), false) {
		return fmt.Errorf("check: %+v, error %w", p, err)
	}
	return nil
}

// verifyWritten looks at the conversation that was appended to: it has whole
// turns, of three entries each, and ends at the last of them.
func verifyWritten(t *testing.T, s *sqlite.Store, first string) error {
	var id, tip history.ID
	var depth int
	if err := scanLine(first, &id, &depth, &tip); err != nil {
		return err
	}
	path, err := history.Collect(s.Path(t.Context(), history.PathQuery{Conversation: id}))
	if err != nil {
		return err
	}
	c, err := s.Conversation(t.Context(), id)
	if err != nil {
		return err
	}
	if c.Entries != len(path) || len(path)%3 != 0 {
		return fmt.Errorf("conversation %v has %d entries, %d of them on its path", id, c.Entries, len(path))
	}
	_, err = history.BoundaryAt(t.Context(), s, id, c.Tip)
	return err
}

func scanLine(line string, id *history.ID, depth *int, tip *history.ID) error {
	var a, b string
	if _, err := fmt.Sscanf(line, "path %s %d %s", &a, depth, &b); err != nil {
		return fmt.Errorf("the child said %q: %w", line, err)
	}
	if err := id.UnmarshalText([]byte(a)); err != nil {
		return err
	}
	return tip.UnmarshalText([]byte(b))
}
