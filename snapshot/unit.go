package snapshot

import (
	"math/bits"

	"github.com/stemma-history/stemma/snapshot/internal/font"
)

// A unit is the cells of one token: what must stand on one page. The setter
// makes it from the token, and then puts it on the page.

// token sets any other token, of text s (in NFC) and at an offset in the joined
// text, and reports whether there was room.
func (t *setter) token(s string, tok token, at int) bool {
	if tok.kind == tokenRune && tok.r >= firstIdeograph {
		if wide, ok := t.face.find(tok.r); ok && wide && tok.r < 0xFB00 {
			return t.ideograph(cell(tok.r))
		}
	}
	before := t.script
	changed := Changes{}
	t.unit = t.unit[:0]
	switch tok.kind {
	case tokenSpaces:
		t.unit = append(t.unit, markSpaces, countTile(int(tok.n)))
	case tokenNewline:
		t.unit = append(t.unit, newlineTile(int(tok.n)))
	case tokenTab:
		t.unit = append(t.unit, markTab)
	case tokenReturn:
		t.unit = append(t.unit, markReturn)
	case tokenControl:
		t.code(tok.r)
		changed = Changes{Controls: 1, Escaped: 1}
	case tokenBytes:
		t.bytes(s)
		changed.Invalid = len(s)
	case tokenRune:
		if !t.rune(tok.r) {
			changed.Escaped = 1
		}
	case tokenLamAlef:
		changed.Escaped = t.lamAlef(tok.r)
	case tokenComposed:
		changed.Composed = 1
		for _, r := range s {
			if !t.rune(r) {
				changed.Escaped++
			}
		}
	}
	if !t.put() {
		t.script = before
		return false
	}
	if missing := changed.Escaped - changed.Controls; missing > 0 {
		t.burst.missing(at)
	} else {
		t.burst.drawn(1)
	}
	t.changes.Add(changed)
	return true
}

// firstIdeograph begins the blocks of Chinese, Japanese and Korean, which have
// no letters that look like others or run from right to left. (The ideographic
// space, which has a tile, is not drawn.)
const firstIdeograph = 0x2E80

// ideograph sets a wide character of those blocks, the short way.
func (t *setter) ideograph(c cell) bool {
	n := t.n
	if n%t.cols == t.cols-1 {
		t.cells[n] = markRowEnd | t.ink
		n++
	}
	if n+2 > t.most {
		return false
	}
	t.cells[n], t.cells[n+1] = c|t.ink, c|rightHalf|t.ink
	t.n = n + 2
	t.wide += 2
	t.burst.drawn(1)
	return true
}

// rune adds a character to the unit, and reports whether it is drawn; else it
// was written as its code point.
func (t *setter) rune(r rune) bool {
	if c, ok := silent(r); ok {
		t.unit = append(t.unit, c)
		return true
	}
	wide, ok := t.face.find(r)
	if !ok || isArabicForm(r) {
		t.code(r)
		return false
	}
	if script := font.ScriptOf(r); script != font.NoScript {
		if twins := t.face.twinsOf(r); twins != nil && readAs(twins, t.script) != r {
			t.unit = append(t.unit, scriptTile(script))
		}
		t.script = script
	}
	t.rtl = t.rtl || isRightToLeft(r)
	t.unit = append(t.unit, cell(r))
	if wide {
		t.unit = append(t.unit, cell(r)|rightHalf)
	}
	return true
}

// lamAlef adds the two letters of an Arabic ligature to the unit, as one
// picture if the face has it. It returns how many were written as code points.
func (t *setter) lamAlef(ligature rune) (escaped int) {
	if _, ok := t.face.find(ligature); ok {
		t.rtl = true
		t.unit = append(t.unit, cell(ligature))
		return 0
	}
	for _, r := range arabicLetters(ligature) {
		if !t.rune(r) {
			escaped++
		}
	}
	return escaped
}

// code adds a character to the unit as its code point.
func (t *setter) code(r rune) {
	t.unit = append(t.unit, markCode)
	for shift := (bits.Len32(uint32(r)|1) - 1) / 4 * 4; shift >= 0; shift -= 4 {
		t.unit = append(t.unit, cell(hexDigits[r>>shift&15]))
	}
	t.unit = append(t.unit, markEnd)
}

// bytes adds bytes to the unit that are no text.
func (t *setter) bytes(s string) {
	t.unit = append(t.unit, markBytes)
	for i := range len(s) {
		t.unit = append(t.unit, cell(hexDigits[s[i]>>4]), cell(hexDigits[s[i]&15]))
	}
	t.unit = append(t.unit, markEnd)
}

const hexDigits = "0123456789ABCDEF"
