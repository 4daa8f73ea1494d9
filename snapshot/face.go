package snapshot

import (
	"slices"
	"sync"

	"github.com/stemma-history/stemma/snapshot/internal/font"
)

// A face is a font set in cells of a size. It can draw what its planes hold:
// its own font, and Unifont for the rest where the cell has room for it.
// It does not change after it was made.
type face struct {
	shape Shape
	frame
	own      *plane
	fallback func() *plane // nil where there is none
	index    func() *index

	empty, full font.Half       // cells without ink, and with all of it
	ascii       [128]*font.Half // the pictures of ASCII

	// upFrom and upTo bound the rows of a cell, [upFrom, upTo), that the PNG
	// writer filters by the row above.
	upFrom, upTo int
}

// A frame is where pictures stand in a cell, counted in rows.
type frame struct {
	top    int  // blank rows above the pictures
	height int  // of the pictures
	down   int  // by how much the own font's are moved down among them
	both   bool // there is room for Unifont beside the own font
}

func frameOf(s Shape) frame {
	own := font.Load(s.Font)
	fr := frame{height: own.Height}
	if s.Font != fallbackFont && own.Width == 8 && s.CellWidth == 8 && s.CellHeight >= font.MaxHeight {
		fr = frame{height: font.MaxHeight, down: font.Lowered, both: true}
	}
	fr.top = (s.CellHeight - fr.height) / 2
	return fr
}

// A plane is one font's pictures, placed in the face's cells: bit CellWidth-1
// of a row is the cell's leftmost pixel.
type plane struct {
	font   *font.Font
	halves []font.Half
	hidden func(rune) bool // not drawn by this plane, but by another or not at all
	twins  func() map[rune][]rune
}

var faces struct {
	sync.Mutex
	made map[faceKey]*face
}

type faceKey struct {
	font          string
	width, height int
}

// faceFor returns the face of a shape, which must be valid. Faces are kept:
// there are as many as fonts and cell sizes in use.
func faceFor(s Shape) *face {
	key := faceKey{s.Font, s.CellWidth, s.CellHeight}
	faces.Lock()
	defer faces.Unlock()
	if f := faces.made[key]; f != nil {
		return f
	}
	if faces.made == nil {
		faces.made = map[faceKey]*face{}
	}
	f := newFace(s)
	faces.made[key] = f
	return f
}

const fallbackFont = "unifont"

func newFace(s Shape) *face {
	own := font.Load(s.Font)
	f := &face{shape: s, frame: frameOf(s)}
	f.own = newPlane(own, s.CellWidth, f.down, func(rune) bool { return false })
	if f.both {
		f.fallback = sync.OnceValue(func() *plane {
			return newPlane(font.Load(fallbackFont), s.CellWidth, 0, func(r rune) bool {
				_, _, drawn := own.Find(r)
				return drawn || own.Hidden[r]
			})
		})
	}
	for c := range f.ascii {
		n, _, _ := own.Find(rune(c))
		f.ascii[c] = &f.own.halves[n]
	}
	for y := range f.full {
		f.full[y] = 1<<s.CellWidth - 1
	}
	f.upFrom, f.upTo = f.top+f.down+upRows[s.Font][0], f.top+f.down+upRows[s.Font][1]
	f.index = sync.OnceValue(func() *index { return newIndex(f) })
	return f
}

// upRows bounds, for each font, the rows whose difference from the row above
// packs better than the row itself: from below the tops of tall letters to
// the base line, where stems go straight down. Found by trying all bounds on
// code, listings and prose, and for unifont on Chinese (2026-11-30): pages
// are 9 to 23 per cent smaller than without.
var upRows = map[string][2]int{"6x13": {2, 11}, "8x13": {2, 11}, "9x15": {2, 12}, "unifont": {1, 14}}

// newPlane places a font's pictures in cells of a width, moved down by some
// rows.
func newPlane(f *font.Font, width, down int, hidden func(rune) bool) *plane {
	p := &plane{font: f, halves: f.Halves, hidden: hidden}
	p.twins = sync.OnceValue(func() map[rune][]rune { return findTwins(f, hidden) })
	extra := width - f.Width
	if extra == 0 && down == 0 {
		return p
	}
	p.halves = make([]font.Half, len(f.Halves))
	for code := range f.Codes {
		n, wide, _ := f.Find(code)
		if wide { // the halves must meet
			p.halves[n] = placed(&f.Halves[n], 0, down)
			p.halves[n+1] = placed(&f.Halves[n+1], extra, down)
		} else {
			p.halves[n] = placed(&f.Halves[n], extra/2, down)
		}
	}
	return p
}

func placed(h *font.Half, left, down int) (out font.Half) {
	for y := down; y < len(out); y++ {
		out[y] = h[y-down] << left
	}
	return out
}

// findTwins returns, for each letter that has the same picture as letters of
// other alphabets, all of them, in order of their codes.
func findTwins(f *font.Font, hidden func(rune) bool) map[rune][]rune {
	classes := map[font.Half][]rune{}
	for code := range f.Codes {
		if font.ScriptOf(code) == font.NoScript || hidden(code) {
			continue
		}
		if n, wide, _ := f.Find(code); !wide {
			classes[f.Halves[n]] = append(classes[f.Halves[n]], code)
		}
	}
	twins := map[rune][]rune{}
	for _, class := range classes {
		for _, r := range class {
			if len(class) > 1 {
				twins[r] = class
			}
		}
	}
	return twins
}

// find tells whether the face can draw a character, and whether it is wide.
func (f *face) find(r rune) (wide, ok bool) {
	if _, wide, ok := f.own.font.Find(r); ok {
		return wide, true
	}
	if f.fallback == nil || f.own.font.Hidden[r] {
		return false, false
	}
	_, wide, ok = f.fallback().font.Find(r)
	return wide, ok
}

// halfOf returns the picture of a cell.
func (f *face) halfOf(c cell) *font.Half {
	if c < 128 {
		return f.ascii[c]
	}
	return f.otherHalf(c)
}

func (f *face) otherHalf(c cell) *font.Half {
	code := rune(c & codeMask)
	p := f.own
	n, _, ok := p.font.Find(code)
	if !ok {
		p = f.fallback()
		n, _, _ = p.font.Find(code)
	}
	if c&rightHalf != 0 {
		n++
	}
	return &p.halves[n]
}

// greyHalf returns a full cell for a cell in grey, an empty one for others.
func (f *face) greyHalf(c cell) *font.Half {
	if c&greyInk != 0 {
		return &f.full
	}
	return &f.empty
}

// twinsOf returns the letters that look like r, r among them; nil where none
// else does.
func (f *face) twinsOf(r rune) []rune {
	if _, _, ok := f.own.font.Find(r); ok {
		return f.own.twins()[r]
	}
	if f.fallback != nil {
		return f.fallback().twins()[r]
	}
	return nil
}

// readAs returns which of several twins a reader takes a picture for, in text
// of a script: the one of that script, else the first.
func readAs(twins []rune, script font.Script) rune {
	if i := slices.IndexFunc(twins, func(r rune) bool { return font.ScriptOf(r) == script }); i >= 0 {
		return twins[i]
	}
	return twins[0]
}
