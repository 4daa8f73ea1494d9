package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/internal/words"
)

// A table is rows under headings on a terminal, cut to its width, and
// tab-separated values without headings off it.
type table struct {
	out     *output
	columns []column
	rows    [][]cell
}

type column struct {
	title    string
	flexible bool // gives way where the terminal is narrow
	wide     bool // left out where it has less than 100 columns
	right    bool // figures
	tail     bool // is cut at its beginning, as paths are
}

// A cell is a value as programs read it and as people do.
type cell struct {
	value string
	shown string // Default: value
	style style
	lit   [2]int // bytes of the value that stand out
}

// number is a cell with a figure.
func number[N words.Integer](n N) cell {
	return cell{value: strconv.FormatInt(int64(n), 10), shown: words.Thousands(n)}
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
			t.out.print("\t")
		}
		t.out.print(words.OneLine(c.value))
	}
	t.out.print("\n")
}

const (
	columnGap    = "  "
	wideTerminal = 100
)

// print writes the rows that were kept for the terminal.
func (t *table) print() {
	if len(t.rows) == 0 {
		return
	}
	if t.out.width < wideTerminal {
		t.dropWide()
	}
	widths := t.widths()
	t.line(widths, func(i int) cell { return cell{value: t.columns[i].title, style: faint} })
	for _, row := range t.rows {
		t.line(widths, func(i int) cell { return row[i] })
	}
}

// dropWide takes out the columns that are for wide terminals only.
func (t *table) dropWide() {
	for i := len(t.columns) - 1; i >= 0; i-- {
		if !t.columns[i].wide {
			continue
		}
		t.columns = slices.Delete(t.columns, i, i+1)
		for r := range t.rows {
			t.rows[r] = slices.Delete(t.rows[r], i, i+1)
		}
	}
}

func (c cell) text() string {
	if c.shown != "" {
		return words.OneLine(c.shown)
	}
	return words.OneLine(c.value)
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
			over += len(columnGap)
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

// line writes one row.
func (t *table) line(widths []int, at func(int) cell) {
	var line strings.Builder
	for i, width := range widths {
		text := t.fitted(at(i), width, t.columns[i].tail)
		padding := strings.Repeat(" ", max(width-ansi.StringWidth(text), 0))
		if t.columns[i].right {
			text, padding = padding+text, ""
		}
		line.WriteString(text + padding + columnGap)
	}
	t.out.printf("%s\n", strings.TrimRight(line.String(), " "))
}

// fitted returns a cell cut to a width and painted. What is lit in it shows.
func (t *table) fitted(c cell, width int, tail bool) string {
	text := c.text()
	if over := ansi.StringWidth(text) - width; tail && over > 0 {
		return t.out.paint(c.style, ansi.TruncateLeft(text, over+1, "…"))
	}
	if c.lit[1] <= c.lit[0] || c.lit[1] > len(text) || text != c.value {
		return t.out.paint(c.style, ansi.Truncate(text, width, "…"))
	}
	before, lit, after := text[:c.lit[0]], text[c.lit[0]:c.lit[1]], text[c.lit[1]:]
	if over := ansi.StringWidth(before+lit) + 1 - width; over > 0 {
		before = ansi.TruncateLeft(before, min(over+width/3, ansi.StringWidth(before)), "…")
	}
	painted := t.out.paint(c.style, before) + t.out.paint(lightUp, lit) + t.out.paint(c.style, after)
	return ansi.Truncate(painted, width, "…")
}
