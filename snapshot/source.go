package snapshot

import (
	"fmt"
	"strings"
)

// A Segment is a piece of the text to draw: what one entry, or one part of
// it, contributes. Segments are drawn one after the other with nothing
// between them, so a separator belongs to a segment's own text.
//
// A source is a list of segments that only grows at its end: that is what
// keeps full pages unchanged. The text of a segment is final once a segment
// follows it.
type Segment struct {
	// Handle names the entry in the page's header ("412", "412.2"). Empty
	// where the text belongs to no entry. Letters, digits and full stops, at
	// most 16 of them.
	Handle string

	// Text is any bytes; see Canonical for what of it a page keeps.
	Text string

	// Grey asks for grey ink instead of black. It takes effect only in a
	// shape that allows grey.
	Grey bool
}

// maxHandle bounds the handle so that a header always fits its row.
const maxHandle = 16

// A HandleError reports a segment whose handle cannot stand in a header.
type HandleError struct {
	Segment int // index in the source
	Handle  string
}

func (e *HandleError) Error() string {
	return fmt.Sprintf("segment %d: handle %q: want at most %d letters, digits and full stops",
		e.Segment, e.Handle, maxHandle)
}

func checkHandles(src []Segment) error {
	for i, s := range src {
		if len(s.Handle) > maxHandle || strings.ContainsFunc(s.Handle, notHandle) {
			return &HandleError{Segment: i, Handle: s.Handle}
		}
	}
	return nil
}

func notHandle(r rune) bool {
	switch {
	case '0' <= r && r <= '9', 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', r == '.':
		return false
	}
	return true
}

// Size returns the length of the source's joined text in bytes.
func Size(src []Segment) int {
	n := 0
	for _, s := range src {
		n += len(s.Text)
	}
	return n
}

// Slice returns the segments of the bytes [start, end) of the joined text,
// cut to them. Drawn again with a page's offsets and its number (Options.First),
// it gives that page byte for byte.
func Slice(src []Segment, start, end int) []Segment {
	var out []Segment
	at := 0
	for _, s := range src {
		from, to := max(start-at, 0), min(end-at, len(s.Text))
		at += len(s.Text)
		if from < to {
			s.Text = s.Text[from:to]
			out = append(out, s)
		}
		if at >= end {
			break
		}
	}
	return out
}
