// Package font holds the bitmap fonts that snapshot pages are drawn with, as
// data: X.org misc-fixed 6x13, 8x13 and 9x15, and GNU Unifont with the emoji
// of Unifont Upper. The data is made from the fonts' published files by the
// command in gen, and is decoded when a font is first used.
//
// No two characters of one font have the same picture, except letters of the
// Latin, Greek and Cyrillic scripts that share one (A, Α, А): what else would
// look like another character was left out, so that a page can be read back.
package font

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
)

//go:generate go run ./gen -out data

// MaxHeight is the number of rows a half cell can have.
const MaxHeight = 16

// A Half is the picture of half a cell pair: one cell of a narrow character,
// or the left or right cell of a wide one. Each row is a number whose bit
// Width-1 is the leftmost pixel; set is ink. Rows below the font's height are
// blank.
type Half [MaxHeight]uint16

// Codes above Unicode name the tiles: white on black letters, digits and
// signs that stand for layout, never for text.
const (
	TileBase = 0x110000 // + an ASCII character; + a line feed for ¶
	MaxCode  = TileBase + 0x7F
)

// A Font is a set of pictures. It does not change once loaded.
type Font struct {
	Name          string
	Width, Height int // of a half cell, in pixels

	// Halves holds the pictures; number 0 is blank. A wide character's right
	// half follows its left half.
	Halves []Half

	// Hidden lists characters that Unifont must not draw in place of this
	// font, because their picture is that of one of this font's own.
	Hidden map[rune]bool

	top   [MaxCode>>8 + 1]uint16
	pages [][256]uint32
}

// Lowered is by how many rows a font of 13 is moved down beside Unifont, so
// that their letters stand on nearly the same line.
const Lowered = 2

const wideFlag = 1 << 31

// Find returns the number of a character's (left) half, and whether it is
// wide. ok is false where the font has no picture of it.
func (f *Font) Find(code rune) (half int, wide, ok bool) {
	if uint32(code) > MaxCode {
		return 0, false, false
	}
	v := f.pages[f.top[code>>8]][code&0xFF]
	return int(v &^ wideFlag), v&wideFlag != 0, v != 0
}

// Codes calls yield for each character and tile of the font, in order.
func (f *Font) Codes(yield func(code rune) bool) {
	for t, p := range f.top {
		if p == 0 {
			continue
		}
		for i, v := range f.pages[p] {
			if v != 0 && !yield(rune(t<<8|i)) {
				return
			}
		}
	}
}

var (
	//go:embed data/6x13.zst
	data6x13 []byte
	//go:embed data/8x13.zst
	data8x13 []byte
	//go:embed data/9x15.zst
	data9x15 []byte
	//go:embed data/unifont.zst
	dataUnifont []byte
)

var fonts = map[string]func() *Font{
	"6x13":    loader("6x13", data6x13),
	"8x13":    loader("8x13", data8x13),
	"9x15":    loader("9x15", data9x15),
	"unifont": loader("unifont", dataUnifont),
}

// Names lists the fonts, smallest first.
var Names = []string{"6x13", "8x13", "9x15", "unifont"}

// Load returns a font by name, decoding it on first use; nil for a name that
// is not in Names.
func Load(name string) *Font {
	if load := fonts[name]; load != nil {
		return load()
	}
	return nil
}

func loader(name string, data []byte) func() *Font {
	return sync.OnceValue(func() *Font {
		f, err := Decode(data)
		if err != nil {
			panic(fmt.Sprintf("font %s: embedded data: %v", name, err)) // the tests decode every font
		}
		f.Name = name
		return f
	})
}

var errShort = errors.New("data ends too early")

