package snapshot

import (
	"unicode"

	"pgregory.net/rapid"
)

// anyText generates text of the kinds that pages must keep: words in many
// scripts, code, blanks, control sequences, combining marks, and bytes that
// are no text at all.
func anyText() *rapid.Generator[string] {
	pieces := rapid.OneOf(
		rapid.StringMatching(`[a-z]{1,8}[ .,;:(){}]`),
		rapid.StringMatching(`[ \t]{1,40}`),
		rapid.StringMatching(`(\r?\n){1,3}[ \t]{0,12}`),
		rapid.SampledFrom([]string{"\x1b[31m", "\x1b[0m", "\x1b]0;title\a", "\x1b", "\x1b[", "\x00", "\x7f", "\u0085", "\ufeff",
			"\u00a0", "\u202f", "\u3000", "\ufe0f", "\u200d", "\u00ad", "\u200b", "\xff", "\xe4\xb8", "¶", "⚠️", "👩‍💻"}),
		rapid.StringOfN(rapid.RuneFrom(nil, unicode.Latin, unicode.Greek, unicode.Cyrillic), 1, 12, -1),
		rapid.StringOfN(rapid.RuneFrom([]rune("АВЕКМНОРСТХаеорсухABEKMHOPCTXaeopcyx ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ")), 1, 12, -1),
		rapid.StringOfN(rapid.RuneFrom([]rune("אבגדה וזחט() 12.5 abc العربية لا إله 123")), 1, 16, -1),
		rapid.StringOfN(rapid.RuneFrom(nil, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana), 1, 12, -1),
		rapid.StringOfN(rapid.RuneFrom(nil, unicode.Mn, unicode.Latin), 1, 6, -1),
		rapid.StringOfN(rapid.RuneFrom(nil, unicode.S, unicode.P), 1, 6, -1),
		rapid.String(),
	)
	return rapid.Custom(func(t *rapid.T) string {
		text := ""
		for _, p := range rapid.SliceOfN(pieces, 0, 40).Draw(t, "pieces") {
			text += p
		}
		return text
	})
}

// anySource generates a source of several segments.
func anySource() *rapid.Generator[[]Segment] {
	return rapid.Custom(func(t *rapid.T) []Segment {
		var src []Segment
		for range rapid.IntRange(1, 6).Draw(t, "segments") {
			src = append(src, Segment{
				Handle: rapid.StringMatching(`([1-9][0-9]{0,3}(\.[1-9])?)?`).Draw(t, "handle"),
				Text:   anyText().Draw(t, "text"),
				Grey:   rapid.Bool().Draw(t, "grey"),
			})
		}
		return src
	})
}

// smallShape generates a shape with pages so small that generated text fills
// some of them.
func smallShape() *rapid.Generator[Shape] {
	return rapid.Custom(func(t *rapid.T) Shape {
		s := rapid.SampledFrom(append(Shapes(),
			Shape{Name: "9x15", Font: "9x15", CellWidth: 9, CellHeight: 15},
			Shape{Name: "11x20", Font: "8x13", CellWidth: 11, CellHeight: 20},
			Shape{Name: "7x14", Font: "6x13", CellWidth: 7, CellHeight: 14},
			Shape{Name: "16x24", Font: "unifont", CellWidth: 16, CellHeight: 24},
		)).Draw(t, "shape")
		columns := rapid.IntRange(minColumns, minColumns+40).Draw(t, "columns")
		s.PageWidth = columns*max(s.CellWidth, 8) + rapid.IntRange(0, 5).Draw(t, "extra")
		s.PageHeight = (minCells/columns + 2) * max(s.CellHeight, 16)
		s.Grey = rapid.Bool().Draw(t, "grey")
		return s
	})
}
