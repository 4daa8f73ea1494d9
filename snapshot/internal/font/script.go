package font

// A Script is one of the three alphabets whose letters share pictures: A is
// the same in Latin, Greek and Cyrillic.
type Script uint8

const (
	NoScript Script = iota
	Latin
	Greek
	Cyrillic
)

// ScriptOf returns the script of a letter, NoScript for everything else.
func ScriptOf(r rune) Script {
	switch {
	case r < 'A':
		return NoScript
	case r < 0x80:
		if c := r | 0x20; 'a' <= c && c <= 'z' {
			return Latin
		}
		return NoScript
	case r < 0x250:
		if r >= 0xC0 && r != '×' && r != '÷' || r == 'ª' || r == 'µ' || r == 'º' {
			return Latin
		}
		return NoScript
	case 0x370 <= r && r < 0x400, 0x1F00 <= r && r < 0x2000:
		if r == 0x37E || r == 0x387 { // the Greek question mark and ano teleia
			return NoScript
		}
		return Greek
	case 0x400 <= r && r < 0x530:
		return Cyrillic
	case 0x250 <= r && r < 0x2B0, 0x1E00 <= r && r < 0x1F00:
		return Latin
	}
	return NoScript
}
