package native

import (
	"math"
	"strconv"
	"time"
)

// maxSeconds separates Unix times in seconds from those in milliseconds: it is
// the year 5138 in the one and March 1973 in the other.
const maxSeconds = 100_000_000_000

// Time returns a Unix time in seconds or milliseconds; tools use both, some in
// the same column. What is no time after 1970 is none.
func Time(n int64) time.Time {
	switch {
	case n <= 0:
		return time.Time{}
	case n < maxSeconds:
		return time.Unix(n, 0).UTC()
	}
	return inRange(time.UnixMilli(n).UTC())
}

// TimeOf returns a time that JSON gives as a number of seconds with a fraction,
// as milliseconds, or as a text that [ParseTime] knows.
func TimeOf(value []byte) time.Time {
	if len(value) > 1 && value[0] == '"' {
		return ParseTime(string(value[1 : len(value)-1]))
	}
	if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
		return Time(n)
	}
	f, err := strconv.ParseFloat(string(value), 64)
	if err != nil || f <= 0 || f >= maxSeconds {
		return time.Time{}
	}
	whole, fraction := math.Modf(f)
	// A float of today's seconds is exact to about a quarter of a microsecond.
	return time.Unix(int64(whole), int64(math.Round(fraction*1e6))*1e3).UTC()
}

// ParseTime reads RFC 3339, and the form of SQLite's datetime(), which is UTC.
// Other text is no time.
func ParseTime(s string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, time.DateTime} {
		if t, err := time.Parse(layout, s); err == nil {
			return inRange(t.UTC())
		}
	}
	return time.Time{}
}

// inRange keeps times that an id can hold and JSON can write.
func inRange(t time.Time) time.Time {
	if t.Year() < 1970 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}
