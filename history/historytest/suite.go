package historytest

import (
	"sync"
	"testing"
	"time"

	"github.com/stemma-history/stemma/history"
)

// Run tests the stores that open returns. open is called once a test; the
// store must be empty, and should take its time from a [Clock]. The suite
// closes it.
func Run(t *testing.T, open func(t *testing.T) history.Store) {
	for _, group := range [][]test{
		conversationTests(), appendTests(), tipTests(), forkTests(), importTests(), readTests(),
		markTests(), pendingTests(), blobTests(), searchTests(), concurrencyTests(), machineTests(),
	} {
		for _, c := range group {
			t.Run(c.name, func(t *testing.T) {
				f := fixture{T: t, Store: open(t)}
				defer func() {
					if err := f.Close(); err != nil {
						t.Errorf("closing: %v", err)
					}
				}()
				c.run(f)
				f.checkStore()
			})
		}
	}
}

// A test is one documented behaviour.
type test struct {
	name string
	run  func(f fixture)
}

// Clock returns a clock that goes a millisecond further at each reading, so
// that what happened later is later.
func Clock() func() time.Time {
	var mu sync.Mutex
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Millisecond)
		return now
	}
}
