package deflate

import (
	"bytes"
	stdzlib "compress/zlib"
	"io"
	"testing"

	"github.com/klauspost/compress/zlib"
	"pgregory.net/rapid"
)

// bitmap draws text of cells in a made-up font: a cell's pixels are a hash of
// its code and row. Low codes are sparse, code 0 is blank.
func bitmap(cells []uint32, columns, cellBits, rowHeight int) *Bitmap {
	rows := len(cells) / columns
	b := &Bitmap{Pitch: 1 + (columns*cellBits+7)/8, RowHeight: rowHeight,
		Cells: cells, Columns: columns, CellBits: cellBits}
	size := rows * rowHeight * b.Pitch
	b.Scanlines = make([]byte, size, size+Slack)
	for i, cell := range cells {
		for y := range rowHeight {
			pixels := cell * 0x9E3779B1 * uint32(y*y+7)
			if cell < 8 {
				pixels &= cell << (y % 9)
			}
			line := (i/columns*rowHeight + y) * b.Pitch
			for x := range cellBits {
				bit := i%columns*cellBits + x
				b.Scanlines[line+1+bit/8] |= byte(pixels>>x&1) << (7 - bit%8)
			}
		}
	}
	return b
}

// inflate unpacks a stream with two independent decoders.
func inflate(t interface{ Fatalf(string, ...any) }, packed []byte) []byte {
	std, err := stdzlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatalf("compress/zlib: %v", err)
	}
	got, err := io.ReadAll(std)
	if err != nil {
		t.Fatalf("compress/zlib: %v", err)
	}
	other, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatalf("klauspost zlib: %v", err)
	}
	again, err := io.ReadAll(other)
	if err != nil {
		t.Fatalf("klauspost zlib: %v", err)
	}
	if !bytes.Equal(got, again) {
		t.Fatalf("the decoders disagree")
	}
	return got
}

func TestEveryBitmapComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 300).Draw(t, "columns")
		words := rapid.SliceOfN(rapid.SliceOfN(rapid.Uint32Range(0, 60), 1, 40), 1, 12).Draw(t, "words")
		picks := rapid.SliceOfN(rapid.IntRange(0, len(words)-1), 1, 600).Draw(t, "picks")
		var cells []uint32
		for _, p := range picks {
			cells = append(cells, words[p]...)
		}
		for len(cells)%columns != 0 {
			cells = append(cells, 0)
		}
		b := bitmap(cells, columns, rapid.IntRange(4, 32).Draw(t, "bits"), rapid.IntRange(1, 24).Draw(t, "height"))
		var e Encoder
		packed := e.Zlib([]byte("kept"), b)
		if string(packed[:4]) != "kept" || !bytes.Equal(inflate(t, packed[4:]), b.Scanlines) {
			t.Fatalf("not the same bytes after unpacking")
		}
		e.Zlib(nil, bitmap(words[0], len(words[0]), 6, 13))
		if !bytes.Equal(e.Zlib([]byte("kept"), b), packed) {
			t.Fatalf("the stream depends on what was packed before")
		}
	})
}

func TestLargeAndBlankBitmapsComeBack(t *testing.T) {
	busy := make([]uint32, 400*150)
	for i := range busy {
		busy[i] = uint32(i*i) % 997
	}
	repeating := make([]uint32, 400*150)
	for i := range repeating {
		repeating[i] = uint32(i % 37)
	}
	for name, cells := range map[string][]uint32{
		"busy": busy, "repeating": repeating, "blank": make([]uint32, 400*150), "one row": busy[:400], "nothing": nil,
	} {
		b := bitmap(cells, 400, 6, 13)
		var e Encoder
		packed := e.Zlib(nil, b)
		if !bytes.Equal(inflate(t, packed), b.Scanlines) {
			t.Errorf("%s: not the same bytes after unpacking", name)
		}
	}
}

func TestRepeatedTextIsFoundOnce(t *testing.T) {
	cells := make([]uint32, 4*100)
	for i := range cells {
		cells[i] = uint32(1000 + i) // nothing twice
	}
	copy(cells[300+20:300+60], cells[100+32:]) // 12 columns and two rows away
	var p repeats
	p.reset(bitmap(cells, 100, 6, 13))
	for row := range 3 {
		if got := p.spans(row); len(got) != 0 {
			t.Fatalf("row %d: spans %v, want none", row, got)
		}
	}
	got := p.spans(3)
	if len(got) != 1 || got[0] != (span{from: 1 + 15, to: 1 + 45, distance: int32(2*13*p.Pitch - 9)}) {
		t.Fatalf("spans %v, want the 40 cells from column 20", got)
	}
}

// Skewed counts give a Huffman code deeper than the format allows.
func TestDeepCodesAreBent(t *testing.T) {
	var count [numLiterals]uint32
	a, b := uint32(1), uint32(1)
	for s := range 40 {
		count[s] = a
		a, b = b, a+b
	}
	for _, limit := range []int{7, maxBits} {
		kraft := 0
		for s, l := range lengths(count[:], limit) {
			if int(l) > limit || (l == 0) != (count[s] == 0) {
				t.Fatalf("limit %d: symbol %d used %d times has a code of %d bits", limit, s, count[s], l)
			}
			if l > 0 {
				kraft += 1 << (limit - int(l))
			}
		}
		if kraft != 1<<limit {
			t.Errorf("limit %d: the code fills %d of %d", limit, kraft, 1<<limit)
		}
	}
}

func TestLengthAndDistanceCodesCoverEveryValue(t *testing.T) {
	for n := uint32(0); n <= maxMatch-minMatch; n++ {
		c := lengthCode(n)
		if extra := n - uint32(lengthBase[c]); c > 28 || extra >= 1<<lengthExtra(c) {
			t.Fatalf("length %d: code %d with extra %d", n+minMatch, c, extra)
		}
	}
	base, code := uint32(0), uint32(0)
	for d := range uint32(window) {
		if d == base+1<<distanceExtra(code) {
			base, code = d, code+1
		}
		if distanceCode(d) != code || d&(1<<distanceExtra(code)-1) != d-base {
			t.Fatalf("distance %d: code %d, want %d", d+1, distanceCode(d), code)
		}
	}
}
