package snapshot

import (
	"context"
	"iter"
	"math"
	"runtime"
	"slices"
)

// Render draws a source as pages, in order. It holds a few pages at a time,
// whatever the source's size. The error, if any, comes last: a *ShapeError, a
// *HandleError or the context's. A source without text has no pages.
//
// Options.Workers pages are drawn at the same time; the bytes do not depend on
// how many. The iterator can be used again, and starts anew.
func Render(ctx context.Context, src []Segment, shape Shape, opts Options) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		workers := opts.Workers
		if workers <= 0 {
			workers = runtime.GOMAXPROCS(0)
		}
		if workers == 1 {
			renderAlone(ctx, src, shape, opts, yield)
		} else {
			renderTogether(ctx, src, shape, opts, workers, yield)
		}
	}
}

// Cut says where the pages of a source begin and end, and what is on them,
// drawing nothing: Render's pages without PNG.
func Cut(ctx context.Context, src []Segment, shape Shape, opts Options) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		c, err := newCutter(src, shape, opts)
		if err != nil {
			yield(Page{}, err)
			return
		}
		for {
			if err := ctx.Err(); err != nil {
				yield(Page{}, err)
				return
			}
			sheet, more := c.next(nil)
			if !more || !yield(sheet.page, nil) {
				return
			}
		}
	}
}

// A sheet is a page of cells, ready to be drawn.
type sheet struct {
	page  Page
	face  *face
	cells []cell // whole rows of columns, the header first
}

func (s *sheet) columns() int { return s.page.Width / s.face.shape.CellWidth }

// A cutter makes the sheets of a source, one after the other.
type cutter struct {
	src    []Segment
	shape  Shape
	at     place
	number int
	own    *setter
	cjk    *setter // made for the first page that needs it, as loading Unifont takes time
}

func newCutter(src []Segment, shape Shape, opts Options) (*cutter, error) {
	if err := shape.Check(); err != nil {
		return nil, err
	}
	if err := checkHandles(src); err != nil {
		return nil, err
	}
	c := &cutter{src: src, shape: shape, at: placeOf(src, opts.From), number: max(opts.First, 1), own: newSetter(shape)}
	c.own.burst.watched = c.own.face.fallback == nil && shape.Font != fallbackFont
	return c, nil
}

func newSetter(s Shape) *setter {
	t := &setter{face: faceFor(s), cols: s.columns(), most: s.columns() * (s.rows() - 1)}
	t.cells = make([]cell, t.most+t.cols)
	return t
}

// next returns the next sheet, with its cells appended to the given ones; more
// is false when there is none.
//
// A page is drawn in the shape's own font, up to the first burst of characters
// it lacks; unless the burst begins on what a page in Unifont holds, which is
// then drawn instead. Either way text added later changes nothing.
func (c *cutter) next(cells []cell) (s sheet, more bool) {
	set := c.own
	page, end := set.fill(c.src, c.at, math.MaxInt, c.shape.Grey)
	if set.burst.found {
		start := set.burst.start
		if c.cjk == nil {
			c.cjk = newSetter(c.shape.cjk())
		}
		set = c.cjk
		if page, end = set.fill(c.src, c.at, math.MaxInt, c.shape.Grey); page.End <= start {
			set = c.own
			page, end = set.fill(c.src, c.at, start, c.shape.Grey)
		}
	}
	c.at = end
	if page.Cells == 0 {
		return sheet{}, false
	}
	shape := set.face.shape
	page.Number = c.number
	page.Size = estimateSize(shape.Font, page.Cells, set.wide)
	page.Width = set.cols * shape.CellWidth
	page.Height = (1 + set.n/set.cols) * shape.CellHeight
	c.number++
	header := Header{page.Number, page.From, page.To, page.CRC}
	cells = append(cells, header.row(set.cols)...)
	cells = append(cells, set.cells[:set.n]...)
	if set.rtl {
		for row := range slices.Chunk(cells[set.cols:], set.cols) {
			joinArabic(row, set.face)
			turnRow(row)
		}
	}
	return sheet{page: page, face: set.face, cells: cells}, true
}

// artist draws sheets, with buffers of its own.
type artist struct {
	painter painter
	png     pngWriter
}

func (a *artist) draw(s *sheet) Page {
	grey := slices.ContainsFunc(s.cells, func(c cell) bool { return c&greyInk != 0 })
	page := s.page
	page.PNG = a.png.encode(a.painter.paint(s.face, s.cells, s.columns(), grey))
	page.Size = len(page.PNG)
	return page
}

func renderAlone(ctx context.Context, src []Segment, shape Shape, opts Options, yield func(Page, error) bool) {
	c, err := newCutter(src, shape, opts)
	if err != nil {
		yield(Page{}, err)
		return
	}
	var a artist
	var cells []cell
	for {
		if err := ctx.Err(); err != nil {
			yield(Page{}, err)
			return
		}
		sheet, more := c.next(cells[:0])
		if !more || !yield(a.draw(&sheet), nil) {
			return
		}
		cells = sheet.cells
	}
}

// renderTogether cuts sheets here, has workers draw them, and hands the pages
// out in order. At most twice as many sheets as workers are under way.
func renderTogether(ctx context.Context, src []Segment, shape Shape, opts Options, workers int, yield func(Page, error) bool) {
	c, err := newCutter(src, shape, opts)
	if err != nil {
		yield(Page{}, err)
		return
	}
	type job struct {
		sheet sheet
		page  chan Page
	}
	jobs := make(chan job, 2*workers)
	defer close(jobs)
	for range workers {
		go func() {
			var a artist
			for j := range jobs {
				j.page <- a.draw(&j.sheet)
			}
		}()
	}
	var waiting []job
	var spare [][]cell // of sheets that are drawn
	for more := true; more || len(waiting) > 0; {
		if err := ctx.Err(); err != nil {
			yield(Page{}, err)
			return
		}
		if more && len(waiting) < 2*workers {
			var cells []cell
			if n := len(spare); n > 0 {
				cells, spare = spare[n-1][:0], spare[:n-1]
			}
			j := job{page: make(chan Page, 1)}
			if j.sheet, more = c.next(cells); more {
				jobs <- j
				waiting = append(waiting, j)
			}
			continue
		}
		first := waiting[0]
		waiting = waiting[1:]
		page := <-first.page
		spare = append(spare, first.sheet.cells)
		if !yield(page, nil) {
			return
		}
	}
}
