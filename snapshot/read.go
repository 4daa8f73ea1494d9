package snapshot

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"image/png"
	"strings"

	"github.com/stemma-history/stemma/snapshot/internal/font"
)

// A Reading is what a page says.
type Reading struct {
	Header

	// Text is the canonical text on the page. That of all pages, one after
	// the other, is Canonical of the source.
	Text string

	// Font and cell are those the page was drawn with.
	Font                  string
	CellWidth, CellHeight int
}

// ErrNotAPage is returned for an image that is no page of a snapshot, or one
// that was scaled, cropped or compressed with loss.
var ErrNotAPage = errors.New("not a page of a snapshot, or its pixels were changed")

// A ChecksumError reports a page whose text does not match the checksum in its
// header.
type ChecksumError struct{ Stated, Found uint32 }

func (e *ChecksumError) Error() string {
	return fmt.Sprintf("the page's text has checksum %08x, but its header says %08x", e.Found, e.Stated)
}

// Read turns a page back into its text. It needs nothing but the pixels: which
// font and cell the page has, it finds out. With a *ChecksumError comes the
// text as far as it could be read; other errors come without.
func Read(page []byte) (Reading, error) {
	size, err := png.DecodeConfig(bytes.NewReader(page))
	if err == nil && max(size.Width, size.Height) > maxSide {
		err = ErrNotAPage
	}
	if err != nil {
		return Reading{}, fmt.Errorf("reading a page: %w", err)
	}
	img, err := png.Decode(bytes.NewReader(page))
	if err != nil {
		return Reading{}, fmt.Errorf("reading a page: %w", err)
	}
	ink := newMask(img)
	best, failure := Reading{}, fmt.Errorf("reading a page: %w", ErrNotAPage)
	for _, s := range ink.candidates() {
		r, err := ink.read(faceFor(s))
		if err == nil {
			return r, nil
		}
		if best.Text == "" {
			best, failure = r, fmt.Errorf("reading a page: %w", err)
		}
	}
	return best, failure
}

// headerStart is how every header begins.
const headerStart = "page "

// candidates returns the fonts and cells that divide the image evenly and in
// which its first row begins like a header, the built-in shapes first.
func (m *mask) candidates() []Shape {
	found := Shapes()
	for _, name := range font.Names {
		for w := 1; w <= maxCellWidth; w++ {
			for h := 1; h <= maxCellHeight; h++ {
				found = append(found, Shape{Font: name, CellWidth: w, CellHeight: h})
			}
		}
	}
	fits := found[:0]
	for _, s := range found {
		s.PageWidth, s.PageHeight = m.width, m.height
		if m.width%s.CellWidth == 0 && m.height%s.CellHeight == 0 && s.checkCell() == nil && m.startsLike(s) {
			fits = append(fits, s)
		}
	}
	return fits
}

// startsLike tells whether the first row begins like a header in the shape.
func (m *mask) startsLike(s Shape) bool {
	own, fr := font.Load(s.Font), frameOf(s)
	for i, c := range headerStart {
		n, _, _ := own.Find(c)
		want := placed(&own.Halves[n], (s.CellWidth-own.Width)/2, fr.down)
		if got, ok := m.half(s, fr, 0, i); !ok || got != want {
			return false
		}
	}
	return true
}

// read reads the page in a face.
func (m *mask) read(f *face) (Reading, error) {
	s := f.shape
	columns, rows := m.width/s.CellWidth, m.height/s.CellHeight
	r := Reading{Font: s.Font, CellWidth: s.CellWidth, CellHeight: s.CellHeight}
	header, err := m.row(f, 0, columns)
	if err != nil {
		return Reading{}, err
	}
	if r.Header, err = parseHeader(header); err != nil {
		return Reading{}, err
	}
	var cells []cell
	for row := 1; row < rows; row++ {
		line, err := m.row(f, row, columns)
		if err != nil {
			return Reading{}, err
		}
		turnRow(line)
		if end := indexOf(line, markRowEnd); end >= 0 {
			line = line[:end]
		}
		cells = append(cells, line...)
	}
	if r.Text, err = decode(f, cells); err != nil {
		return Reading{}, err
	}
	if sum := crc32.ChecksumIEEE([]byte(r.Text)); sum != r.CRC {
		return r, &ChecksumError{Stated: r.CRC, Found: sum}
	}
	return r, nil
}

