package snapshot

import "fmt"

// A Shape says how pages are drawn: with which font, in cells of which size,
// on pages up to which size. It is all the renderer needs to know, and is
// recorded with a snapshot, so that its pages can be drawn again.
type Shape struct {
	Name string // for people; does not change the page

	// Font is the font of the page: 6x13, 8x13, 9x15 or unifont. Where the
	// cell has room for it, Unifont also draws what 8x13 and 9x15 lack.
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
