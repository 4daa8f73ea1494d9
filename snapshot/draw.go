package snapshot

import (
	"encoding/binary"
	"slices"

	"github.com/stemma-history/stemma/snapshot/internal/deflate"
	"github.com/stemma-history/stemma/snapshot/internal/font"
)

// A bitmap is a page's pixels as PNG wants them: scanlines of a filter's byte
// and filtered pixels, 0 for paper.
type bitmap struct {
	deflate.Bitmap
	width, height int
	bits          int // per pixel
}

// PNG's filters.
const (
	filterNone = 0
	filterUp   = 2
)

// A painter draws cells. It keeps its buffers for the next page.
type painter struct {
	bitmap bitmap
	raw    []byte
	halves []*font.Half // of the row being drawn, filled up to whole eights
	ink    band
	grey   band // the pixels of cells in grey
	both   band // ink in black and grey, at two bits a pixel
}

// A band is a row of cells, as scanlines of stride bytes.
type band struct {
	stride int
	pixels []byte
}

func (b *band) reset(stride, height int) {
	b.stride = stride
	if cap(b.pixels) < stride*height {
		b.pixels = make([]byte, stride*height)
	}
	b.pixels = b.pixels[:stride*height]
	clear(b.pixels)
}

// paint draws rows of cells. The result is valid until the next call.
func (p *painter) paint(f *face, cells []cell, columns int, hasGrey bool) *bitmap {
	b := &p.bitmap
	b.bits = 1
	if hasGrey {
		b.bits = 2
	}
	rows := len(cells) / columns
	b.width, b.height = columns*f.shape.CellWidth, rows*f.shape.CellHeight
	b.Cells, b.Columns, b.CellBits = cells, columns, f.shape.CellWidth*b.bits
	b.RowHeight = f.shape.CellHeight
	b.Pitch = 1 + (b.width*b.bits+7)/8
	if size := b.Pitch * b.height; cap(p.raw) < size+deflate.Slack {
		p.raw = make([]byte, size+deflate.Slack)
	}
	b.Scanlines = p.raw[:b.Pitch*b.height]

	// Eight cells at a time are drawn, which is whole bytes, with stores of 8
	// bytes that may go over the end.
	eights := (columns + 7) / 8
	stride := eights*f.shape.CellWidth + 16
	p.halves = slices.Grow(p.halves[:0], 8*eights)[:8*eights]
	for i := range p.halves {
		p.halves[i] = &f.empty
	}
	for row := range rows {
		line := cells[row*columns : (row+1)*columns]
		for i, c := range line {
			p.halves[i] = f.halfOf(c)
		}
		p.ink.draw(f, p.halves, stride)
		band := &p.ink
		if hasGrey {
			for i, c := range line {
				p.halves[i] = f.greyHalf(c)
			}
			p.grey.draw(f, p.halves, stride)
			p.both.merge(&p.ink, &p.grey)
			band = &p.both
		}
		filter(b, row, band, f)
	}
	return b
}

// draw draws pictures side by side, 1 bit a pixel.
func (b *band) draw(f *face, halves []*font.Half, stride int) {
	b.reset(stride, f.shape.CellHeight)
	width := f.shape.CellWidth
	out := b.pixels[f.top*stride:]
	for ; len(halves) >= 8; halves = halves[8:] {
		if h := (*[8]*font.Half)(halves); width <= 8 {
			b.eight(out, f.height, uint(width), h)
		} else {
			b.eightWide(out, f.height, uint(width), h)
		}
		out = out[width:]
	}
}

// eight draws eight pictures of up to 8 pixels side by side.
func (b *band) eight(out []byte, height int, width uint, h *[8]*font.Half) {
	h0, h1, h2, h3, h4, h5, h6, h7 := h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7]
	w := width & 63
	for y := range height {
		k := y & (font.MaxHeight - 1)
		h01 := uint64(h0[k])<<w | uint64(h1[k])
		h23 := uint64(h2[k])<<w | uint64(h3[k])
		h45 := uint64(h4[k])<<w | uint64(h5[k])
		h67 := uint64(h6[k])<<w | uint64(h7[k])
		v := (h01<<(2*w&63)|h23)<<(4*w&63) | h45<<(2*w&63) | h67
		binary.BigEndian.PutUint64(out[y*b.stride:], v<<((64-8*w)&63))
	}
}

// eightWide draws eight pictures of 9 to 16 pixels side by side.
func (b *band) eightWide(out []byte, height int, width uint, h *[8]*font.Half) {
	for y := range height {
		var left, right uint64 // four pictures each
		for i := range 4 {
			left = left<<width | uint64(h[i][y])
			right = right<<width | uint64(h[i+4][y])
		}
		at := out[y*b.stride:]
		binary.BigEndian.PutUint64(at, left<<(64-4*width)|right>>(8*width-64))
		binary.BigEndian.PutUint64(at[8:], right<<(128-8*width))
	}
}

// merge makes pixels of two bits: 1 for black ink, 2 for grey.
func (b *band) merge(ink, grey *band) {
	b.stride = 2 * ink.stride
	if cap(b.pixels) < 2*len(ink.pixels) {
		b.pixels = make([]byte, 2*len(ink.pixels))
	}
	b.pixels = b.pixels[:2*len(ink.pixels)]
	for i, v := range ink.pixels {
		g := grey.pixels[i]
		binary.BigEndian.PutUint16(b.pixels[2*i:], spread(v&g)<<1|spread(v&^g))
	}
}

// spread puts a zero before each bit of v.
func spread(v byte) uint16 {
	w := uint16(v)
	w = (w | w<<4) & 0x0F0F
	w = (w | w<<2) & 0x3333
	return (w | w<<1) & 0x5555
}

// filter copies a band to a row's scanlines, in the rows of stems as the
// difference from the row above.
func filter(b *bitmap, row int, from *band, f *face) {
	n := b.Pitch - 1
	out := b.Scanlines[row*b.RowHeight*b.Pitch:]
	for y := range b.RowHeight {
		line := from.pixels[y*from.stride : y*from.stride+n]
		if f.upFrom <= y && y < f.upTo {
			out[0] = filterUp
			subtract(out[1:1+n], line, from.pixels[(y-1)*from.stride:])
		} else {
			out[0] = filterNone
			copy(out[1:1+n], line)
		}
		out = out[b.Pitch:]
	}
}

// subtract sets out to a less b, byte by byte.
func subtract(out, a, b []byte) {
	const high = 0x8080808080808080
	le := binary.LittleEndian
	i := 0
	for ; i+8 <= len(out); i += 8 {
		x, y := le.Uint64(a[i:]), le.Uint64(b[i:])
		le.PutUint64(out[i:], ((x|high)-(y&^high))^((x^^y)&high))
	}
	for ; i < len(out); i++ {
		out[i] = a[i] - b[i]
	}
}
