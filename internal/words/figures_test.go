package words

import (
	"testing"
	"time"
)

func TestFiguresReadAsPeopleWriteThem(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for got, want := range map[string]string{
		Thousands(0):                     "0",
		Thousands(999):                   "999",
		Thousands(1000):                  "1,000",
		Thousands(-1234567):              "-1,234,567",
		Count(1, "entry"):                "1 entry",
		Count(2, "entry"):                "2 entries",
		Count(2, "branch"):               "2 branches",
		Count(1234, "file"):              "1,234 files",
		ByteSize(999):                    "999 B",
		ByteSize(1000):                   "1.0 kB",
		ByteSize(9949):                   "9.9 kB",
		ByteSize(9950):                   "10 kB",
		ByteSize(999_499):                "999 kB",
		ByteSize(999_500):                "1.0 MB",
		ByteSize(2_730_799):              "2.7 MB",
		ByteSize(5_000_000_000_000):      "5.0 TB",
		Ago(now, now):                    "just now",
		Ago(now.Add(-time.Minute), now):  "1 minute ago",
		Ago(now.Add(-3*time.Hour), now):  "3 hours ago",
		Ago(now.Add(-50*time.Hour), now): "2 days ago",
		Ago(now.AddDate(0, -3, 0), now):  now.AddDate(0, -3, 0).Local().Format(time.DateOnly),
		Ago(time.Time{}, now):            "",
		Stamp(now):                       "2026-05-01T12:00:00Z",
		Stamp(time.Time{}):               "",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
