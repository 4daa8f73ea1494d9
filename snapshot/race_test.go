//go:build race

package snapshot

// slowdown divides the sizes of the largest tests under the race detector,
// which takes ten times as long.
const slowdown = 10
