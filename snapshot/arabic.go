package snapshot

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// Arabic letters change their form with their neighbours. A row of cells is
// set in the letters of the text; joinArabic puts the forms in, and
// splitArabic takes them out again.

const arabicLam = 'ل'

// arabicForms lists letters and where their presentation forms begin: the
// isolated and final form, then for those that join to the left the initial
// and medial one (Unicode blocks FB50 and FE70).
var arabicForms = []struct {
	letter, first rune
	forms         int
}{
	{'ء', 0xFE80, 1}, {'آ', 0xFE81, 2}, {'أ', 0xFE83, 2}, {'ؤ', 0xFE85, 2}, {'إ', 0xFE87, 2}, {'ئ', 0xFE89, 4},
	{'ا', 0xFE8D, 2}, {'ب', 0xFE8F, 4}, {'ة', 0xFE93, 2}, {'ت', 0xFE95, 4}, {'ث', 0xFE99, 4}, {'ج', 0xFE9D, 4},
	{'ح', 0xFEA1, 4}, {'خ', 0xFEA5, 4}, {'د', 0xFEA9, 2}, {'ذ', 0xFEAB, 2}, {'ر', 0xFEAD, 2}, {'ز', 0xFEAF, 2},
	{'س', 0xFEB1, 4}, {'ش', 0xFEB5, 4}, {'ص', 0xFEB9, 4}, {'ض', 0xFEBD, 4}, {'ط', 0xFEC1, 4}, {'ظ', 0xFEC5, 4},
	{'ع', 0xFEC9, 4}, {'غ', 0xFECD, 4}, {'ف', 0xFED1, 4}, {'ق', 0xFED5, 4}, {'ك', 0xFED9, 4}, {arabicLam, 0xFEDD, 4},
	{'م', 0xFEE1, 4}, {'ن', 0xFEE5, 4}, {'ه', 0xFEE9, 4}, {'و', 0xFEED, 2}, {'ى', 0xFEEF, 2}, {'ي', 0xFEF1, 4},
	// Persian and Urdu.
	{'پ', 0xFB56, 4}, {'ٹ', 0xFB66, 4}, {'چ', 0xFB7A, 4}, {'ڈ', 0xFB88, 2}, {'ژ', 0xFB8A, 2}, {'ڑ', 0xFB8C, 2},
	{'ک', 0xFB8E, 4}, {'گ', 0xFB92, 4}, {'ں', 0xFB9E, 2}, {'ہ', 0xFBA6, 4}, {'ھ', 0xFBAA, 4}, {'ے', 0xFBAE, 2},
	{'ۓ', 0xFBB0, 2}, {'ی', 0xFBFC, 4},
}

// lamAlefs lists the letters after lam that form a ligature with it, and the
// ligature's isolated form; the final one follows it.
var lamAlefs = []struct{ alef, ligature rune }{
	{'آ', 0xFEF5}, {'أ', 0xFEF7}, {'إ', 0xFEF9}, {'ا', 0xFEFB},
}

// arabicShape is how a letter joins: its forms, isolated first, and the
// letters it stands for.
type arabicShape struct {
	base    rune // what a cell of an unjoined row holds
	letters string
	first   rune
	forms   int
}

// arabic returns the shapes by the letter in the text, or ligature, and by
// every form.
var arabic = sync.OnceValues(func() (byBase, byForm map[rune]arabicShape) {
	byBase, byForm = map[rune]arabicShape{}, map[rune]arabicShape{}
	add := func(s arabicShape) {
		byBase[s.base] = s
		for f := range s.forms {
			byForm[s.first+rune(f)] = s
		}
	}
	for _, l := range arabicForms {
		add(arabicShape{l.letter, string(l.letter), l.first, l.forms})
	}
	for _, l := range lamAlefs {
		add(arabicShape{l.ligature, string([]rune{arabicLam, l.alef}), l.ligature, 2})
	}
	return byBase, byForm
})

// lamAlef returns the ligature that s begins with and its length in bytes; 0
// where it begins with none.
func lamAlef(s string) (ligature rune, length int) {
	lam := utf8.RuneLen(arabicLam)
	next, size := utf8.DecodeRuneInString(s[lam:])
	for _, l := range lamAlefs {
		if l.alef == next {
			return l.ligature, lam + size
		}
	}
	return 0, 0
}

// isArabicForm tells whether a reader takes r for a form of other letters.
// Where a text itself holds one, it must be written as its code point.
func isArabicForm(r rune) bool {
	if r < 0xFB50 || r > 0xFEFF {
		return false
	}
	_, byForm := arabic()
	_, ok := byForm[r]
	return ok
}

// arabicLetters returns the letters a form stands for; "" where it is none.
func arabicLetters(form rune) string {
	if form < 0xFB50 || form > 0xFEFF {
		return ""
	}
	_, byForm := arabic()
	return byForm[form].letters
}

// joinArabic replaces the letters of a row by their forms, as far as the face
// has pictures of those.
func joinArabic(row []cell, f *face) {
	byBase, _ := arabic()
	shape := func(i int) arabicShape { return byBase[rune(row[i]&codeMask)] }
	joined := make([]rune, len(row))
	previous := -1 // the letter before, marks between not counted
	for i := range row {
		if unicode.Is(unicode.Mn, rune(row[i]&codeMask)) {
			continue
		}
		s := shape(i)
		if s.forms == 0 {
			previous = -1
			continue
		}
		const final, initial, medial = 1, 2, 3
		if previous >= 0 && s.forms > 1 {
			before := shape(previous)
			if joined[previous] == before.first+final && before.forms == 4 {
				joined[previous] = before.first + medial
			} else {
				joined[previous] = before.first + initial
			}
			joined[i] = s.first + final
		} else {
			joined[i] = s.first
		}
		previous = -1
		if s.forms == 4 {
			previous = i
		}
	}
	for i, form := range joined {
		if form == 0 {
			continue
		}
		if wide, ok := f.find(form); ok && !wide {
			row[i] = row[i]&^codeMask | cell(form)
		}
	}
}
