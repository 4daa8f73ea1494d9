package reclaim

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
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
		all := roomFor(d, z)
		for from := z.head; ; from = laterHalf(d, from, z.tail) {
			if z.tail-from < 2 {
				step.Why = "not one page would fit"
				return step
			}
			left := all
			if from > z.head {
				left.tokens -= d.olderOutline()
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
	source := d.pageSource(from, to)
	if l := snapshot.LegibleSource(source); l.StaysText() {
		return set, "too much of it is of a kind that models misread on pages: " + strings.Join(l.Scripts, ", ")
	}
	text := d.costOf(from, to)
	pages, over, err := cutPages(d, source, left)
	switch {
	case err != nil:
		return set, err.Error()
	case over:
		set.over = true
		return set, ""
	case len(pages) == 0:
		return set, "nothing stands between head and tail"
	}
	record, err := recordOf(d.problem, source, pages)
	if err != nil {
		return set, err.Error()
	}
	set.treatment = history.Treatment{From: d.problem.Path[from].Handle(), To: d.problem.Path[to-1].Handle(), As: history.AsPages, Text: snapshot.Guide, Pages: record}
	standing := d.pagesIn(from, to)
	price, gain := d.problem.Meter.Tokens(d.treatmentCost(&set.treatment))-standing, text-standing
	if float64(price) > paysAt*float64(gain) {
		return set, fmt.Sprintf("%d pages would cost %d tokens more, the text costs %d", len(pages), price, gain)
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

// cutPages returns the pages of a source, or that they need more room.
func cutPages(d *draft, source []snapshot.Segment, r room) (pages []snapshot.Page, over bool, err error) {
	for page, err := range snapshot.Cut(context.Background(), source, d.problem.Reader.Shape, snapshot.Options{}) {
		if err != nil {
			return nil, false, err
		}
		pages = append(pages, page)
		r.images--
		r.bytes -= int64(page.Size)
		r.tokens -= d.problem.Meter.Part(message.Image{WidthPx: page.Width, HeightPx: page.Height}).Media
		if r.images < 0 || r.bytes < 0 || r.tokens < 0 {
			return nil, true, nil
		}
	}
	return pages, false, nil
}

// recordOf returns what the path keeps of pages.
func recordOf(p *Problem, source []snapshot.Segment, pages []snapshot.Page) (*history.Pages, error) {
	shape, err := json.Marshal(p.Reader.Shape)
	if err != nil {
		return nil, err
	}
	record := &history.Pages{Shape: shape, Renderer: snapshot.Version, Pages: make([]history.Page, len(pages))}
	for i, index := range snapshot.Index(source, pages, snapshot.IndexOptions{Share: indexShare(p)}) {
		record.Pages[i] = history.Page{End: int64(pages[i].End), CRC: pages[i].CRC, Index: index, Width: pages[i].Width, Height: pages[i].Height}
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
// becomes an outline, pinned entries and the newest prompt stay.
func (set *pageSet) apply(d *draft, z zones) {
	kept := keptEntries(d, z)
	if set.from > z.head {
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

// pinStubs are what stands on a page for entries that stay in the view.
func (d *draft) pinStubs(from, to int) []history.Treatment {
	var stubs []history.Treatment
	for i := from; i < to; i++ {
		if e := &d.entries[i]; len(e.parts) > 0 && e.cover == nil && d.pinned[d.problem.Path[i].ID] {
			at := d.problem.Path[i].Handle()
			stubs = append(stubs, history.Treatment{From: at, To: at, As: history.AsStub, Text: fmt.Sprintf("[pinned: it stands in full among the messages; recall %v]", at)})
		}
	}
	return stubs
}

// pageSource returns the text of a range as pages show it now: that of pages
// which stand for its beginning already, unchanged, and what has come since as
// it stands in the view.
func (d *draft) pageSource(from, to int) []snapshot.Segment {
	var source []snapshot.Segment
	if standing := d.grown(from, to); standing != nil {
		source = sourceOf(d.problem.Path, standing)
		from = d.index(standing.To.Depth) + 1
	}
	stubs := map[history.Handle]string{}
	for _, t := range d.pinStubs(from, to) {
		stubs[t.From] = t.Text
	}
	stub := func(h history.Handle) (string, bool) {
		if text, ok := stubs[h]; ok {
			return text, true
		}
		return d.stubAt(h)
	}
	return append(source, serialise(d.problem.Path[from:to], stub)...)
}

// grown returns the pages of the path, made for this reader, that cover the most
// of a range from its beginning; nil where there are none. They go on growing,
// unless what they showed was trimmed since.
func (d *draft) grown(from, to int) *history.Treatment {
	var most *history.Treatment
	at := d.problem.Path[from].Handle()
	for _, c := range compactions(d.problem.Path) {
		for i := range c.Treatments {
			t := &c.Treatments[i]
			if trims(t, at) {
				most = nil
			}
			if t.As == history.AsPages && t.From == at && d.index(t.To.Depth) < to && d.sameShape(t.Pages) &&
				(most == nil || t.To.Depth > most.To.Depth) {
				most = t
			}
		}
	}
	return most
}

func (d *draft) sameShape(p *history.Pages) bool {
	var shape snapshot.Shape
	return json.Unmarshal(p.Shape, &shape) == nil && shape == d.problem.Reader.Shape && p.Renderer == snapshot.Version
}

// stubAt returns what stands in the draft for an entry or a part.
func (d *draft) stubAt(h history.Handle) (string, bool) {
	e := &d.entries[d.index(h.Depth)]
	if h.Part == 0 {
		if e.cover == nil || e.cover.As == history.AsPages {
			return "", false
		}
		if e.first {
			return e.cover.Text, true
		}
		return "", true
	}
	if t := e.parts[h.Part-1]; t != nil && t.As == history.AsStub {
		return t.Text, true
	}
	return "", false
}

func serialise(path []history.Entry, stub func(history.Handle) (string, bool)) []snapshot.Segment {
	entries := make([]*history.Entry, len(path))
	for i := range path {
		entries[i] = &path[i]
	}
	return snapshot.Serialise(entries, snapshot.SerialiseOptions{Stub: stub})
}

// sourceOf returns the text of pages that a path records. It is made again from
// the entries: for each compaction that let the pages grow, what was new then,
// as it stood in the view then. Where a trim left out what they begin with, other
// pages began there.
func sourceOf(path []history.Entry, pages *history.Treatment) []snapshot.Segment {
	var source []snapshot.Segment
	var before []*history.Compaction
	next := pages.From.Depth // the first entry that is not on a page yet
	for i := range path {
		c := path[i].Compaction
		if c == nil {
			continue
		}
		for j := range c.Treatments {
			t := &c.Treatments[j]
			if trims(t, pages.From) {
				source, next = nil, pages.From.Depth
			}
			if !sameSnapshot(t, pages) || t.To.Depth < next || t.To.Depth > pages.To.Depth {
				continue
			}
			fold := history.FoldTreatments(append(before[:len(before):len(before)], &history.Compaction{Treatments: c.Treatments[:j]}))
			standing := map[*history.Treatment]bool{}
			source = append(source, serialise(path[indexOf(path, next):indexOf(path, t.To.Depth+1)], func(h history.Handle) (string, bool) { return stubIn(&fold, h, standing) })...)
			next = t.To.Depth + 1
		}
		before = append(before, c)
	}
	return source
}

// trims reports whether a treatment leaves an entry out.
func trims(t *history.Treatment, at history.Handle) bool {
	return t.As == history.AsTrimmed && t.From.Compare(at) <= 0 && at.Compare(t.To) <= 0
}

// sameSnapshot reports whether two treatments are pages of one snapshot, which
// grew from one to the other.
func sameSnapshot(t, u *history.Treatment) bool {
	return t.As == history.AsPages && t.From == u.From && string(t.Pages.Shape) == string(u.Pages.Shape) && t.Pages.Renderer == u.Pages.Renderer
}

// stubIn returns what stands in a fold for an entry or a part.
func stubIn(fold *history.Fold, h history.Handle, standing map[*history.Treatment]bool) (string, bool) {
	s := fold.At(h)
	if s == nil || s.As == history.AsPages || h.Part > 0 && s.As != history.AsStub {
		return "", false
	}
	if h.Part == 0 {
		if standing[s.Treatment] {
			return "", true
		}
		standing[s.Treatment] = true
	}
	return s.Text, true
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
