package tokens

// A class is a kind of byte. What a byte costs depends on its class and on the
// class of the byte before it: a letter after a letter is often part of the
// same token, a digit after a letter hardly ever.
const (
	space = iota
	newline
	tab
	lower
	upper
	digit
	dot   // . , : ;
	dash  // - _ /
	quote // quotes and brackets
	symbol
	continuation // 80-BF: inside a character
	latin        // C2-CF: accents, Greek
	cyrillic     // D0-DF: Cyrillic, Hebrew, Arabic
	indic        // E0-E2: Indic, Thai, typographic signs
	cjk          // E3-E9: kana, Han
	hangul       // EA-ED
	other        // EE-FF: emoji, and what is no UTF-8
	classes
)

var classOf = func() (table [256]uint8) {
	for b := range table {
		table[b] = classify(byte(b))
	}
	return table
}()

func classify(b byte) uint8 {
	switch {
	case b == ' ':
		return space
	case b == '\n' || b == '\r':
		return newline
	case b == '\t':
		return tab
	case 'a' <= b && b <= 'z':
		return lower
	case 'A' <= b && b <= 'Z':
		return upper
	case '0' <= b && b <= '9':
		return digit
	case b == '.' || b == ',' || b == ':' || b == ';':
		return dot
	case b == '-' || b == '_' || b == '/':
		return dash
	case b == '"' || b == '\'' || b == '`' || b == '(' || b == ')' || b == '[' || b == ']' || b == '{' || b == '}':
		return quote
	case b < 0x80:
		return symbol
	case b < 0xC0:
		return continuation
	case b < 0xD0:
		return latin
	case b < 0xE0:
		return cyrillic
	case b < 0xE3:
		return indic
	case b < 0xEA:
		return cjk
	case b < 0xEE:
		return hangul
	}
	return other
}
