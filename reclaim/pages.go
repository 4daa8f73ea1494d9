package reclaim

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/snapshot"
	"github.com/stemma-history/stemma/tokens"
)

// paysAt is the largest share of the text's price at which pages replace it:
// reading small print has a price of its own.
const paysAt = 0.8

// putPages puts the middle on pages, if the model reads them and they pay. The
// pages of an earlier compaction grow; where not all fit, the older half of the
// text becomes an outline first, and half of the rest, until they do.
func putPages(d *draft, z zones) Step {
	step := Step{Rung: Pages, Before: d.tokens()}
	step.After = step.Before
	reader := d.problem.Reader
	switch {
	case step.Before <= d.problem.Budget.Target:
		step.Why = "not needed"
	case !reader.Sees:
		step.Why = "the model reads no images"
	case reader.Shape.Font == "":
		step.Why = "no shape of page is known that the model can read"
	case z.tail-z.head < 2:
		step.Why = "nothing stands between head and tail"
	default:
		all, begun := roomFor(d, z), d.begun(z)
		for from := begun; ; from = laterHalf(d, from, z.tail) {
			if z.tail-from < 2 {
				step.Why = "not one page would fit"
				return step
			}
			left := all
			switch {
			case from > begun:
				left.tokens -= d.olderOutline()
			case from > z.head:
				left.tokens -= d.costOf(z.head, from)
			}
			if left.pages(d.problem) < leastPages(d, from, z.tail) {
				continue
			}
			set, why := setPages(d, from, z.tail, left)
			if why != "" {
				step.Why = why
				return step
			}
			if !set.over {
				set.apply(d, z)
				step.Items, step.After, step.Applied = len(set.treatment.Pages.Pages), d.tokens(), true
				step.Why = "the middle as images of its text"
				return step
			}
		}
	}
	return step
}

// pageSet is pages that could stand for a range.
type pageSet struct {
	from, to  int // indexes on the path
	treatment history.Treatment
	over      bool // the tokens, images or bytes of a request would not hold them
}

// setPages cuts the text of a range into pages. why is set where pages are no
// gain whatever the limits.
func setPages(d *draft, from, to int, left room) (set pageSet, why string) {
	set = pageSet{from: from, to: to}
	grown := d.grown(from, to)
	source := d.pageSource(from, to, grown)
	if l := snapshot.LegibleSource(source); l.StaysText() {
		return set, "too much of it is of a kind that models misread on pages: " + strings.Join(l.Scripts, ", ")
	}
	text := d.costOf(from, to)
	full := fullPages(grown)
	pages, over, err := cutPages(d, source, full, left)
	switch {
	case err != nil:
		return set, err.Error()
	case over:
		set.over = true
		return set, ""
	case len(full)+len(pages) == 0:
		return set, "nothing stands between head and tail"
	}
	record, err := recordOf(d.problem, source, full, pages)
	if err != nil {
		return set, err.Error()
	}
	set.treatment = history.Treatment{From: d.problem.Path[from].Handle(), To: d.problem.Path[to-1].Handle(), As: history.AsPages, Text: snapshot.Guide, Pages: record}
	standing := d.pagesIn(from, to)
	price, gain := d.problem.Meter.Tokens(d.treatmentCost(&set.treatment))-standing, text-standing
	if float64(price) > paysAt*float64(gain) {
		return set, fmt.Sprintf("%d pages would cost %d tokens more, the text costs %d", len(record.Pages), price, gain)
	}
	return set, ""
}

// room is what a request can still hold beside what stands outside the middle.
type room struct {
	images int
	bytes  int64
	tokens int
}

func roomFor(d *draft, z zones) room {
	r := room{images: math.MaxInt, bytes: math.MaxInt64}
	count, bytes := imagesBeside(d, z.head, z.tail)
	if most := d.problem.Reader.MaxImages; most > 0 {
		r.images = most - count
	}
	if most := d.problem.Reader.MaxImageBytes; most > 0 {
		r.bytes = most - bytes
	}
	r.tokens = max(d.problem.Budget.Target, d.problem.Budget.Limit()/2) - (d.tokens() - d.costOf(z.head, z.tail))
	return r
}

// pages is how many full pages the room has place for.
func (r room) pages(p *Problem) int {
	shape := p.Reader.Shape
	price := p.Meter.Part(message.Image{WidthPx: shape.PageWidth, HeightPx: shape.PageHeight}).Media
	return max(min(r.images, r.tokens/max(price, 1)), 0)
}

// leastPages is how many full pages the text of a range takes at least, so that
// what is far too much need not be cut to know it: a token is a cell or more, but
// for blanks. What stands on pages already counts as these.
func leastPages(d *draft, from, to int) int {
	text := 0
	for i := from; i < to; i++ {
		text += d.entries[i].cost.Text
	}
	shape := d.problem.Reader.Shape
	return text / (shape.PageWidth / shape.CellWidth * (shape.PageHeight / shape.CellHeight))
}

// olderOutline is how large the outline of what no longer fits on pages may be.
func (d *draft) olderOutline() int { return d.problem.Budget.Limit() / 8 }

// take makes room for a page, and reports whether there is none.
func (r *room) take(m tokens.Meter, width, height int, bytes int64) (over bool) {
	r.images--
	r.bytes -= bytes
	r.tokens -= m.Part(message.Image{WidthPx: width, HeightPx: height}).Media
	return r.images < 0 || r.bytes < 0 || r.tokens < 0
}