// Decode reads a font as gen wrote it; see Encode for the format.
func Decode(data []byte) (*Font, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(8<<20))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	raw, err := z.DecodeAll(data, nil)
	if err != nil {
		return nil, err
	}
	r := bytes.NewReader(raw)
	d := decoder{r: r}
	f := &Font{Width: d.int(), Height: d.int(), Hidden: map[rune]bool{}, pages: make([][256]uint32, 1)}
	if d.err == nil && (f.Width < 1 || f.Width > 16 || f.Height < 1 || f.Height > MaxHeight) {
		return nil, fmt.Errorf("cell of %d×%d pixels", f.Width, f.Height)
	}
	halves := 1
	d.runs(func(code rune, wide bool) {
		v := uint32(halves)
		halves++
		if wide {
			v |= wideFlag
			halves++
		}
		f.set(code, v)
	})
	d.runs(func(code rune, _ bool) { f.Hidden[code] = true })
	if d.err != nil {
		return nil, d.err
	}
	return f, f.readHalves(raw[len(raw)-r.Len():], halves)
}

func (f *Font) set(code rune, v uint32) {
	p := &f.top[code>>8]
	if *p == 0 {
		f.pages = append(f.pages, [256]uint32{})
		*p = uint16(len(f.pages) - 1)
	}
	f.pages[*p][code&0xFF] = v
}

func (f *Font) readHalves(b []byte, n int) error {
	size := 1
	if f.Width > 8 {
		size = 2
	}
	if len(b) != (n-1)*f.Height*size {
		return errShort
	}
	f.Halves = make([]Half, n)
	for i := range f.Halves[1:] {
		h := &f.Halves[i+1]
		for y := range f.Height {
			if size == 1 {
				h[y] = uint16(b[y])
			} else {
				h[y] = binary.LittleEndian.Uint16(b[2*y:])
			}
		}
		b = b[f.Height*size:]
	}
	return nil
}

// decoder reads the head of a font's data and keeps the first error.
type decoder struct {
	r   io.ByteReader
	err error
}

func (d *decoder) int() int {
	if d.err != nil {
		return 0
	}
	v, err := binary.ReadUvarint(d.r)
	if err != nil {
		d.err = errShort
	}
	return int(v)
}

// runs reads runs of codes: their number, then for each the gap from the end
// of the run before, and the length times two, plus one where they are wide.
func (d *decoder) runs(add func(code rune, wide bool)) {
	code := 0
	for range d.int() {
		code += d.int()
		n := d.int()
		if d.err == nil && code+n/2 > MaxCode+1 {
			d.err = fmt.Errorf("code %#x is too large", code+n/2)
		}
		if d.err != nil {
			return
		}
		for range n / 2 {
			add(rune(code), n%2 == 1)
			code++
		}
	}
}

// Encode writes what Decode reads, before compression: width, height, the
// codes in runs, the hidden codes in runs, then every half's rows from the
// top, one byte each up to 8 pixels, else two with the low byte first.
// Numbers are unsigned varints.
func Encode(width, height int, codes []rune, wide func(rune) bool, hidden []rune, halves []Half) []byte {
	b := binary.AppendUvarint(nil, uint64(width))
	b = binary.AppendUvarint(b, uint64(height))
	b = appendRuns(b, codes, wide)
	b = appendRuns(b, hidden, func(rune) bool { return false })
	for _, h := range halves {
		for _, row := range h[:height] {
			if width <= 8 {
				b = append(b, byte(row))
			} else {
				b = binary.LittleEndian.AppendUint16(b, row)
			}
		}
	}
	return b
}

func appendRuns(b []byte, codes []rune, wide func(rune) bool) []byte {
	var runs []byte
	n, end := 0, rune(0)
	for len(codes) > 0 {
		k, w := 1, wide(codes[0])
		for k < len(codes) && codes[k] == codes[0]+rune(k) && wide(codes[k]) == w {
			k++
		}
		length := uint64(k) * 2
		if w {
			length++
		}
		runs = binary.AppendUvarint(runs, uint64(codes[0]-end))
		runs = binary.AppendUvarint(runs, length)
		end = codes[0] + rune(k)
		codes = codes[k:]
		n++
	}
	return append(binary.AppendUvarint(b, uint64(n)), runs...)
}
