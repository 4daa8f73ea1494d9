// Package deflate compresses the bitmaps of pages into zlib streams.
//
// A general encoder looks for repeated bytes anywhere, and that is most of
// its time. This one knows the text behind the bitmap: where characters repeat
// an earlier stretch of the text, every scanline of theirs repeats at the same
// distance. So it looks for repeats once for a row of text instead of once for
// each of its scanlines, and beside them only for runs of blank pixels. On
// pages of 6×13 cells it is both quicker and smaller than klauspost/compress
// at its quick levels (BenchmarkEncode in package snapshot). And its output is
// ours to keep: the bytes of a page do not change with a library's version
// (P10).
package deflate

import (
	"encoding/binary"
	"hash/adler32"
)

// Slack is how many bytes a bitmap's buffer must be longer than its scanlines.
const Slack = 8

const (
	minMatch   = 3
	maxMatch   = 258
	window     = 32768
	blockBytes = 1 << 18 // after which a block ends with its row; it then gets codes of its own
)

// A Bitmap is a page to compress: rows of text, each of them RowHeight
// scanlines high.
type Bitmap struct {
	// Scanlines holds the scanlines one after the other, Pitch bytes each: the
	// PNG filter's byte, then the filtered pixels. It must have capacity for
	// Slack bytes more, which may be read.
	Scanlines []byte
	Pitch     int
	RowHeight int

	// Cells holds the text, Columns cells a row, CellBits bits wide each.
	// Cells that are equal must have equal pixels, and a scanline of theirs
	// must be filtered in the same way, by nothing outside its row of text.
	Cells    []uint32
	Columns  int
	CellBits int
}

// An Encoder keeps the buffers of an encoding for the next one. The zero value
// is ready to use. It is not safe for concurrent use.
type Encoder struct {
	repeats repeats
	block   block
	out     writer
}

// Zlib appends the zlib stream of a bitmap's scanlines to dst. The same bitmap
// gives the same stream, whatever was encoded before.
func (e *Encoder) Zlib(dst []byte, b *Bitmap) []byte {
	e.repeats.reset(b)
	e.out = writer{buf: append(dst, 0x78, 0x01)} // 32 KiB window, quickest level
	rows := len(b.Scanlines) / (b.Pitch * b.RowHeight)
	for row, last := 0, false; !last; {
		e.block.start(b.Scanlines[:len(b.Scanlines)+Slack], row*b.RowHeight*b.Pitch)
		for row < rows && e.block.size() < blockBytes {
			spans := e.repeats.spans(row)
			for y := range b.RowHeight {
				line := (row*b.RowHeight + y) * b.Pitch
				e.block.scanline(line, line+b.Pitch, spans)
			}
			row++
		}
		last = row == rows
		e.out.block(&e.block, last)
	}
	return binary.BigEndian.AppendUint32(e.out.finish(), adler32.Checksum(b.Scanlines))
}
