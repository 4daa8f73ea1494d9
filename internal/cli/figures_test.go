package cli

import (
	"testing"
	"time"
)

func TestFiguresReadAsPeopleWriteThem(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for got, want := range map[string]string{
		thousands(0):                     "0",
		thousands(999):                   "999",
		thousands(1000):                  "1,000",
		thousands(-1234567):              "-1,234,567",
		count(1, "entry"):                "1 entry",
		count(2, "entry"):                "2 entries",
		count(2, "branch"):               "2 branches",
		count(1234, "file"):              "1,234 files",
		byteSize(999):                    "999 B",
		byteSize(1000):                   "1.0 kB",
		byteSize(9949):                   "9.9 kB",
		byteSize(9950):                   "10 kB",
		byteSize(999_499):                "999 kB",
		byteSize(999_500):                "1.0 MB",
		byteSize(2_730_799):              "2.7 MB",
		byteSize(5_000_000_000_000):      "5.0 TB",
		ago(now, now):                    "just now",
		ago(now.Add(-time.Minute), now):  "1 minute ago",
		ago(now.Add(-3*time.Hour), now):  "3 hours ago",
		ago(now.Add(-50*time.Hour), now): "2 days ago",
		ago(now.AddDate(0, -3, 0), now):  now.AddDate(0, -3, 0).Local().Format(time.DateOnly),
		ago(time.Time{}, now):            "",
		stamp(now):                       "2026-05-01T12:00:00Z",
		stamp(time.Time{}):               "",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
