//go:build !race

package snapshot

const slowdown = 1
