package tokens

// Stride is the length of a row of the cost table: the classes, rounded up to
// a power of two, so that finding a cost takes no multiplication.
const Stride = 32

// Pairs is the size of the cost table.
const Pairs = classes * Stride

// perToken is the unit of the cost table.
const perToken = 4096

// Text estimates the o200k tokens of s. The estimate of a text is that of its
// pieces, up to one token a piece.
func Text(s string) int {
	return int((raw(s) + perToken - 1) / perToken)
}

// raw sums the cost of every byte; the first follows a newline.
func raw[T string | []byte](s T) int64 {
	var sum int64
	before := uint(newline) * Stride
	for i := 0; i < len(s); i++ {
		class := uint(classOf[s[i]])
		sum += int64(cost[before|class])
		before = class * Stride
	}
	return sum
}

// CountPairs calls f for every byte of text with the pair of classes that
// [Text] prices it by. It is for fitting the table.
func CountPairs(text []byte, f func(pair int)) {
	before := newline
	for _, b := range text {
		class := int(classOf[b])
		f(before*Stride + class)
		before = class
	}
}