func indexOf(cells []cell, want cell) int {
	for i, c := range cells {
		if c == want {
			return i
		}
	}
	return -1
}

// row reads one row of cells, as they stand.
func (m *mask) row(f *face, row, columns int) ([]cell, error) {
	pictures := f.index()
	line := make([]cell, 0, columns)
	for len(line) < columns {
		left, ok := m.half(f.shape, f.frame, row, len(line))
		if ok && len(line)+1 < columns {
			if right, ok := m.half(f.shape, f.frame, row, len(line)+1); ok {
				if r, ok := pictures.wide[[2]font.Half{left, right}]; ok {
					line = append(line, cell(r), cell(r)|rightHalf)
					continue
				}
			}
		}
		r, known := pictures.narrow[left]
		if !ok || !known {
			return nil, fmt.Errorf("row %d, column %d: %w", row+1, len(line)+1, ErrNotAPage)
		}
		line = append(line, cell(r))
	}
	return line, nil
}

// decode turns the cells of a page's text, in the order of the text and
// without the ends of rows, back into the text.
func decode(f *face, cells []cell) (string, error) {
	var b strings.Builder
	script := font.Latin
	for i := 0; i < len(cells); i++ {
		c := cells[i]
		if isTile(c) {
			if s, ok := scriptOf(c); ok {
				script = s
				continue
			}
			n := decodeMark(&b, cells[i:])
			if n == 0 {
				return "", fmt.Errorf("a mark without its rest: %w", ErrNotAPage)
			}
			i += n - 1
			continue
		}
		if c&rightHalf != 0 {
			continue
		}
		r := rune(c & codeMask)
		if letters := arabicLetters(r); letters != "" {
			b.WriteString(letters)
			continue
		}
		if twins := f.twinsOf(r); twins != nil {
			r = readAs(twins, script)
		}
		if s := font.ScriptOf(r); s != font.NoScript {
			script = s
		}
		b.WriteRune(r)
	}
	return b.String(), nil
}

// decodeMark writes what the mark at the start of cells stands for, and
// returns how many cells it takes; 0 where it is not whole.
func decodeMark(b *strings.Builder, cells []cell) int {
	c := cells[0]
	if n, ok := countOf(c); ok || c == markNewline {
		b.WriteByte('\n')
		if ok {
			b.WriteString(strings.Repeat(" ", n))
		}
		return 1
	}
	if r, ok := silentOf(c); ok {
		b.WriteRune(r)
		return 1
	}
	switch c {
	case markTab:
		b.WriteByte('\t')
		return 1
	case markReturn:
		b.WriteByte('\r')
		return 1
	case markSpaces:
		if len(cells) < 2 {
			return 0
		}
		n, ok := countOf(cells[1])
		if !ok {
			return 0
		}
		b.WriteString(strings.Repeat(" ", n))
		return 2
	case markCode, markBytes:
		end := indexOf(cells, markEnd)
		if end < 0 || !writeHex(b, cells[1:end], c == markBytes) {
			return 0
		}
		return end + 1
	}
	return 0
}

// writeHex writes the character, or the bytes, that cells give as hexadecimal
// digits.
func writeHex(b *strings.Builder, digits []cell, asBytes bool) bool {
	v := rune(0)
	for i, c := range digits {
		d := strings.IndexByte(hexDigits, byte(c))
		if d < 0 || c >= 0x80 || v > 0x10FFFF {
			return false
		}
		v = v<<4 | rune(d)
		if asBytes && i%2 == 1 {
			b.WriteByte(byte(v))
			v = 0
		}
	}
	if !asBytes {
		b.WriteRune(v)
	}
	return len(digits) > 0 && (!asBytes || len(digits)%2 == 0)
}
