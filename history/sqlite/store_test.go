package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/historytest"
	"github.com/stemma-history/stemma/history/sqlite"
)

func TestStore(t *testing.T) {
	t.Parallel()
	historytest.Run(t, func(t *testing.T) history.Store {
		return open(t, filepath.Join(t.TempDir(), "dir with spaces ?#%20", "stemma.db"))
	})
}

// open opens a store with a clock that goes on at each reading.
func open(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{Now: historytest.Clock()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
