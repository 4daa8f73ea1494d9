package snapshot

import (
	"image"
	"image/color"

	"github.com/stemma-history/stemma/snapshot/internal/font"
)

// A mask is where an image has ink.
type mask struct {
	width, height int
	ink           []bool
}

// newMask takes everything darker than a light grey for ink.
func newMask(img image.Image) *mask {
	const light = 0xC0
	bounds := img.Bounds()
	m := &mask{width: bounds.Dx(), height: bounds.Dy()}
	m.ink = make([]bool, m.width*m.height)
	isInk := func(c color.Color) bool { return color.GrayModel.Convert(c).(color.Gray).Y < light }
	if p, ok := img.(*image.Paletted); ok { // as pages are written
		inks := make([]bool, len(p.Palette))
		for i, c := range p.Palette {
			inks[i] = isInk(c)
		}
		for y := range m.height {
			for x, v := range p.Pix[y*p.Stride:][:m.width] {
				m.ink[y*m.width+x] = inks[v]
			}
		}
		return m
	}
	for y := range m.height {
		for x := range m.width {
			m.ink[y*m.width+x] = isInk(img.At(bounds.Min.X+x, bounds.Min.Y+y))
		}
	}
	return m
}

// half returns the picture in a cell; not ok where there is ink above or below
// the place for pictures.
func (m *mask) half(s Shape, fr frame, row, column int) (h font.Half, ok bool) {
	for y := range s.CellHeight {
		line := m.ink[(row*s.CellHeight+y)*m.width+column*s.CellWidth:][:s.CellWidth]
		bits := uint16(0)
		for _, ink := range line {
			bits <<= 1
			if ink {
				bits |= 1
			}
		}
		if at := y - fr.top; at >= 0 && at < fr.height {
			h[at] = bits
		} else if bits != 0 {
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
