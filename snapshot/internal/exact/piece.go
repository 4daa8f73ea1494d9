package exact

import "strings"

// pieceClass is the class of a name: words of letters and digits joined by
// full stops, hyphens and underscores. One word that is a hash or a key makes
// the whole name one.
func pieceClass(s string) Class {
	best := none
	dots, start := 0, 0
	for i := range len(s) + 1 {
		if i < len(s) && s[i] != '.' && s[i] != '-' && s[i] != '_' {
			continue
		}
		if i-start >= 4 {
			best = min(best, wordClass(s[start:i]))
		}
		if i < len(s) && s[i] == '.' {
			dots++
		}
		start = i + 1
	}
	switch {
	case best <= Key:
		return best
	case isVersion(s, dots):
		return Version
	case best == Number:
		return Number
	case isConst(s):
		return Const
	}
	return none
}

// wordClass tells a word that no reader can guess from one that reads as a
// word of a language or a program.
func wordClass(s string) Class {
	if strings.HasPrefix(s, "0x") && len(s) >= 9 {
		s = s[2:]
	}
	var digits, lowers, uppers, beyondF, switches int
	last := byteKind(0)
	for i := range len(s) {
		kind := digit
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			digits++
		case 'a' <= c && c <= 'z':
			lowers++
			kind = lower
			if c > 'f' {
				beyondF++
			}
		case 'A' <= c && c <= 'Z':
			uppers++
			kind = upper
			if c > 'F' {
				beyondF++
			}
		default: // a letter outside ASCII: a word
			return none
		}
		if last != 0 && kind != last {
			switches++
		}
		last = kind
	}
	letters := lowers + uppers
	switch {
	case letters == 0:
		if digits >= 4 {
			return Number
		}
	case digits > 0 && beyondF == 0 && len(s) >= 7 && (lowers == 0 || uppers == 0):
		return Hex
	case digits > 0 && lowers > 0 && uppers > 0 && len(s) >= 6 && switches >= 3:
		return Key
	case digits > 0 && len(s) >= 8 && switches >= 3: // one case: req9x2kq7z
		return Key
	case digits == 0 && len(s) >= shortestWord && 3*switches > len(s) && 3*min(lowers, uppers) >= len(s): // xKqPzLmW, not LiveView
		return Key
	case digits >= 4:
		return Number // Word12345
	}
	return none
}

// isVersion accepts v1.2, 1.2.3, 1.2.3-rc.1 and addresses, not 1.5.
func isVersion(s string, dots int) bool {
	if s[0] == 'v' {
		return dots >= 1 && len(s) > 1 && '0' <= s[1] && s[1] <= '9'
	}
	if dots < 2 || s[0] < '0' || s[0] > '9' {
		return false
	}
	first, rest, _ := strings.Cut(s, ".")
	second, _, _ := strings.Cut(rest, ".")
	return digits(first) == len(first) && second != "" && digits(second) == len(second)
}

// isConst accepts MAX_TOKENS, not ERROR or A_B.
func isConst(s string) bool {
	letters := 0
	for i := range len(s) {
		switch c := s[i]; {
		case 'A' <= c && c <= 'Z':
			letters++
		case c == '_', '0' <= c && c <= '9':
		default:
			return false
		}
	}
	return letters >= 4 && strings.Contains(strings.Trim(s, "_"), "_")
}
