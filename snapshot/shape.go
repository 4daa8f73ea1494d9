package snapshot

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stemma-history/stemma/snapshot/internal/font"
)

// A Shape says how pages are drawn: with which font, in cells of which size,
// on pages up to which size. It is all the renderer needs to know, and is
// recorded with a snapshot, so that its pages can be drawn again.
type Shape struct {
	Name string // for people; does not change the page

	// Font is the font of the page: 6x13, 8x13, 9x15 or unifont. In cells 8
	// pixels wide and 16 or more high, Unifont also draws what 8x13 lacks. In
	// other cells, pages with many characters that the font lacks, such as
	// Chinese ones, are drawn with Unifont in cells of 8×16 instead.
	Font string

	CellWidth, CellHeight int // pixels; a wide character takes two cells

	// PageWidth and PageHeight are the largest page in pixels. A page is as
	// wide as its whole cells need and as high as its used rows.
	PageWidth, PageHeight int

	// Grey allows grey ink for segments that ask for it: 2 bits a pixel on
	// the pages where one does.
	Grey bool
}

// A ShapeError reports a shape that cannot be drawn.
type ShapeError struct {
	Shape  Shape
	Reason string
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("shape %q: %s", e.Shape.Name, e.Reason)
}

// The bounds of a shape. A header needs its columns; a character with its
// combining marks needs its cells, for it is never split between pages. No
// provider takes images with longer sides (Anthropic: 8000 pixels, 2026-11).
const (
	minColumns = 72
	minCells   = 1024
	maxSide    = 8000

	maxCellWidth  = 16
	maxCellHeight = 48
)

// Check returns a *ShapeError if pages of the shape cannot be drawn.
func (s Shape) Check() error {
	fail := func(format string, args ...any) error {
		return &ShapeError{s, fmt.Sprintf(format, args...)}
	}
	if err := s.checkCell(); err != nil {
		return err
	}
	if s.PageWidth > maxSide || s.PageHeight > maxSide {
		return fail("page %d×%d has a side of more than %d pixels", s.PageWidth, s.PageHeight, maxSide)
	}
	for _, s := range []Shape{s, s.cjk()} {
		if s.columns() < minColumns || s.columns()*(s.rows()-1) < minCells {
			return fail("page %d×%d holds %d columns and %d rows of %d×%d: want %d columns and %d cells at least",
				s.PageWidth, s.PageHeight, s.columns(), s.rows(), s.CellWidth, s.CellHeight, minColumns, minCells)
		}
	}
	return nil
}

// checkCell checks the font and the cell.
func (s Shape) checkCell() error {
	f := font.Load(s.Font)
	switch {
	case f == nil:
		return &ShapeError{s, fmt.Sprintf("font %q: want one of %s", s.Font, strings.Join(font.Names, ", "))}
	case s.CellWidth < f.Width || s.CellHeight < f.Height:
		return &ShapeError{s, fmt.Sprintf("cell %d×%d is smaller than the font's %d×%d",
			s.CellWidth, s.CellHeight, f.Width, f.Height)}
	case s.CellWidth > maxCellWidth || s.CellHeight > maxCellHeight:
		return &ShapeError{s, fmt.Sprintf("cell %d×%d is larger than %d×%d",
			s.CellWidth, s.CellHeight, maxCellWidth, maxCellHeight)}
	}
	return nil
}

func (s Shape) columns() int { return s.PageWidth / s.CellWidth }
func (s Shape) rows() int    { return s.PageHeight / s.CellHeight }

// cjk returns the shape of pages full of characters that the shape's own font
// lacks: Unifont at its size, on pages of the same size.
func (s Shape) cjk() Shape {
	s.Font, s.CellWidth, s.CellHeight = fallbackFont, 8, font.MaxHeight
	return s
}

// The default page fits every provider's limit below which it leaves images as
// they are, the smallest of which is Anthropic's standard tier (1568 pixels a
// side and 1568 patches of 28×28; 2026-11).
const (
	DefaultPageWidth  = 1568
	DefaultPageHeight = 784
)

// Shapes returns the built-in shapes, densest first, with the default page:
//
//	6x13  for readers proven to tell its small letters apart
//	8x16  the default
//	8x22  8x16 with space between the rows, for weak readers
//	cjk   all in Unifont, for Chinese, Japanese and Korean
func Shapes() []Shape {
	shape := func(name, font string, width, height int) Shape {
		return Shape{Name: name, Font: font, CellWidth: width, CellHeight: height,
			PageWidth: DefaultPageWidth, PageHeight: DefaultPageHeight}
	}
	return []Shape{
		shape("6x13", "6x13", 6, 13),
		shape("8x16", "8x13", 8, 16),
		shape("8x22", "8x13", 8, 22),
		shape("cjk", "unifont", 8, 16),
	}
}

// DefaultShape is the name of the shape for a reader of whom nothing is known.
const DefaultShape = "8x16"

// ShapeNamed returns a built-in shape.
func ShapeNamed(name string) (Shape, bool) {
	all := Shapes()
	i := slices.IndexFunc(all, func(s Shape) bool { return s.Name == name })
	if i < 0 {
		return Shape{}, false
	}
	return all[i], true
}

// WithPage returns the shape with another page size.
func (s Shape) WithPage(width, height int) Shape {
	s.PageWidth, s.PageHeight = width, height
	return s
}
