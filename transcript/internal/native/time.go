package native

import (
	"strconv"
	"time"

	"github.com/stemma-history/stemma/transcript"
)

// Time returns a Unix time in seconds or milliseconds; tools use both, some in
// the same column. It is zero where n is neither.
func Time(n int64) time.Time { return transcript.Time(strconv.AppendInt(nil, n, 10)) }

// ParseTime reads the text form of SQLite's datetime(), which is UTC, or RFC
// 3339. Other text is no time.
func ParseTime(s string) time.Time {
	for _, layout := range []string{time.DateTime, time.RFC3339Nano} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
