package deflate

import "encoding/binary"

// A writer packs bits into bytes, the first bit lowest.
type writer struct {
	buf     []byte
	pending uint64
	n       uint // bits pending
}

// add writes up to 48 bits.
func (w *writer) add(v uint64, n uint) {
	w.pending |= v << w.n
	w.n += n
	if w.n >= 16 {
		w.flush()
	}
}

// flush moves the whole pending bytes to the buffer, which must have room for
// eight.
func (w *writer) flush() {
	binary.LittleEndian.PutUint64(w.buf[len(w.buf):len(w.buf)+8], w.pending)
	w.buf = w.buf[:len(w.buf)+int(w.n>>3)]
	w.pending >>= w.n &^ 7
	w.n &= 7
}

// grow makes room for n more bytes.
func (w *writer) grow(n int) {
	if cap(w.buf)-len(w.buf) < n {
		w.buf = append(make([]byte, 0, 2*cap(w.buf)+n), w.buf...)
	}
}

// finish returns the bytes, the last one filled up with zero bits.
func (w *writer) finish() []byte {
	w.grow(16)
	w.n += 7
	w.flush()
	return w.buf
}

const (
	maxSequenceBytes = 6   // 14+5 bits of length and 14+13 of distance
	maxHeaderBytes   = 320 // 316 code lengths of at most 7 bits, and the code for them
)

// block writes a block with Huffman codes of its own.
func (w *writer) block(b *block, last bool) {
	w.grow(maxHeaderBytes + maxSequenceBytes*len(b.sequences) + 2*b.size() + 16)
	literals, distances := b.symbols()
	literalLengths := lengths(literals[:numLiterals], maxBits)
	distanceLengths := lengths(distances[:numDistances], maxBits)
	w.header(literalLengths, distanceLengths, last)

	var literalCodes, distanceCodes [512]code
	codes(literalLengths, literalCodes[:])
	codes(distanceLengths, distanceCodes[:])
	w.body(b, &literalCodes, &distanceCodes)
	end := literalCodes[endOfBlock]
	w.add(end.bits(), end.len())
}

// body writes a block's sequences. It keeps the pending bits in registers and
// moves whole bytes out after four literals or a match, however few they are:
// a branch that cannot be foretold costs more than the store.
func (w *writer) body(b *block, literals, distances *[512]code) {
	matches := lengthBits(literals)
	raw, out := b.raw[b.from:], w.buf[len(w.buf):cap(w.buf)]
	pending, n, at := w.pending, w.n, 0
	for _, s := range b.sequences {
		run := raw[:s.literals&^3]
		for len(run) >= 4 {
			v := binary.LittleEndian.Uint32(run)
			c0, c1, c2, c3 := literals[v&0xFF], literals[v>>8&0xFF], literals[v>>16&0xFF], literals[v>>24]
			low, nLow := c0.bits()|c1.bits()<<(c0.len()&63), c0.len()+c1.len()
			high, nHigh := c2.bits()|c3.bits()<<(c2.len()&63), c2.len()+c3.len()
			pending |= (low | high<<(nLow&63)) << (n & 63)
			n += nLow + nHigh
			binary.LittleEndian.PutUint64(out[at:at+8], pending)
			at += int(n >> 3)
			pending >>= n & 56
			n &= 7
			run = run[4:]
		}
		// The last few, as three codes of which those too many are empty.
		v, keep := binary.LittleEndian.Uint32(raw[s.literals&^3:]), &firstCodes[s.literals&3]
		c0, c1, c2 := literals[v&0xFF]&keep[0], literals[v>>8&0xFF]&keep[1], literals[v>>16&0xFF]&keep[2]
		low, nLow := c0.bits()|c1.bits()<<(c0.len()&63), c0.len()+c1.len()
		pending |= (low | c2.bits()<<(nLow&63)) << (n & 63)
		n += nLow + c2.len()
		binary.LittleEndian.PutUint64(out[at:at+8], pending)
		at += int(n >> 3)
		pending >>= n & 56
		n &= 7

		m := matches[s.length&0xFF]
		pending |= m.bits() << (n & 63)
		n += m.len()
		symbol := distanceCode(uint32(s.distance))
		d := distances[symbol]
		pending |= d.bits() << (n & 63)
		n += d.len()
		extra := distanceExtra(symbol)
		pending |= uint64(uint32(s.distance)&(1<<extra-1)) << (n & 63)
		n += uint(extra)
		binary.LittleEndian.PutUint64(out[at:at+8], pending)
		at += int(n >> 3)
		pending >>= n & 56
		n &= 7
		raw = raw[s.literals+uint32(s.length)+minMatch:]
	}
	w.buf, w.pending, w.n = w.buf[:len(w.buf)+at], pending, n
	for _, c := range b.raw[b.covered:b.to] {
		w.add(literals[c].bits(), literals[c].len())
	}
}

