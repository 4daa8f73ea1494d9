//go:build race

package reclaim_test

const raceEnabled = true
