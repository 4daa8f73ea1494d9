//go:build !unix

package snapshot

import "time"

var started = time.Now()

// cpuTime falls back to the clock.
func cpuTime() time.Duration { return time.Since(started) }