// firstCodes holds, for 0 to 3 codes, what to mask three with to keep so many.
var firstCodes = [4][3]code{
	{}, {^code(0)}, {^code(0), ^code(0)}, {^code(0), ^code(0), ^code(0)},
}

// lengthBits returns for each match length less 3 its code with the extra
// bits.
func lengthBits(literals *[512]code) (all [256]code) {
	for n := range all {
		lc := lengthCode(uint32(n))
		c := literals[firstLength+lc]
		all[n] = c + code(uint32(n)-uint32(lengthBase[lc]))<<c.len() + code(lengthExtra(lc))<<24
	}
	return all
}

// lengthOrder is the order in which a block's header gives the lengths of the
// codes for code lengths.
var lengthOrder = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// header writes a block's type and the lengths of its codes.
func (w *writer) header(literals, distances []uint8, last bool) {
	nl, nd := trimmed(literals, 257), trimmed(distances, 1)
	runs := runLengths(append(literals[:nl:nl], distances[:nd]...))
	var count [19]uint32
	for _, r := range runs {
		count[r.symbol]++
	}
	lens := lengths(count[:], 7)
	var code [19]code
	codes(lens, code[:])
	n := len(lengthOrder)
	for n > 4 && lens[lengthOrder[n-1]] == 0 {
		n--
	}

	final := uint64(0)
	if last {
		final = 1
	}
	const dynamic = 2
	w.add(final|dynamic<<1, 3)
	w.add(uint64(nl-257)|uint64(nd-1)<<5|uint64(n-4)<<10, 14)
	for _, s := range lengthOrder[:n] {
		w.add(uint64(lens[s]), 3)
	}
	for _, r := range runs {
		w.add(code[r.symbol].bits(), code[r.symbol].len())
		w.add(uint64(r.extra), uint(r.extraBits))
	}
}

// trimmed returns the number of lengths up to the last that is not 0, but at
// least n.
func trimmed(lengths []uint8, least int) int {
	n := len(lengths)
	for n > least && lengths[n-1] == 0 {
		n--
	}
	return n
}

// A run is a symbol of the code for code lengths: a length itself, or 16 for
// the one before repeated 3 to 6 times, 17 and 18 for 3 to 10 and 11 to 138
// zeros.
type run struct{ symbol, extra, extraBits uint8 }

func runLengths(lengths []uint8) []run {
	var runs []run
	for i := 0; i < len(lengths); {
		n := 1
		for i+n < len(lengths) && lengths[i+n] == lengths[i] {
			n++
		}
		l := lengths[i]
		i += n
		if l != 0 {
			runs = append(runs, run{symbol: l})
			n--
		}
		for n > 0 {
			var k int
			switch {
			case n < 3:
				runs, k = append(runs, run{symbol: l}), 1
			case l != 0:
				k = min(n, 6)
				runs = append(runs, run{16, uint8(k - 3), 2})
			case n <= 10:
				k = n
				runs = append(runs, run{17, uint8(k - 3), 3})
			default:
				k = min(n, 138)
				runs = append(runs, run{18, uint8(k - 11), 7})
			}
			n -= k
		}
	}
	return runs
}
