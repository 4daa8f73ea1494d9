package rawjson

import "bytes"

// A Reader reads one JSON value from front to back and scans each of its bytes
// once, however deep the reading goes. ([Members] and [Elements] scan what is
// nested again at every level.) The first error ends it: every later call does
// nothing, and [Reader.End] returns the error.
type Reader struct {
	data  []byte
	at    int // of the value that is next
	depth int
	err   error
}

// NewReader returns a reader of the value that data is, spaces around it allowed.
func NewReader(data []byte) *Reader {
	return &Reader{data: data, at: space(data, 0)}
}

// Kind returns the byte that the next value begins with, such as '{' or '"';
// 0 if there is none.
func (r *Reader) Kind() byte {
	if r.err != nil || r.at >= len(r.data) {
		return 0
	}
	return r.data[r.at]
}

// Value reads the next value whole and returns it exactly as written.
func (r *Reader) Value() []byte {
	if r.err != nil {
		return nil
	}
	start := r.at
	end, err := skip(r.data, start, r.depth)
	if err != nil {
		r.err = err
		return nil
	}
	r.at = end
	return r.data[start:end]
}

// Object reads the next value, an object, and calls f for each member, repeated
// keys included. f reads the member's value with the reader, or leaves it. The
// key is valid until f returns.
func (r *Reader) Object(f func(key []byte)) {
	r.inside('{', '}', "an object", 0, 0, func(int) {
		end, err := skipString(r.data, r.at)
		if err != nil {
			r.err = err
			return
		}
		key := r.data[r.at+1 : end-1]
		if bytes.IndexByte(key, '\\') >= 0 {
			key = []byte(Text(r.data[r.at:end]))
		}
		if r.at = space(r.data, end); r.at >= len(r.data) || r.data[r.at] != ':' {
			r.err = &SyntaxError{r.at, "':'"}
			return
		}
		r.at = space(r.data, r.at+1)
		r.each(func() { f(key) })
	})
}

// Array reads the next value, an array, and calls f for each element, as
// [Reader.Object] does.
func (r *Reader) Array(f func(index int)) { r.ArrayFrom(0, 0, f) }

// ArrayFrom is [Reader.Array] for an array whose first elements have been read
// before: it goes on with the one of that index, which begins at offset. Offset
// 0 is the array's beginning.
func (r *Reader) ArrayFrom(index, offset int, f func(index int)) {
	r.inside('[', ']', "an array", index, offset, func(i int) { r.each(func() { f(i) }) })
}

// Offset returns where the next value begins.
func (r *Reader) Offset() int { return r.at }

// each lets f read the next value, or reads it where f did not.
func (r *Reader) each(f func()) {
	start := r.at
	f()
	if r.err == nil && r.at == start {
		r.Value()
	}
}

// inside reads the brackets and commas of an object or an array, from the item
// of an index on, which begins at offset where that is not 0.
func (r *Reader) inside(open, shut byte, want string, index, offset int, item func(i int)) {
	if r.err != nil {
		return
	}
	if r.Kind() != open {
		r.err = &SyntaxError{r.at, want}
		return
	}
	if r.depth++; r.depth > maxDepth {
		_, r.err = skip(r.data, r.at, r.depth)
		return
	}
	defer func() { r.depth-- }()
	r.at = max(space(r.data, r.at+1), offset)
	for i := index; ; i++ {
		if i == 0 && r.Kind() == shut {
			r.at++
			return
		}
		item(i)
		if r.err != nil {
			return
		}
		switch r.at = space(r.data, r.at); r.Kind() {
		case shut:
			r.at++
			return
		case ',':
			r.at = space(r.data, r.at+1)
		default:
			r.err = &SyntaxError{r.at, "',' or '" + string(shut) + "'"}
			return
		}
	}
}

// End returns the first error, or one if anything follows the value.
func (r *Reader) End() error {
	if r.err != nil {
		return r.err
	}
	return end(r.data, r.at)
}
