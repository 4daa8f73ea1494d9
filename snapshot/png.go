package snapshot

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/stemma-history/stemma/snapshot/internal/deflate"
)

// A pngWriter writes pages as PNG images (W3C PNG, third edition): palette
// colour, 1 or 2 bits a pixel. It keeps its buffers for the next page.
type pngWriter struct {
	buf     []byte
	deflate deflate.Encoder
}

const pngSignature = "\x89PNG\r\n\x1a\n"

// palettes give paper, black ink and grey ink, by the bits of a pixel.
var palettes = [...]string{
	1: "\xff\xff\xff\x00\x00\x00",
	2: "\xff\xff\xff\x00\x00\x00\x70\x70\x70",
}

// encode returns the image of a bitmap, in bytes of its own.
func (w *pngWriter) encode(b *bitmap) []byte {
	const palette = 3 // colour type
	header := binary.BigEndian.AppendUint32(nil, uint32(b.width))
	header = binary.BigEndian.AppendUint32(header, uint32(b.height))
	header = append(header, byte(b.bits), palette, 0, 0, 0)

	w.buf = append(w.buf[:0], pngSignature...)
	w.buf = appendChunk(w.buf, "IHDR", header)
	w.buf = appendChunk(w.buf, "PLTE", []byte(palettes[b.bits]))
	start := len(w.buf)
	w.buf = append(w.buf, "    IDAT"...)
	w.buf = w.deflate.Zlib(w.buf, &b.Bitmap)
	binary.BigEndian.PutUint32(w.buf[start:], uint32(len(w.buf)-start-8))
	w.buf = binary.BigEndian.AppendUint32(w.buf, crc32.ChecksumIEEE(w.buf[start+4:]))
	w.buf = appendChunk(w.buf, "IEND", nil)
	return append([]byte(nil), w.buf...)
}

func appendChunk(buf []byte, kind string, data []byte) []byte {
	buf = binary.BigEndian.AppendUint32(buf, uint32(len(data)))
	start := len(buf)
	buf = append(append(buf, kind...), data...)
	return binary.BigEndian.AppendUint32(buf, crc32.ChecksumIEEE(buf[start:]))
}
