package snapshot

import (
	"cmp"
	"hash/crc32"

	"github.com/stemma-history/stemma/snapshot/internal/font"
)

// A place is a position in a source.
type place struct {
	segment int
	offset  int // in the segment's text
	joined  int // in the joined text
}

// placeOf returns the place at an offset of the joined text: between segments,
// the beginning of the later one.
func placeOf(src []Segment, offset int) place {
	at := place{joined: offset}
	for at.segment < len(src) && offset >= len(src[at.segment].Text) {
		offset -= len(src[at.segment].Text)
		at.segment++
	}
	at.offset = offset
	return at
}

// A setter sets text in the cells of one page. What it sets depends on
// nothing but the text from where it starts, the face and the page's size.
type setter struct {
	face   *face
	cols   int
	most   int    // cells of text a page holds
	cells  []cell // of the text; the rows above and below are the caller's
	n      int    // cells set
	wide   int    // of them, those of wide characters
	ink    cell   // greyInk, or 0
	script font.Script
	rtl    bool // a character that runs from right to left was set
	unit   []cell

	// base is the offset in the joined text of the segment that is being set.
	base  int
	burst burst

	crc     uint32
	changes Changes
}

// fill sets the text from a place until the page is full, the joined text's
// offset stop is reached or the source ends, and returns the page's data with
// the place behind it. Where the setter watches for bursts, it stops at one.
func (t *setter) fill(src []Segment, at place, stop int, grey bool) (Page, place) {
	*t = setter{face: t.face, cols: t.cols, most: t.most, cells: t.cells, unit: t.unit[:0],
		script: font.Latin, burst: burst{watched: t.burst.watched, start: -1}}
	page := Page{First: -1, Start: at.joined}
	for at.segment < len(src) && !page.Full {
		seg := &src[at.segment]
		t.ink = 0
		if grey && seg.Grey {
			t.ink = greyInk
		}
		before := t.n
		t.base = at.joined - at.offset
		end, whole := t.segment(seg.Text[:min(len(seg.Text), stop-t.base)], at.offset)
		whole = whole && end == len(seg.Text)
		if t.n > before {
			page.Last = at.segment
			if page.First < 0 {
				page.First = at.segment
			}
			if seg.Handle != "" {
				page.To = seg.Handle
				page.From = cmp.Or(page.From, seg.Handle)
			}
		}
		page.Full = !whole
		at.joined += end - at.offset
		at.offset = end
		if whole {
			at = place{segment: at.segment + 1, joined: at.joined}
		}
	}
	page.First = max(page.First, 0)
	page.End = at.joined
	page.CRC = t.crc
	page.Cells = t.n
	page.Changes = t.changes
	t.finishRow()
	return page, at
}

// segment sets a segment's text from offset i on. It returns the offset of the
// first token that found no room; whole tells that there was none.
func (t *setter) segment(s string, i int) (end int, whole bool) {
	x := lexer{s: s}
	checked := i // s[checked:i] is set and not yet in the checksum
	for i < len(s) && !t.burst.found {
		tok := x.next(i, max(t.most-t.n, 1))
		if tok.kind == tokenPlain && t.script != font.Latin { // each letter may need a mark
			tok = token{kind: tokenRune, end: i + 1, r: rune(s[i])}
		}
		fits := true
		switch tok.kind {
		case tokenPlain:
			if fits = t.n < t.most; fits {
				t.plain(s[i:tok.end])
			}
		case tokenANSI:
			t.changes.ANSI++
		case tokenComposed:
			fits = t.token(x.composed, tok, t.base+i)
		default:
			fits = t.token(s[i:tok.end], tok, t.base+i)
		}
		if !fits {
			t.sum(s[checked:i])
			return i, false
		}
		if tok.kind == tokenANSI || tok.kind == tokenComposed {
			t.sum(s[checked:i])
			if tok.kind == tokenComposed {
				t.sum(x.composed)
			}
			checked = tok.end
		}
		i = tok.end
	}
	t.sum(s[checked:i])
	return i, i == len(s)
}

// sum adds canonical text to the page's checksum.
func (t *setter) sum(s string) {
	var buf [1 << 12]byte
	for len(s) > 0 {
		n := copy(buf[:], s)
		t.crc = crc32.Update(t.crc, crc32.IEEETable, buf[:n])
		s = s[n:]
	}
}

// plain sets printable ASCII, for which there is room.
func (t *setter) plain(s string) {
	dst := t.cells[t.n : t.n+len(s)]
	for k := range dst {
		dst[k] = cell(s[k]) | t.ink
	}
	t.n += len(s)
	t.burst.drawn(len(s))
}

// put moves the unit onto the page, whole or not at all. A wide character
// never crosses the end of a row.
func (t *setter) put() bool {
	n, wide := t.n, t.wide
	for k, c := range t.unit {
		if n < t.most && n%t.cols == t.cols-1 && k+1 < len(t.unit) && t.unit[k+1]&rightHalf != 0 {
			t.cells[n] = markRowEnd | t.ink
			n++
		}
		if n == t.most {
			return false
		}
		if c&rightHalf != 0 {
			wide += 2
		}
		t.cells[n] = c | t.ink
		n++
	}
	t.n, t.wide = n, wide
	return true
}

// finishRow marks where the text ends in a row it does not fill, and blanks
// the rest.
func (t *setter) finishRow() {
	n := t.n
	if n%t.cols == 0 && n > 0 {
		return
	}
	t.cells[n] = markRowEnd
	for n++; n%t.cols != 0; n++ {
		t.cells[n] = ' '
	}
	t.n = n
}
