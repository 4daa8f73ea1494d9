// Package deflate compresses the bitmaps of pages into zlib streams.
//
// A general encoder spends most of a page's drawing time on finding matches.
// This one knows its data: rows of 1 or 2 bit pixels, where text repeats
// within a few rows, bytes differ little from page to page, and one more
// per cent of size is worth less than the time. On pages of 6×13 cells it is
// about as small as klauspost/compress at level 1 and nearly twice as quick
// (see the benchmarks), and its output is ours to keep stable: the bytes of a
// page do not change with the version of a library (P10).
package deflate

import (
	"encoding/binary"
	"hash/adler32"
	"math/bits"
)

const (
	minMatch = 5 // bytes; a shorter match seldom pays for its distance
	maxMatch = 258
	window   = 32768

	hashBits    = 13
	blockTokens = 1 << 16
	margin      = 16 // bytes at the end that are not searched, so that loads of 8 stay inside
)

// A token is a literal byte, or isMatch with the match's length less 3 from
// bit 16 and its distance less 1 below.
type token uint32

const isMatch token = 1 << 31

// An Encoder keeps the buffers of an encoding for the next one. The zero value
// is ready to use. It is not safe for concurrent use.
type Encoder struct {
	table               [1 << hashBits]uint16 // the last position, modulo 65536, of a hash
	tokens              []token
	literals, distances histogram
	out                 writer
}

// Zlib appends the zlib stream of raw to dst. The same bytes give the same
// stream, whatever was encoded before.
func (e *Encoder) Zlib(dst, raw []byte) []byte {
	clear(e.table[:])
	e.startBlock()
	e.out = writer{buf: append(dst, 0x78, 0x01)} // 32 KiB window, quickest level
	e.scan(raw)
	e.endBlock(true)
	return binary.BigEndian.AppendUint32(e.out.finish(), adler32.Checksum(raw))
}

func hash(v uint64) uint64 {
	return v << (64 - 8*minMatch) * 0x9E3779B185EBCA87 >> (64 - hashBits)
}

// scan turns raw into tokens. It looks for a match at every second byte only
// and lets a match grow backwards over the bytes it passed.
func (e *Encoder) scan(raw []byte) {
	le := binary.LittleEndian
	end := len(raw) - margin
	i, literalsFrom := 0, 0
	for i < end {
		if len(e.tokens) >= blockTokens {
			e.endBlock(false)
			e.startBlock()
			literalsFrom = i
		}
		v := le.Uint64(raw[i:])
		h := hash(v)
		distance := int(uint16(i) - e.table[h])
		e.table[h] = uint16(i)
		from := i - distance
		if uint(distance-1) >= window || from < 0 || (v^le.Uint64(raw[from:]))<<(64-8*minMatch) != 0 {
			next := v >> 8
			e.table[hash(next)] = uint16(i + 1)
			e.literal(byte(v))
			e.literal(byte(next))
			i += 2
			continue
		}
		length := matchLength(raw, i, from, end)
		for i > literalsFrom && from > 0 && length < maxMatch && raw[i-1] == raw[from-1] {
			i, from, length = i-1, from-1, length+1
			e.unliteral()
		}
		e.match(length, distance)
		i += length
		literalsFrom = i
		if last := i - 2; last < end {
			e.table[hash(le.Uint64(raw[last:]))] = uint16(last)
		}
	}
	for ; i < len(raw); i++ {
		e.literal(raw[i])
	}
}

// matchLength returns how many bytes at i, of which minMatch are known to,
// equal those at from. It may stop short of the longest match near the end.
func matchLength(raw []byte, i, from, end int) int {
	n := 0
	for n <= maxMatch-8 && i+n < end {
		x := binary.LittleEndian.Uint64(raw[i+n:]) ^ binary.LittleEndian.Uint64(raw[from+n:])
		if x != 0 {
			return n + bits.TrailingZeros64(x)>>3
		}
		n += 8
	}
	return n
}

func (e *Encoder) literal(b byte) {
	e.literals[b]++
	e.tokens = append(e.tokens, token(b))
}

// unliteral takes the last token back, a literal.
func (e *Encoder) unliteral() {
	last := len(e.tokens) - 1
	e.literals[e.tokens[last]&0xFF]--
	e.tokens = e.tokens[:last]
}

func (e *Encoder) match(length, distance int) {
	e.literals[firstLength+lengthCode(uint32(length-3))]++
	e.distances[distanceCode(uint32(distance-1))]++
	e.tokens = append(e.tokens, isMatch|token(length-3)<<16|token(distance-1))
}

func (e *Encoder) startBlock() {
	e.tokens = e.tokens[:0]
	e.literals, e.distances = histogram{}, histogram{}
}

// endBlock writes the tokens as one block with codes of its own.
func (e *Encoder) endBlock(last bool) {
	e.literals[endOfBlock]++
	e.out.block(e.tokens, &e.literals, &e.distances, last)
}
