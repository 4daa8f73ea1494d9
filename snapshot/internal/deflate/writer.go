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
	maxTokenBytes  = 6   // 15+5 bits of length and 15+13 of distance
	maxHeaderBytes = 320 // 316 code lengths of at most 7 bits, and the code for them
)

// block writes tokens as a block with its own Huffman codes.
func (w *writer) block(tokens []token, literals, distances *histogram, last bool) {
	w.grow(maxHeaderBytes + maxTokenBytes*len(tokens) + 16)
	var (
		literalCode [512]code
		distCode    [32]code
	)
	literalLengths := lengths(literals[:numLiterals], maxBits)
	distanceLengths := lengths(distances[:numDists], maxBits)
	codes(literalLengths, literalCode[:])
	codes(distanceLengths, distCode[:])

	w.header(literalLengths, distanceLengths, last)
	for _, t := range tokens {
		if t&isMatch == 0 {
			c := literalCode[t&0xFF]
			w.add(c.bits(), c.len())
			continue
		}
		length := uint32(t >> 16 & 0xFF)
		lc := lengthCode(length)
		c := literalCode[firstLength+lc]
		v, n := c.bits(), c.len()
		v |= uint64(length-uint32(lengthBase[lc])) << n
		n += uint(lengthExtra(lc))

		distance := uint32(t & 0x7FFF)
		dc := distanceCode(distance)
		c = distCode[dc]
		v |= c.bits() << n
		n += c.len()
		extra := distanceExtra(dc)
		v |= uint64(distance&(1<<extra-1)) << n
		w.add(v, n+uint(extra))
	}
	c := literalCode[endOfBlock]
	w.add(c.bits(), c.len())
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
