package snapshot

import (
	"strings"
	"unicode/utf8"

	"github.com/stemma-history/stemma/snapshot/internal/exact"
)

// defaultIndexShare is where quoting more begins to cost what pages save. On a
// million characters of sources, diffs, listings, JSON and prose such indexes
// are 2.3 % of the text and list two fifths of its exact strings, the hardest
// to read first; all of them would be 9 % (measured at 6x13, 2026-11).
const defaultIndexShare = 0.05

// IndexOptions are the settings of Index. The zero value is ready to use.
type IndexOptions struct {
	// Share is how many characters an index may have, as a share of those of
	// its page. Its first line, which names the page, always stands.
	// Default: 0.05
	Share float64
	// Before are the indexes of the pages in front of the first.
	Before []string
}

// Index returns for each page a block of text to stand directly before it:
// what is on it, and the strings that a reader of the image could get wrong.
// pages follow each other in src, as Cut or Render returned them; where they are
// not its first, o.Before has what stands before the others.
//
// A string that an earlier page lists is not listed again, and nothing on a
// later page matters: the index of a full page does not change when text is
// added. A string that a page boundary cuts is listed with the page on which
// it ends. Texts of people and tools stand in an index in quotes, on one line,
// without control characters.
func Index(src []Segment, pages []Page, o IndexOptions) []string {
	if o.Share == 0 {
		o.Share = defaultIndexShare
	}
	listed := listedIn(o.Before)
	indexes := make([]string, len(pages))
	offset, segment := 0, 0 // of src[segment] in the joined text
	for i := range pages {
		for ; segment < pages[i].First; segment++ {
			offset += len(src[segment].Text)
		}
		t := textOf(src, &pages[i], offset)
		found := survey(&t, listed)
		indexes[i] = found.write(&pages[i], int(o.Share*float64(t.characters)))
		for _, c := range found.strings {
			if c.line != "" {
				listed[strings.Clone(c.Text)] = true // not the text of the page with it
			}
		}
	}
	return indexes
}

// listedIn returns the strings that indexes list. No other line of an index
// begins like theirs.
func listedIn(indexes []string) map[string]bool {
	listed := map[string]bool{}
	for _, index := range indexes {
		for _, label := range []string{lineFiles, lineExact} {
			if _, line, ok := strings.Cut(index, label); ok {
				line, _, _ = strings.Cut(line, "\n")
				for s := range strings.SplitSeq(line, " ") {
					listed[s] = true
				}
			}
		}
	}
	return listed
}

// pageText is the text of a page as its index sees it: canonical.
type pageText struct {
	text       string
	characters int

	// before is what stands in front of the first character of the page in
	// the same segment, as far as a string that ends on the page can reach.
	before string
	// cut tells that the last segment goes on behind the page.
	cut bool
	// serialised tells that the text has the marks of Serialise.
	serialised bool
}

// textOf collects the text of a page; offset is that of its first segment.
func textOf(src []Segment, p *Page, offset int) pageText {
	t := pageText{serialised: p.From != "" || p.To != ""}
	if p.Start > offset {
		first := src[p.First].Text
		begin := max(0, p.Start-offset-2*exact.MaxLen)
		t.before = first[begin : p.Start-offset]
		if begin > 0 { // not in the middle of a string
			t.before = t.before[strings.IndexAny(t.before, " \n\t")+1:]
		}
		t.before = Canonical(t.before)
	}
	var b strings.Builder
	b.Grow(p.End - p.Start + p.Last - p.First + 1)
	for i := p.First; i <= p.Last; i++ {
		s := src[i].Text
		from, to := max(p.Start-offset, 0), min(p.End-offset, len(s))
		b.WriteString(s[from:to])
		if t.cut = to < len(s); !t.cut {
			b.WriteByte('\n') // no string reaches over the end of a segment
		}
		offset += len(s)
	}
	t.text = Canonical(b.String())
	t.characters = utf8.RuneCountInString(t.text)
	return t
}
