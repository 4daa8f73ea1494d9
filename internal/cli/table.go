package cli

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A table is rows under headings on a terminal, cut to its width, and
// tab-separated values without headings off it.
type table struct {
	out     *output
	columns []column
	rows    [][]cell
}

type column struct {
	title string
	// flexible columns give way where the terminal is narrow.
	flexible bool
	right    bool // figures
}

// A cell is a value as programs read it and as people do.
type cell struct {
	value string
	shown string // Default: value
	style style
}

func (a *app) table(columns ...column) *table { return &table{out: a.out, columns: columns} }

// row adds a row. Off a terminal it is written at once.
func (t *table) row(cells ...cell) {
	if t.out.terminal {
		t.rows = append(t.rows, cells)
		return
	}
	for i, c := range cells {
		if i > 0 {
			t.out.WriteByte('\t')
		}
		t.out.WriteString(oneLine(c.value))
	}
	t.out.WriteByte('\n')
}

// oneLine replaces what would break a line of a table or start a control
// sequence of the terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n':
			return ' '
		case r < ' ' || r == 0x7F:
			return -1
		}
		return r
	}, s)
}

const columnGap = 2

// print writes the rows that were kept for the terminal.
func (t *table) print() {
	if len(t.rows) == 0 {
		return
	}
	widths := t.widths()
	t.line(widths, func(i int) (string, style) { return t.columns[i].title, faint })
	for _, row := range t.rows {
		t.line(widths, func(i int) (string, style) { return row[i].text(), row[i].style })
	}
}

func (c cell) text() string {
	if c.shown != "" {
		return oneLine(c.shown)
	}
	return oneLine(c.value)
}

// widths returns the columns' widths: what they need, the flexible ones no
// more than what is left of the line.
func (t *table) widths() []int {
	widths := make([]int, len(t.columns))
	for i, c := range t.columns {
		widths[i] = ansi.StringWidth(c.title)
		for _, row := range t.rows {
			widths[i] = max(widths[i], ansi.StringWidth(row[i].text()))
		}
	}
	over := -t.out.width
	for i := range widths {
		over += widths[i]
		if i > 0 {
			over += columnGap
		}
	}
	for over > 0 {
		widest := -1
		for i, c := range t.columns {
			if c.flexible && widths[i] > len(c.title) && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
		over--
	}
	return widths
}

func (t *table) line(widths []int, at func(int) (string, style)) {
	for i, width := range widths {
		text, style := at(i)
		text = ansi.Truncate(text, width, "…")
		padding := strings.Repeat(" ", max(width-ansi.StringWidth(text), 0))
		text = t.out.paint(style, text)
		switch {
		case t.columns[i].right:
			text = padding + text
		case i < len(widths)-1:
			text += padding
		}
		if i > 0 {
			text = strings.Repeat(" ", columnGap) + text
		}
		t.out.WriteString(text)
	}
	t.out.WriteByte('\n')
}
