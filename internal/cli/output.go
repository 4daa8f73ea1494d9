package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// An output is a buffered stream, and what is known of the terminal behind it.
type output struct {
	*bufio.Writer
	screen   *os.File // the terminal that is written to; nil where it is none
	terminal bool     // what is shown is laid out for a person
	colour   bool
	width    int // columns of the terminal; 0 off a terminal: lines have no end
	// failed, if set, is told the first error of a write.
	failed func(error)
}

func newOutput(w io.Writer) *output {
	o := &output{}
	if file, ok := w.(*os.File); ok && isTerminal(file) {
		o.screen, o.terminal = file, true
		o.colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && showsColours(file)
		o.width = 80
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 0 {
			o.width = columns
		}
	}
	o.redirect(w)
	return o
}

// layOutFor makes o lay out what it shows for people on so many columns, also
// off a terminal. Where the number is none, nothing changes.
func (o *output) layOutFor(columns string) {
	if n, err := strconv.Atoi(columns); err == nil && n > 0 {
		o.terminal, o.width = true, n
	}
}

func isTerminal(file *os.File) bool { return term.IsTerminal(int(file.Fd())) }

// redirect makes o write to w until restore is called.
func (o *output) redirect(w io.Writer) (restore func()) {
	before := o.Writer
	o.Writer = bufio.NewWriterSize(tellingWriter{w, o}, 32<<10)
	return func() { o.Writer = before }
}

// tellingWriter tells its output of the first failed write. Commands need not
// look at every write then: their context ends.
type tellingWriter struct {
	io.Writer
	output *output
}

func (w tellingWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if err != nil && w.output.failed != nil {
		w.output.failed(err)
	}
	return n, err
}

// print writes text. An error comes back from Flush.
func (o *output) print(text string) { _, _ = o.WriteString(text) }

// printf writes formatted text. An error comes back from Flush.
func (o *output) printf(format string, args ...any) { fmt.Fprintf(o, format, args...) }

// nothing tells a person, where a list has no rows, that this is the answer.
func (a *app) nothing(rows int, text string) {
	if rows == 0 && a.out.terminal {
		a.err.printf("%s\n", text)
	}
}

// A style is how a piece of text looks on a terminal: parameters of the SGR
// control sequence (ECMA-48). Only the sixteen colours are used, which are
// those of the person's own theme.
type style string

const (
	plain  style = ""
	bold   style = "1"
	faint  style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	blue   style = "34"
	purple style = "35"
	cyan   style = "36"

	lightUp style = "1;31" // a match, as grep shows it
)

// paint returns text in a style, where the output shows colours.
func (o *output) paint(s style, text string) string {
	if !o.colour || s == plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}
