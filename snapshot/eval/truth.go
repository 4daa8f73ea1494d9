package eval

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Question returns what to ask a reader along with the pages.
func Question(items []Item) string {
	if len(items) == 0 {
		return ""
	}
	return fmt.Sprintf(`The images show pages of plain text. Between the sentences stand %d items, numbered %d to %d, each in the form "Item NUMBER is STRING here."

Write one line for each item: its number, a space, and its string, character by character as it stands on the page. The strings are random: nothing around them helps to guess them. Where a string cannot be read with certainty, write its number and a question mark.
`, len(items), items[0].Number, items[len(items)-1].Number)
}

const truthColumns = "number\tshape\tpage\tclass\ttext"

// WriteTruth writes the items as tab-separated values under a line of headings.
func WriteTruth(w io.Writer, items []Item) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, truthColumns)
	for _, it := range items {
		fmt.Fprintf(b, "%d\t%s\t%d\t%s\t%s\n", it.Number, it.Shape, it.Page, it.Class, it.Text)
	}
	return b.Flush()
}

// ReadTruth reads what WriteTruth wrote.
func ReadTruth(r io.Reader) ([]Item, error) {
	var items []Item
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		if n == 1 && lines.Text() == truthColumns {
			continue
		}
		f := strings.Split(lines.Text(), "\t")
		if len(f) != 5 {
			return nil, fmt.Errorf("line %d: expected the five columns %s", n, strings.ReplaceAll(truthColumns, "\t", ", "))
		}
		number, err := strconv.Atoi(f[0])
		if err != nil {
			return nil, fmt.Errorf("line %d: number %q is none", n, f[0])
		}
		page, err := strconv.Atoi(f[2])
		if err != nil {
			return nil, fmt.Errorf("line %d: page %q is no number", n, f[2])
		}
		items = append(items, Item{Number: number, Shape: f[1], Page: page, Class: Class(f[3]), Text: f[4]})
	}
	return items, lines.Err()
}
