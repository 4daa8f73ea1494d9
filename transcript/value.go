package transcript

import (
	"strconv"
	"time"

	"github.com/stemma-history/stemma/internal/rawjson"
)

// Time reads a time as tools write it: a string of RFC 3339, or a number of
// seconds or milliseconds since 1970. It is zero where value is neither.
func Time(value []byte) time.Time {
	if len(value) > 0 && value[0] == '"' {
		at, err := time.Parse(time.RFC3339Nano, rawjson.Text(value))
		if err != nil {
			return time.Time{}
		}
		return at.UTC()
	}
	n := Number(value)
	switch {
	case n <= 0 || n > 1e14: // no number, or none that is a time of day
		return time.Time{}
	case n > 1e11: // as seconds, the year 5138
		return time.UnixMilli(int64(n)).UTC()
	}
	return time.UnixMicro(int64(n * 1e6)).UTC()
}

// Number reads a JSON number. It is 0 where value is none.
func Number(value []byte) float64 {
	n, err := strconv.ParseFloat(string(value), 64)
	if err != nil {
		return 0
	}
	return n
}
