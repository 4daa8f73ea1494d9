package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// picture is a character's pixels: rows from the top, bit width-1 of a row is
// the leftmost pixel.
type picture struct {
	width int
	rows  []uint32
}

// source is a font as it was published.
type source struct {
	width, height int // of a narrow character
	pictures      map[rune]picture
}

// The tables of a PCF file that hold what is needed, by their type.
const (
	pcfAccelerators = 1 << 1
	pcfMetrics      = 1 << 2
	pcfBitmaps      = 1 << 3
	pcfEncodings    = 1 << 5

	pcfBigEndian         = 1 << 2
	pcfMostSignificant   = 1 << 3
	pcfCompressedMetrics = 1 << 8
)

// readPCF reads a gzipped PCF font (X.org libXfont's portable compiled format)
// whose characters all have the same width and are encoded as Unicode.
func readPCF(path string) (*source, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f, err := parsePCF(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// pcfTable is one table of the file, in its own byte order.
type pcfTable struct {
	format uint32
	order  binary.ByteOrder
	data   []byte
}

func (t pcfTable) u16(at int) int { return int(t.order.Uint16(t.data[at:])) }
func (t pcfTable) i16(at int) int { return int(int16(t.order.Uint16(t.data[at:]))) }
func (t pcfTable) i32(at int) int { return int(int32(t.order.Uint32(t.data[at:]))) }

func parsePCF(data []byte) (f *source, err error) {
	defer func() { // a short file, which only a broken installation has
		if recover() != nil {
			f, err = nil, errors.New("not a whole PCF file")
		}
	}()
	if !bytes.HasPrefix(data, []byte("\x01fcp")) {
		return nil, errors.New("not a PCF file")
	}
	tables := map[uint32]pcfTable{}
	le := binary.LittleEndian
	for i := range int(le.Uint32(data[4:])) {
		entry := data[8+16*i:]
		body := data[le.Uint32(entry[12:]):]
		t := pcfTable{format: le.Uint32(body), order: le, data: body}
		if t.format&pcfBigEndian != 0 {
			t.order = binary.BigEndian
		}
		tables[le.Uint32(entry)] = t
	}

	acc := tables[pcfAccelerators]
	ascent, descent := acc.i32(12), acc.i32(16)
	metrics := pcfGlyphMetrics(tables[pcfMetrics])
	f = &source{width: metrics[0].advance, height: ascent + descent, pictures: map[rune]picture{}}
	enc := tables[pcfEncodings]
	at := 14
	for hi := enc.u16(8); hi <= enc.u16(10); hi++ {
		for lo := enc.u16(4); lo <= enc.u16(6); lo++ {
			if glyph := enc.u16(at); glyph != 0xFFFF {
				f.pictures[rune(hi<<8|lo)] = pcfPicture(tables[pcfBitmaps], glyph, metrics[glyph], f, ascent)
			}
			at += 2
		}
	}
	return f, nil
}

// pcfMetric places a glyph's bitmap: it covers the pixels [left, right) from
// the origin, ascent rows above the base line and descent below it.
type pcfMetric struct{ left, right, advance, ascent, descent int }

func pcfGlyphMetrics(t pcfTable) []pcfMetric {
	var ms []pcfMetric
	if t.format&pcfCompressedMetrics == 0 {
		for i := range t.i32(4) {
			p := 8 + 12*i
			ms = append(ms, pcfMetric{t.i16(p), t.i16(p + 2), t.i16(p + 4), t.i16(p + 6), t.i16(p + 8)})
		}
		return ms
	}
	for i := range t.u16(4) {
		b := t.data[6+5*i:]
		v := func(k int) int { return int(b[k]) - 128 }
		ms = append(ms, pcfMetric{v(0), v(1), v(2), v(3), v(4)})
	}
	return ms
}

func pcfPicture(t pcfTable, glyph int, m pcfMetric, f *source, ascent int) picture {
	count := t.i32(4)
	bitmap := t.data[8+4*count+16+t.i32(8+4*glyph):]
	pad := 1 << (t.format & 3)
	stride := ((m.right-m.left+7)/8 + pad - 1) / pad * pad
	p := picture{width: f.width, rows: make([]uint32, f.height)}
	for y := range m.ascent + m.descent {
		row := ascent - m.ascent + y
		for x := range m.right - m.left {
			bit := x % 8
			if t.format&pcfMostSignificant != 0 {
				bit = 7 - bit
			}
			col := m.left + x
			if bitmap[y*stride+x/8]>>bit&1 == 1 && row >= 0 && row < f.height && col >= 0 && col < f.width {
				p.rows[row] |= 1 << (f.width - 1 - col)
			}
		}
	}
	return p
}
