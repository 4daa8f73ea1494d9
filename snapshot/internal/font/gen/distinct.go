package main

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
	"unicode"

	"github.com/stemma-history/stemma/snapshot/internal/font"
)

// set is a font in the making: what each character looks like.
type set map[rune]picture

// key is the same for pictures that look the same.
func (p picture) key() string {
	key := []byte{byte(p.width)}
	for _, row := range p.rows {
		key = binary.LittleEndian.AppendUint32(key, row)
	}
	return string(key)
}

// half returns the picture of one cell: the left or right half of a wide
// character, or a narrow character itself.
func (p picture) half(cell, right int) picture {
	h := picture{width: cell, rows: make([]uint32, len(p.rows))}
	for y, row := range p.rows {
		if p.width > cell && right == 0 {
			row >>= cell
		}
		h.rows[y] = row & (1<<cell - 1)
	}
	return h
}

// dropTwins takes out characters that look exactly like another one, so that
// every picture can be read back. Of each such class stays the character that
// order puts first; and beside it the first letter of each other script among
// Latin, Greek and Cyrillic, which a reader tells apart by the text around.
func (s set) dropTwins(order func(a, b rune) int) (dropped []rune) {
	classes := map[string][]rune{}
	for r, p := range s {
		classes[p.key()] = append(classes[p.key()], r)
	}
	for _, class := range classes {
		slices.SortFunc(class, order)
		scripts := map[font.Script]bool{font.ScriptOf(class[0]): true}
		for _, r := range class[1:] {
			script := font.ScriptOf(r)
			if script == font.NoScript || scripts[font.NoScript] || scripts[script] || rank(r) > commonLetters {
				dropped = append(dropped, r)
				delete(s, r)
				continue
			}
			scripts[script] = true
		}
	}
	return dropped
}

// dropPairs takes out wide characters whose two halves a reader could take
// for something else: for two narrow characters, or for a narrow one and the
// left half of another wide one. In the second case the character that order
// puts last goes.
func (s set) dropPairs(cell int, order func(a, b rune) int) (dropped []rune) {
	narrow := map[string]bool{}
	for _, p := range s {
		if p.width == cell {
			narrow[p.key()] = true
		}
	}
	drop := func(r rune) {
		if _, ok := s[r]; ok {
			dropped = append(dropped, r)
			delete(s, r)
		}
	}
	suspects := map[string][]rune{} // by their right half
	for r, p := range s {
		if p.width == cell || !narrow[p.half(cell, 0).key()] {
			continue
		}
		right := p.half(cell, 1).key()
		if narrow[right] {
			drop(r)
		} else {
			suspects[right] = append(suspects[right], r)
		}
	}
	for _, w := range slices.SortedFunc(maps.Keys(s), order) {
		p, ok := s[w]
		if !ok || p.width == cell {
			continue
		}
		rivals := slices.DeleteFunc(suspects[p.half(cell, 0).key()], func(v rune) bool {
			_, stands := s[v]
			return !stands
		})
		if slices.ContainsFunc(rivals, func(v rune) bool { return order(v, w) < 0 }) {
			drop(w)
			continue
		}
		for _, v := range rivals {
			drop(v)
		}
	}
	return dropped
}

// byRank orders characters by how likely an agent's history holds them.
func byRank(a, b rune) int {
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
}

// commonLetters is the last rank of letters that a reader is expected to tell
// apart by their script.
const commonLetters = 2

// ranks lists blocks of characters, by rank; what is not in it comes last.
var ranks = []struct {
	from, to rune
	rank     int
}{
	{font.TileBase, font.MaxCode, 0},
	{0x0020, 0x007E, 0},
	{0x00D0, 0x00D0, 2}, // after the Đ of Vietnamese and Croatian
	{0x00A1, 0x017F, 1},
	{0x018F, 0x018F, 2}, {0x0259, 0x0259, 2}, // Azerbaijani schwa
	{0x01A0, 0x01A1, 2}, {0x01AF, 0x01B0, 2}, // Vietnamese
	{0x01CD, 0x01DC, 2}, // pinyin
	{0x0218, 0x021B, 2}, // Romanian
	{0x0370, 0x03FF, 2}, {0x0400, 0x04FF, 2}, {0x0531, 0x0588, 3}, {0x05D0, 0x05EA, 2},
	{0x1E00, 0x1FFF, 3},
	{0x2012, 0x2012, 5}, {0x2015, 0x2015, 5},
	{0x2013, 0x205E, 2}, {0x20A0, 0x20BF, 2},
	{0x2605, 0x2606, 1}, {0x2665, 0x2665, 1}, // before the stars and hearts of other blocks
	{0x2190, 0x21FF, 2}, {0x2200, 0x22FF, 2}, {0x2500, 0x26FF, 2}, {0x2701, 0x27BF, 3}, {0x2800, 0x28FF, 3},
	{0x3001, 0x30FF, 2}, {0x4E00, 0x9FFF, 2}, {0xAC00, 0xD7A3, 2}, {0xFF01, 0xFF5E, 2}, {0x1F300, 0x1FAFF, 2},
	{0x0180, 0x02AF, 3}, {0x0600, 0x06FF, 3}, {0x2100, 0x218F, 3}, {0x2300, 0x24FF, 3}, {0x3400, 0x4DBF, 3},
	{0xFE70, 0xFE7F, 25}, // after the vowel marks of Arabic, whose pictures they have
}

func rank(r rune) int {
	for _, b := range ranks {
		if b.from <= r && r <= b.to {
			if unicode.Is(unicode.M, r) {
				return b.rank + 10
			}
			return b.rank
		}
	}
	if unicode.Is(unicode.M, r) || unicode.In(r, unicode.Lm, unicode.Sk) {
		return 20
	}
	return 10
}
