package snapshot

import (
	"image"
	"image/color"

	"github.com/stemma-history/stemma/snapshot/internal/font"
)

// A mask is where an image has ink, one bit a pixel, the leftmost of 64 in the
// highest bit.
type mask struct {
	width, height int
	stride        int // words of a row, one more than it needs
	bits          []uint64
}

// newMask takes everything darker than a light grey for ink.
func newMask(img image.Image) *mask {
	const light = 0xC0
	bounds := img.Bounds()
	m := &mask{width: bounds.Dx(), height: bounds.Dy(), stride: (bounds.Dx()+63)/64 + 1}
	m.bits = make([]uint64, m.stride*m.height)
	isInk := func(c color.Color) bool { return color.GrayModel.Convert(c).(color.Gray).Y < light }
	if p, ok := img.(*image.Paletted); ok { // as pages are written
		var inks [256]uint64
		for i, c := range p.Palette {
			if isInk(c) {
				inks[i] = 1
			}
		}
		for y := range m.height {
			row := m.bits[y*m.stride:]
			for x, v := range p.Pix[y*p.Stride:][:m.width] {
				row[x/64] |= inks[v] << (63 - x%64)
			}
		}
		return m
	}
	for y := range m.height {
		for x := range m.width {
			if isInk(img.At(bounds.Min.X+x, bounds.Min.Y+y)) {
				m.bits[y*m.stride+x/64] |= 1 << (63 - x%64)
			}
		}
	}
	return m
}

// half returns the picture in a cell; not ok where there is ink above or below
// the place for pictures.
func (m *mask) half(s Shape, fr frame, row, column int) (h font.Half, ok bool) {
	x := column * s.CellWidth
	word, bit := x/64, uint(x%64)
	for y := range s.CellHeight {
		line := m.bits[(row*s.CellHeight+y)*m.stride+word:]
		pixels := uint16((line[0]<<bit | line[1]>>(64-bit)) >> (64 - uint(s.CellWidth)))
		if at := y - fr.top; at >= 0 && at < fr.height {
			h[at] = pixels
		} else if pixels != 0 {
			return h, false
		}
	}
	return h, true
}

// An index finds characters and tiles by their pictures. Of twins it knows
// one.
type index struct {
	narrow map[font.Half]rune
	wide   map[[2]font.Half]rune
}

func newIndex(f *face) *index {
	x := &index{narrow: map[font.Half]rune{}, wide: map[[2]font.Half]rune{}}
	x.add(f.own)
	if f.fallback != nil {
		x.add(f.fallback())
	}
	return x
}

func (x *index) add(p *plane) {
	for code := range p.font.Codes {
		if p.hidden(code) {
			continue
		}
		n, wide, _ := p.font.Find(code)
		if wide {
			x.wide[[2]font.Half{p.halves[n], p.halves[n+1]}] = code
		} else if _, taken := x.narrow[p.halves[n]]; !taken {
			x.narrow[p.halves[n]] = code
		}
	}
}
