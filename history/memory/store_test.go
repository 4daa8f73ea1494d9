package memory_test

import (
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/historytest"
	"github.com/stemma-history/stemma/history/memory"
)

func TestStore(t *testing.T) {
	historytest.Run(t, func(*testing.T) history.Store {
		return memory.New(memory.Options{Now: historytest.Clock()})
	})
}
