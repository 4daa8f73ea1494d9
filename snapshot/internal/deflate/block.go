package deflate

import "encoding/binary"

// A sequence is a number of literal bytes and the match after them.
type sequence struct {
	literals uint32
	length   uint16 // less minMatch
	distance uint16 // less 1
}

// A block is a stretch of the scanlines and how it is to be written:
// sequences, and then literals to its end.
type block struct {
	raw       []byte // all scanlines, and Slack bytes
	from, to  int    // of the block in raw
	covered   int    // up to where sequences reach
	sequences []sequence

	// How often each literal is written, in four counts: one alone would have
	// equal bytes in a row wait for each other.
	literals [4][256]uint32
	lengths  [256]uint32 // of matches, less minMatch
}

func (b *block) start(raw []byte, from int) {
	*b = block{raw: raw, from: from, to: from, covered: from, sequences: b.sequences[:0]}
}

func (b *block) size() int { return b.to - b.from }

// scanline adds the bytes [i, end) of a scanline: spans that repeat earlier
// ones, runs of blank pixels, and literals.
func (b *block) scanline(i, end int, spans []span) {
	line := i
	b.to = end
	for i < end {
		for len(spans) > 0 && line+int(spans[0].to) < i+minMatch { // a blank run went over it
			spans = spans[1:]
		}
		next := end
		if len(spans) > 0 {
			next = line + int(spans[0].from)
		}
		if i < next {
			i = b.literalsOrBlank(i, next, end)
			continue
		}
		to := line + int(spans[0].to)
		b.match(i, to-i, int(spans[0].distance))
		i = to
	}
}

// literalsOrBlank adds the literals from i up to next; or up to a run of blank
// bytes before it, and the run, which may go on to end. It returns how far it
// came.
func (b *block) literalsOrBlank(i, next, end int) int {
	for ; i+8 <= next; i += 8 {
		v := binary.LittleEndian.Uint64(b.raw[i:])
		if v == 0 {
			return b.blank(i, end)
		}
		b.literals[0][v&0xFF]++
		b.literals[1][v>>8&0xFF]++
		b.literals[2][v>>16&0xFF]++
		b.literals[3][v>>24&0xFF]++
		b.literals[0][v>>32&0xFF]++
		b.literals[1][v>>40&0xFF]++
		b.literals[2][v>>48&0xFF]++
		b.literals[3][v>>56]++
	}
	for ; i < next; i++ {
		b.literals[0][b.raw[i]]++
	}
	return i
}

// blank adds the blank bytes from i on, of which there are eight at least.
func (b *block) blank(i, end int) int {
	to := i + 8
	for to < end && b.raw[to] == 0 {
		to++
	}
	if i == 0 || b.raw[i-1] != 0 {
		b.literals[0][0]++
		i++
	}
	b.match(i, to-i, 1)
	return to
}

// match adds a match at i, in pieces where it is too long for one.
func (b *block) match(i, length, distance int) {
	for length > 0 {
		n := min(length, maxMatch)
		if rest := length - n; 0 < rest && rest < minMatch {
			n -= minMatch
		}
		b.sequences = append(b.sequences, sequence{uint32(i - b.covered), uint16(n - minMatch), uint16(distance - 1)})
		b.lengths[(n-minMatch)&0xFF]++
		i += n
		b.covered = i
		length -= n
	}
}

// symbols returns how often the block uses each symbol, its end included.
func (b *block) symbols() (literals, distances histogram) {
	for i := range 4 {
		for c, uses := range b.literals[i] {
			literals[c] += uses
		}
	}
	literals[endOfBlock] = 1
	for n, uses := range b.lengths {
		literals[firstLength+lengthCode(uint32(n))] += uses
	}
	for _, s := range b.sequences {
		distances[distanceCode(uint32(s.distance))]++
	}
	return literals, distances
}
