package deflate

import (
	"cmp"
	"math/bits"
	"slices"
)

// The alphabets of RFC 1951.
const (
	endOfBlock   = 256
	firstLength  = 257
	numLiterals  = 286
	numDistances = 30
	maxBits      = 14 // of 15 allowed: four literals then fit 64 bits beside 7 pending
)

// A histogram counts how often each symbol is used. Only the first
// numLiterals or numDistances are; the rest saves bounds checks.
type histogram [512]uint32

// lengthCode returns the code of a match length less 3, counted from
// firstLength.
func lengthCode(n uint32) uint32 {
	switch {
	case n < 8:
		return n
	case n == maxMatch-3:
		return 28
	}
	k := uint32(bits.Len32(n)) - 1
	return (k-1)*4 + n>>(k-2)&3
}

// lengthBase is the shortest length less 3 of each length code.
var lengthBase = [29]uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112,
	128, 160, 192, 224, 255}

func lengthExtra(code uint32) uint32 {
	if code < 8 || code == 28 {
		return 0
	}
	return code/4 - 1
}

// distanceCode returns the code of a distance less 1.
func distanceCode(d uint32) uint32 {
	if d < 4 {
		return d
	}
	n := uint32(bits.Len32(d)) - 1
	return (2*n + d>>(n-1)&1) & 31
}

func distanceExtra(code uint32) uint32 {
	if code < 4 {
		return 0
	}
	return code/2 - 1
}

// A code is a symbol's bits, to be written from the lowest, and their number
// from bit 24.
type code uint32

func (c code) bits() uint64 { return uint64(c & 0xFFFFFF) }
func (c code) len() uint    { return uint(c >> 24) }

// lengths returns for each of n symbols the length of its code, at most limit
// bits and 0 for symbols that are not used: a Huffman code, bent where it is
// too deep.
func lengths(count []uint32, limit int) []uint8 {
	type node struct {
		weight      uint32
		left, right int32 // of the tree; -1 in a leaf
		symbol      int32
	}
	leaves := make([]node, 0, 2*len(count))
	for s, c := range count {
		if c > 0 {
			leaves = append(leaves, node{c, -1, -1, int32(s)})
		}
	}
	for s := int32(0); len(leaves) < 2; s++ { // decoders want two codes at least
		if count[s] == 0 {
			leaves = append(leaves, node{1, -1, -1, s})
		}
	}
	slices.SortFunc(leaves, func(a, b node) int {
		return cmp.Or(cmp.Compare(a.weight, b.weight), cmp.Compare(a.symbol, b.symbol))
	})

	// Leaves and inner nodes are each in the order of their weights, so the
	// lightest is the first of one or the other.
	n := len(leaves)
	nodes := leaves
	leaf, inner := 0, n
	lightest := func() int32 {
		if leaf < n && (inner == len(nodes) || nodes[leaf].weight <= nodes[inner].weight) {
			leaf++
			return int32(leaf - 1)
		}
		inner++
		return int32(inner - 1)
	}
	for range n - 1 {
		a, b := lightest(), lightest()
		nodes = append(nodes, node{nodes[a].weight + nodes[b].weight, a, b, -1})
	}

	depth := make([]uint8, len(nodes))
	perLength := make([]int, limit+1)
	for i := len(nodes) - 1; i >= 0; i-- {
		if nodes[i].left < 0 {
			perLength[min(int(depth[i]), limit)]++
			continue
		}
		depth[nodes[i].left], depth[nodes[i].right] = depth[i]+1, depth[i]+1
	}
	bend(perLength)

	out := make([]uint8, len(count))
	next := 0
	for l := limit; l > 0; l-- { // the rarest get the longest codes
		for range perLength[l] {
			out[nodes[next].symbol] = uint8(l)
			next++
		}
	}
	return out
}

// bend makes the numbers of codes per length a code again, after lengths over
// the limit were cut to it: for each code too many, a shorter one becomes one
// longer, and takes a code of the limit's length as its sibling.
func bend(perLength []int) {
	limit := len(perLength) - 1
	total := 0
	for l, n := range perLength {
		total += n << (limit - l)
	}
	for ; total > 1<<limit; total-- {
		l := limit - 1
		for perLength[l] == 0 {
			l--
		}
		perLength[l]--
		perLength[l+1] += 2
		perLength[limit]--
	}
}

// codes numbers the symbols in the way RFC 1951 prescribes.
func codes(lengths []uint8, out []code) {
	var perLength, next [maxBits + 1]uint32
	for _, l := range lengths {
		perLength[l]++
	}
	perLength[0] = 0
	for l := 1; l <= maxBits; l++ {
		next[l] = (next[l-1] + perLength[l-1]) << 1
	}
	for s, l := range lengths {
		if l > 0 {
			out[s] = code(bits.Reverse32(next[l])>>(32-l)) | code(l)<<24
			next[l]++
		}
	}
}
