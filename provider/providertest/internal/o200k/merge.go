package o200k

import "math"

// unmergeable is the rank of what is no token.
const unmergeable = math.MaxUint32

// A part of a piece is what its bytes have been merged to so far. Parts are a
// list in the order of their bytes.
type part struct {
	prev, next int    // where the parts beside it begin; -1 and the length of the piece at its ends
	rank       uint32 // of the token that it and the next would make
}

// merged returns how many tokens a piece has: of all neighbours that make a token
// together those of the lowest rank are merged, the leftmost first, until none
// do. It takes n log n, since a piece may be a megabyte of base64.
func merged(piece string, ranks map[string]uint32) int {
	parts := make([]part, len(piece)) // by the offset of their first byte
	pairs := make(queue, 0, len(piece))
	rank := func(i int) {
		p := &parts[i]
		p.rank = unmergeable
		if p.next == len(piece) {
			return
		}
		if r, ok := ranks[piece[i:parts[p.next].next]]; ok {
			p.rank = r
			pairs.push(r, i)
		}
	}
	for i := range parts {
		parts[i] = part{prev: i - 1, next: i + 1}
	}
	for i := range parts {
		rank(i)
	}
	n := len(parts)
	for len(pairs) > 0 {
		r, i := pairs.pop()
		p := &parts[i]
		if p.rank != r {
			continue // one of the two has been merged with another
		}
		parts[p.next].rank = unmergeable
		p.next = parts[p.next].next
		if p.next < len(piece) {
			parts[p.next].prev = i
		}
		n--
		rank(i)
		if p.prev >= 0 {
			rank(p.prev)
		}
	}
	return n
}

// A queue gives the lowest rank first, and of equal ranks the leftmost. It is a
// binary heap of ranks and offsets, in one number each so that they compare fast.
type queue []uint64

func (q *queue) push(rank uint32, offset int) {
	h := append(*q, uint64(rank)<<32|uint64(offset))
	for i := len(h) - 1; i > 0 && h[i] < h[(i-1)/2]; i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
	*q = h
}

func (q *queue) pop() (rank uint32, offset int) {
	h := *q
	top, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	for i := 0; 2*i+1 < len(h); {
		child := 2*i + 1
		if child+1 < len(h) && h[child+1] < h[child] {
			child++
		}
		if h[i] <= h[child] {
			break
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
	*q = h
	return uint32(top >> 32), int(uint32(top))
}
