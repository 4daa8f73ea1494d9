package export

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestWhatMisleadsIsMadeVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain äöü 漢字 🏳️‍🌈\n\tcode": "plain äöü 漢字 🏳️‍🌈\n\tcode",
		"a\r\nb\rc":               "a\nb\nc",
		"\x1b[1;31mred\x1b[0m":    "red",
		"\x1b]0;title\x07 \x1b":   "␛]0;title␇ ␛",
		"\x1b[12":                 "␛[12",
		"nul\x00del\x7fnel\u0085": "nul␀del␡nel[U+0085]",
		"\u202eevil\u2066":        "[U+202E]evil[U+2066]",
		"hidden\U000e0041":        "hidden[U+E0041]",
		"line\u2028break":         "line[U+2028]break",
		"bad \xff\xed\xa0\x80":    "bad \uFFFD\uFFFD\uFFFD\uFFFD",
	} {
		if got := visible(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestVisibleTextStaysAsItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		once := visible(raw)
		if !utf8.ValidString(once) || strings.ContainsAny(once, "\r\x1b\x00\u202e") || visible(once) != once {
			t.Fatalf("%q became %q, then %q", raw, once, visible(once))
		}
	})
}

func TestALineIsShortAndOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.String().Draw(t, "text")
		got := line(raw, 10)
		if strings.ContainsAny(got, "\n\t\r") || utf8.RuneCountInString(got) > 11 || !utf8.ValidString(got) {
			t.Fatalf("%q became %q", raw, got)
		}
	})
}

func TestNumbersForPeople(t *testing.T) {
	for got, want := range map[string]string{
		size(999): "999 B", size(1500): "1.5 kB", size(2_340_000): "2.3 MB",
		thousands(7): "7", thousands(1234): "1\u202f234", thousands(-1_234_567): "-1\u202f234\u202f567",
		count(1, "entry", "entries"): "1 entry", count(0, "entry", "entries"): "0 entries",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
