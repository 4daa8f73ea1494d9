package snapshot

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// What isStable says must hold for Unicode as package norm knows it.
func TestStableCharactersAreStable(t *testing.T) {
	stable := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !isStable(r) {
			continue
		}
		stable++
		s := string(r)
		if p := norm.NFC.PropertiesString(s); !p.BoundaryBefore() || p.CCC() != 0 || !norm.NFC.IsNormalString(s) {
			t.Errorf("U+%04X is not stable in NFC", r)
		}
	}
	if stable < 30_000 {
		t.Errorf("only %d characters are stable", stable)
	}
}

// tokens returns the tokens of a text, with plain ones at most limit long.
func tokens(s string, limit int) []token {
	var all []token
	x := lexer{s: s}
	for i := 0; i < len(s); {
		t := x.next(i, limit)
		all = append(all, t)
		i = t.end
	}
	return all
}

func TestTokens(t *testing.T) {
	tests := map[string][]token{
		"ab  c":                   {{kind: tokenPlain, end: 5}},
		"ab   c":                  {{kind: tokenPlain, end: 2}, {kind: tokenSpaces, end: 5, n: 3}, {kind: tokenPlain, end: 6}},
		"a\n":                     {{kind: tokenPlain, end: 1}, {kind: tokenNewline, end: 2}},
		"\n  x":                   {{kind: tokenNewline, end: 3, n: 2}, {kind: tokenPlain, end: 4}},
		"\r\n\t":                  {{kind: tokenReturn, end: 1}, {kind: tokenNewline, end: 2}, {kind: tokenTab, end: 3}},
		"\x1b[31mx":               {{kind: tokenANSI, end: 5}, {kind: tokenPlain, end: 6}},
		"\x1b":                    {{kind: tokenControl, end: 1, r: 0x1B}},
		"\x00\u0085":              {{kind: tokenControl, end: 1}, {kind: tokenControl, end: 3, r: 0x85}},
		"xe\u0301y":               {{kind: tokenPlain, end: 1}, {kind: tokenComposed, end: 4}, {kind: tokenPlain, end: 5}},
		"é":                       {{kind: tokenRune, end: 2, r: 'é'}},
		"a é":                     {{kind: tokenPlain, end: 1}, {kind: tokenRune, end: 2, r: ' '}, {kind: tokenRune, end: 4, r: 'é'}},
		"\xff\xfe\xe4\xb8x":       {{kind: tokenBytes, end: 4}, {kind: tokenPlain, end: 5}},
		"\u1100\u1161\u11a8":      {{kind: tokenComposed, end: 9}},
		"لا":                      {{kind: tokenLamAlef, end: 4, r: 0xFEFB}},
		"\u212b":                  {{kind: tokenComposed, end: 3}},
		"漢\u0301":                 {{kind: tokenRune, end: 3, r: '漢'}, {kind: tokenRune, end: 5, r: 0x301}},
		"=\u0338":                 {{kind: tokenComposed, end: 3}},
		"ก\u0e33":                 {{kind: tokenRune, end: 3, r: 'ก'}, {kind: tokenRune, end: 6, r: 0xE33}},
		"か\u3099":                 {{kind: tokenComposed, end: 6}},
		"\n" + spaces(maxCount+1): {{kind: tokenNewline, end: 1 + maxCount, n: maxCount}, {kind: tokenPlain, end: 2 + maxCount}},
	}
	for s, want := range tests {
		got := tokens(s, 100)
		if len(got) != len(want) {
			t.Errorf("%q: %d tokens %v, want %v", s, len(got), got, want)
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%q: token %d is %v, want %v", s, i, got[i], want[i])
			}
		}
	}
}

func spaces(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = ' '
	}
	return string(b)
}

// However a plain token is limited, the tokens cover the text, and split
// nothing but plain ones in another way.
func TestTokensDoNotDependOnTheLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyText().Draw(t, "text")
		want := map[int]token{}
		for _, tok := range tokens(s, len(s)+1) {
			if tok.kind != tokenPlain {
				want[tok.end] = tok
			}
		}
		for _, tok := range tokens(s, rapid.IntRange(1, 20).Draw(t, "limit")) {
			if tok.kind != tokenPlain && tok != want[tok.end] && !(tok.kind == tokenRune && tok.r < utf8.RuneSelf) {
				t.Fatalf("token %v appears only with a limit", tok)
			}
		}
	})
}

func FuzzCanonicalIsNFCWithoutANSI(f *testing.F) {
	f.Add("e\u0301 \x1b[1mbold\x1b[0m \xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := Canonical(s)
		if utf8.ValidString(s) && !containsEscape(s) && !norm.NFC.IsNormalString(got) {
			t.Errorf("%q: %q is not in NFC", s, got)
		}
		if !containsEscape(s) && Canonical(got) != got {
			t.Errorf("%q: %q changes again", s, got)
		}
	})
}

func containsEscape(s string) bool {
	for i := range len(s) {
		if s[i] == escape {
			return true
		}
	}
	return false
}
