package snapshot

import (
	"fmt"
	"strconv"
	"strings"
)

// A Header is a page's first row.
type Header struct {
	Number   int
	From, To string // handles of the first and last entries on the page, as in Page
	CRC      uint32 // of the page's text, as stated
}

// String returns the header as it is drawn: which page it is, of which
// entries, and the checksum of its text. It tells no total, which would change
// when pages are added.
func (h Header) String() string {
	entries := ""
	switch {
	case h.From == "":
	case h.From == h.To:
		entries = " entry " + h.From
	default:
		entries = fmt.Sprintf(" entries %s-%s", h.From, h.To)
	}
	return fmt.Sprintf("page %d%s crc %08x", h.Number, entries, h.CRC)
}

// row returns the header as a row of cells.
func (h Header) row(columns int) []cell {
	row := make([]cell, columns)
	text := h.String()
	for i := range row {
		row[i] = ' '
		if i < len(text) {
			row[i] = cell(text[i])
		}
	}
	return row
}

// parseHeader reads a header's row.
func parseHeader(row []cell) (Header, error) {
	var b strings.Builder
	for _, c := range row {
		b.WriteRune(rune(c & codeMask))
	}
	line := strings.TrimRight(b.String(), " ")
	var h Header
	words := strings.Split(line, " ")
	if len(words) == 6 {
		from, to, isRange := strings.Cut(words[3], "-")
		if !isRange {
			to = from
		}
		h.From, h.To = from, to
	}
	var err error
	if len(words) >= 4 {
		var crc uint64
		h.Number, err = strconv.Atoi(words[1])
		if err == nil {
			crc, err = strconv.ParseUint(words[len(words)-1], 16, 32)
		}
		h.CRC = uint32(crc)
	}
	if err != nil || h.String() != line {
		return Header{}, fmt.Errorf("header %q: %w", line, ErrNotAPage)
	}
	return h, nil
}
