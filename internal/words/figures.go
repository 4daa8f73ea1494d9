// Package words says numbers, sizes, times and ids as people read them.
package words

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// An Integer is a number that can be said.
type Integer interface{ int | int64 }

// Thousands returns n with commas: 1,234,567.
func Thousands[N Integer](n N) string {
	digits := strconv.FormatInt(int64(n), 10)
	var b strings.Builder
	for i, d := range digits {
		if left := len(digits) - i; i > 0 && left%3 == 0 && digits[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// Count returns a number with its noun in the singular or plural.
func Count[N Integer](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	switch {
	case strings.HasSuffix(noun, "try"):
		noun = noun[:len(noun)-1] + "ies"
	case strings.HasSuffix(noun, "ch"):
		noun += "es"
	default:
		noun += "s"
	}
	return Thousands(n) + " " + noun
}

// ByteSize returns a size in the unit that leaves two or three digits: 2.7 MB
// is 2,700,000 bytes.
func ByteSize(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10) + " B"
	}
	size, units := float64(n), "kMGTPE"
	unit := -1
	for size >= 999.5 && unit < len(units)-1 {
		size /= 1000
		unit++
	}
	if size < 9.95 {
		return fmt.Sprintf("%.1f %cB", size, units[unit])
	}
	return fmt.Sprintf("%.0f %cB", size, units[unit])
}

// Ago returns how long before now a time was, as people say it.
func Ago(t, now time.Time) string {
	switch d := now.Sub(t); {
	case t.IsZero():
		return ""
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return Count(int(d/time.Minute), "minute") + " ago"
	case d < 24*time.Hour:
		return Count(int(d/time.Hour), "hour") + " ago"
	case d < 30*24*time.Hour:
		return Count(int(d/(24*time.Hour)), "day") + " ago"
	}
	return t.Local().Format(time.DateOnly)
}

// Stamp returns a time as programs read it, or nothing where it is not known.
func Stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
