package transcript

import (
	"os"
	"testing"
	"time"
)

func TestTimesAreReadInTheFormsThatToolsWrite(t *testing.T) {
	want := time.Date(2026, 2, 12, 14, 11, 56, 103_000_000, time.UTC)
	for _, value := range []string{`"2026-02-12T14:11:56.103Z"`, `"2026-02-12T15:11:56.103+01:00"`, `1770905516103`, `1770905516.103`} {
		if got := Time([]byte(value)); got.Sub(want).Abs() > time.Microsecond || got.Location() != time.UTC {
			t.Errorf("%s = %v", value, got)
		}
	}
	for _, value := range []string{``, `null`, `"soon"`, `-5`, `0`, `1e300`, `{}`} {
		if got := Time([]byte(value)); !got.IsZero() {
			t.Errorf("%s = %v", value, got)
		}
	}
}

func TestNumbersAreReadOrZero(t *testing.T) {
	for value, want := range map[string]float64{"0.12": 0.12, "3": 3, `"3"`: 0, "": 0} {
		if got := Number([]byte(value)); got != want {
			t.Errorf("%s = %v", value, got)
		}
	}
}

func writeFile(tb testing.TB, path, content string) {
	tb.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		tb.Fatal(err)
	}
}
