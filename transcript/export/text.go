package export

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// visible returns s as valid UTF-8 with "\n" as its only line break, and
// without characters that change how their neighbours are read: sequences that
// colour a terminal are taken out; other controls, and the characters that
// turn the direction of text, hide text or break lines for some readers only,
// are shown as symbols or as their code point.
func visible(s string) string {
	if isVisible(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if n := terminalSequence(s[i:]); n > 0 {
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		switch {
		case r == '\r':
			if i == len(s) || s[i] != '\n' {
				b.WriteByte('\n')
			}
		case r < ' ' && !isSpace(r):
			b.WriteRune('\u2400' + r) // the symbol for the control
		case r == 0x7F:
			b.WriteRune('\u2421')
		case misleads(r):
			fmt.Fprintf(&b, "[U+%04X]", r)
		default:
			b.WriteRune(r) // U+FFFD for a byte that is no UTF-8
		}
	}
	return b.String()
}

func isVisible(s string) bool {
	for i, r := range s {
		if r < ' ' && !isSpace(r) || r == 0x7F || misleads(r) {
			return false
		}
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD") {
			return false
		}
	}
	return true
}

func isSpace(r rune) bool { return r == '\n' || r == '\t' }

// misleads reports whether r is a C1 control, a line or paragraph separator, a
// directional embedding, override or isolate, or a tag character (Unicode
// 17.0, chapter 23).
func misleads(r rune) bool {
	return 0x80 <= r && r <= 0x9F || 0x2028 <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069 || 0xE0000 <= r && r <= 0xE007F
}

// terminalSequence returns the length of the control sequence (ECMA-48, CSI)
// that s begins with, 0 if there is none.
func terminalSequence(s string) int {
	rest, ok := strings.CutPrefix(s, "\x1b[")
	if !ok {
		return 0
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r < ' ' || r > '?' })
	if end < 0 || rest[end] < '@' || rest[end] > '~' {
		return 0
	}
	return len("\x1b[") + end + 1
}

// line folds s to one line of at most max characters.
func line(s string, max int) string {
	if len(s) > 16*max { // the rest cannot show, however much space is folded
		s = s[:16*max]
	}
	s = strings.Join(strings.Fields(visible(s)), " ")
	n := 0
	for i := range s {
		if n++; n > max {
			return strings.TrimSpace(s[:i]) + "…"
		}
	}
	return s
}

// size writes a number of bytes for people, in units of 1000.
func size(bytes int64) string {
	switch {
	case bytes < 1000:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(bytes)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1_000_000)
}

// thousands writes a number with spaces between groups of three digits.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// count writes a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(int64(n)) + " " + many
}