// fullPages returns those of the pages that stand to which nothing can be added.
func fullPages(grown *history.Treatment) []history.Page {
	if grown == nil || len(grown.Pages.Pages) == 0 {
		return nil
	}
	return grown.Pages.Pages[:len(grown.Pages.Pages)-1]
}

// endOf returns where the text of pages ends.
func endOf(pages []history.Page) int64 {
	if len(pages) == 0 {
		return 0
	}
	return pages[len(pages)-1].End
}

// cutPages returns the pages of a source behind those that are full, or that all
// of them need more room.
func cutPages(d *draft, source []snapshot.Segment, full []history.Page, r room) (pages []snapshot.Page, over bool, err error) {
	m, start := d.problem.Meter, int64(0)
	for _, p := range full {
		if r.take(m, p.Width, p.Height, pngSize(p.End-start)) {
			return nil, true, nil
		}
		start = p.End
	}
	options := snapshot.Options{First: len(full) + 1, From: int(start)}
	for page, err := range snapshot.Cut(context.Background(), source, d.problem.Reader.Shape, options) {
		if err != nil {
			return nil, false, err
		}
		pages = append(pages, page)
		if r.take(m, page.Width, page.Height, int64(page.Size)) {
			return nil, true, nil
		}
	}
	return pages, false, nil
}

// recordOf returns what the path keeps of pages: of those that are full, what it
// keeps already.
func recordOf(p *Problem, source []snapshot.Segment, full []history.Page, pages []snapshot.Page) (*history.Pages, error) {
	shape, err := json.Marshal(p.Reader.Shape)
	if err != nil {
		return nil, err
	}
	record := &history.Pages{Shape: shape, Renderer: snapshot.Version, Pages: slices.Clip(full)}
	options := snapshot.IndexOptions{Share: indexShare(p)}
	for _, f := range full {
		options.Before = append(options.Before, f.Index)
	}
	for i, index := range snapshot.Index(source, pages, options) {
		record.Pages = append(record.Pages, history.Page{End: int64(pages[i].End), CRC: pages[i].CRC, Index: index, Width: pages[i].Width, Height: pages[i].Height})
	}
	return record, nil
}

// indexShare is how many characters an index may have, as a share of its page's:
// no more than a quarter of what the image costs, so that where images are cheap
// the text beside them does not eat the gain. (Exact strings run at 0.46 tokens
// a character.)
func indexShare(p *Problem) float64 {
	const most, tokensPerCharacter = 0.05, 0.46
	if p.Meter.Image == nil {
		return most
	}
	shape := p.Reader.Shape
	characters := shape.PageWidth / shape.CellWidth * (shape.PageHeight / shape.CellHeight)
	price := p.Meter.Image(shape.PageWidth, shape.PageHeight)
	return min(most, float64(price)/4/tokensPerCharacter/float64(characters))
}

// begun returns where the pages of a middle begin: behind what stands for older
// entries, where pages stand behind that already. They go on growing there.
func (d *draft) begun(z zones) int {
	for i := z.head; i < z.tail; i++ {
		switch e := &d.entries[i]; {
		case e.cover != nil && e.cover.As == history.AsPages:
			return max(d.index(e.cover.From.Depth), z.head)
		case i != z.prompt && d.free(i):
			return z.head
		}
	}
	return z.head
}

// pagesIn is what pages cost that stand in a range already.
func (d *draft) pagesIn(from, to int) int {
	sum := 0
	for i := from; i < to; i++ {
		if e := &d.entries[i]; e.first && e.cover.As == history.AsPages {
			sum += d.problem.Meter.Tokens(e.cost)
		}
	}
	return sum
}

// imagesBeside counts the images that stay when a range goes onto pages.
func imagesBeside(d *draft, from, to int) (count int, bytes int64) {
	for _, p := range picturesOf(d) {
		if p.entry < from || p.entry >= to || p.pinned {
			count, bytes = count+p.count, bytes+p.bytes
		}
	}
	return count, bytes
}

// laterHalf returns the index of the turn that begins the later half of a range.
func laterHalf(d *draft, from, to int) int {
	middle := from + (to-from+1)/2
	for ; middle < to; middle++ {
		if beginsTurn(&d.problem.Path[middle]) {
			break
		}
	}
	return middle
}

// apply puts the pages into the draft: what stands before them in the middle
// becomes an outline, unless it is one; pinned entries and the newest prompt stay.
func (set *pageSet) apply(d *draft, z zones) {
	kept := keptEntries(d, z)
	if set.from > d.begun(z) {
		putOutline(d, zones{head: z.head, tail: set.from, prompt: z.prompt}, d.olderOutline())
	}
	for _, t := range d.pinStubs(set.from, set.to) {
		d.treat(t)
	}
	d.treat(set.treatment)
	for _, t := range kept {
		d.treat(t)
	}
}

// pagesCost is what the text of a treatment, and its pages with their indexes,
// cost.
func pagesCost(m tokens.Meter, t *history.Treatment) tokens.Cost {
	c := m.Text(t.Text)
	if t.Pages == nil {
		return c
	}
	for _, p := range t.Pages.Pages {
		c = c.Add(m.Text(p.Index)).Add(m.Part(message.Image{WidthPx: p.Width, HeightPx: p.Height}))
	}
	return c
}
