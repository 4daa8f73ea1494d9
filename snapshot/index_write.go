package snapshot

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stemma-history/stemma/snapshot/internal/exact"
)

// The beginnings of an index's lines. The reading guide explains them.
const (
	linePrompts  = "\nPrompts: "
	lineCalls    = "\nCalls: "
	lineFailures = "\nErrors: "
	lineFiles    = "\nFiles: "
	lineExact    = "\nExact: "
)

// What the lines before the exact strings may take of an index, as a divisor.
// Together they leave two fifths at least.
const (
	partPrompts  = 5
	partCalls    = 10
	partFailures = 10
	partFiles    = 5
)

// How long a quotation in an index is, in characters.
const (
	longestQuote  = 60
	shortestQuote = 20
)

// write returns the index of a page in at most budget characters, or its first
// line.
func (f *surveyed) write(p *Page, budget int) string {
	w := indexWriter{left: budget}
	w.add(pageName(p))
	rest := max(w.left, 0)
	w.line(linePrompts, "; ", rest/partPrompts, quotes(f.prompts, rest/partPrompts-characters(linePrompts)))
	w.line(lineCalls, ", ", rest/partCalls, f.calls())
	w.line(lineFailures, "; ", rest/partFailures, quotes(f.failures, rest/partFailures-characters(lineFailures)))
	w.line(lineFiles, " ", rest/partFiles, f.files)
	w.line(lineExact, " ", w.left, f.choose(w.left-characters(lineExact)))
	return w.text.String()
}

// pageName says which page this is, in the words of the page's own header.
func pageName(p *Page) string {
	name := fmt.Sprintf("Page %d: ", p.Number)
	switch {
	case p.From == "" && p.To == "":
	case p.From == p.To:
		name += "entry " + p.From + ", "
	default:
		name += "entries " + p.From + "–" + p.To + ", "
	}
	return fmt.Sprintf("%sCRC %08x", name, p.CRC)
}

func characters(s string) int { return utf8.RuneCountInString(s) }

type indexWriter struct {
	text strings.Builder
	left int // characters
}

func (w *indexWriter) add(s string) {
	w.text.WriteString(s)
	w.left -= characters(s)
}

// line writes items behind a label in at most budget characters: in order, as
// many as fit.
func (w *indexWriter) line(label, separator string, budget int, items iter.Seq[string]) {
	before := label
	budget = min(budget, w.left)
	for s := range items {
		cost := characters(before) + characters(s)
		if cost > budget {
			return
		}
		budget -= cost
		w.add(before)
		w.add(s)
		before = separator
	}
}

// quotes yields quotations with their labels, cut so that all of them fit into
// budget characters if they can be.
func quotes(all []quote, budget int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, q := range all {
			length := budget/len(all) - len(q.label) - len(`; ""`)
			length = min(max(length, shortestQuote), longestQuote)
			if !yield(q.label + " " + quoted(q.text, length)) {
				return
			}
		}
	}
}

func (f *surveyed) calls() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, t := range f.tools {
			if !yield(plainWord(t.name) + " " + strconv.Itoa(t.calls)) {
				return
			}
		}
	}
}

// files yields the paths in the arguments of calls, and notes that they are listed.
func (f *surveyed) files(yield func(string) bool) {
	for _, c := range f.strings {
		if c.called && c.Class == exact.Path {
			if !yield(c.Text) {
				return
			}
			c.line = lineFiles
		}
	}
}

// choose picks the exact strings for budget characters and yields them in the
// order of the page. By rank, each class takes at most half of what is left,
// so that a page of hashes still lists its paths; what remains goes by rank.
// Within a class the rarer one comes first: a reader sees it fewer times.
func (f *surveyed) choose(budget int) iter.Seq[string] {
	ranked := slices.Clone(f.strings)
	slices.SortStableFunc(ranked, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.count, b.count))
	})
	pick := func(from []*candidate, most int) {
		for _, c := range from {
			if cost := characters(c.Text) + len(" "); c.line == "" && cost <= most {
				c.line = lineExact
				most -= cost
				budget -= cost
			}
		}
	}
	for rest := ranked; len(rest) > 0; {
		n := slices.IndexFunc(rest, func(c *candidate) bool { return c.Class != rest[0].Class })
		if n < 0 {
			n = len(rest)
		}
		pick(rest[:n], budget/2)
		rest = rest[n:]
	}
	pick(ranked, budget)
	return func(yield func(string) bool) {
		for _, c := range f.strings {
			if c.line == lineExact && !yield(c.Text) {
				return
			}
		}
	}
}
