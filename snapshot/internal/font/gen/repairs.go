package main

import (
	"fmt"
	"strconv"
	"strings"
)

// repair is a character drawn for a font, or in place of the font's own.
type repair struct {
	font  string
	code  rune
	line  int
	width int
	rows  []uint32
}

func (r repair) picture(height int) picture {
	p := picture{width: r.width, rows: make([]uint32, height)}
	copy(p.rows, r.rows)
	return p
}

// parseRepairs reads repairs.txt: blocks of a line "FONT U+CODE" and the rows
// of the picture from the top, with # for ink. Blank lines and lines that
// start with // are comments; missing rows at the bottom are blank.
func parseRepairs(text string) ([]repair, error) {
	var all []repair
	for i, line := range strings.Split(text, "\n") {
		n := i + 1
		name, code, isHead := strings.Cut(line, " U+")
		switch {
		case line == "" || strings.HasPrefix(line, "//"):
		case isHead:
			r, err := strconv.ParseUint(code, 16, 21)
			if err != nil {
				return nil, fmt.Errorf("repairs.txt:%d: %w", n, err)
			}
			all = append(all, repair{font: name, code: rune(r), line: n})
		case len(all) == 0 || strings.Trim(line, ".#") != "":
			return nil, fmt.Errorf("repairs.txt:%d: want FONT U+CODE, or a row of . and #", n)
		default:
			last := &all[len(all)-1]
			if len(last.rows) == 0 {
				last.width = len(line)
			}
			if len(line) != last.width {
				return nil, fmt.Errorf("repairs.txt:%d: a row of %d pixels after rows of %d", n, len(line), last.width)
			}
			row := uint32(0)
			for _, c := range line {
				row <<= 1
				if c == '#' {
					row |= 1
				}
			}
			last.rows = append(last.rows, row)
		}
	}
	return all, nil
}
