package snapshot

import (
	"context"
	"encoding/base64"
	"fmt"

	"github.com/stemma-history/stemma/catalog"
)

// A Plan is what the pages of a text come to, known before any is drawn.
type Plan struct {
	Pages   []Page // as from Cut
	Tokens  int    // that the reader is charged for the images
	Bytes   int    // of PNG, estimated; see Page.Size
	Changes Changes
}

// Encoded returns the estimated bytes of the pages as requests carry them, in
// base64.
func (p *Plan) Encoded() int {
	n := 0
	for _, page := range p.Pages {
		n += base64.StdEncoding.EncodedLen(page.Size)
	}
	return n
}

// Gain returns how many times dearer a text of textTokens is than its pages
// and otherTokens beside them.
func (p *Plan) Gain(textTokens, otherTokens int) float64 {
	if p.Tokens+otherTokens == 0 {
		return 0
	}
	return float64(textTokens) / float64(p.Tokens+otherTokens)
}

// Terms are what pages must keep to.
type Terms struct {
	// Images is what the reader is charged for images, and what its provider
	// takes.
	Images catalog.Images

	// TextTokens is what the text costs the reader as text, and OtherTokens
	// what comes with the pages: the guide and the indexes.
	TextTokens, OtherTokens int

	// LeastGain is by how much the text must be dearer than its pages.
	// Default: 1.05, for a formula of prices is never quite the bill.
	LeastGain float64

	// MaxPages and MaxBytes (in base64) are what is left for pages in a
	// request. Default: what the provider takes at all.
	MaxPages, MaxBytes int
}

func (t Terms) withDefaults() Terms {
	if t.LeastGain == 0 {
		t.LeastGain = 1.05
	}
	if t.MaxPages == 0 {
		t.MaxPages = t.Images.MaxCount
	}
	if t.MaxBytes == 0 {
		t.MaxBytes = t.Images.MaxRequestBytes
	}
	return t
}

// A Reason is why pages are refused.
type Reason string

const (
	Blind        Reason = "blind"          // the reader sees no images
	Shrunk       Reason = "shrunk"         // pages would be made smaller, or refused, by the provider
	TooManyPages Reason = "too many pages" // for a request
	TooManyBytes Reason = "too many bytes" // for a request
	PageTooLarge Reason = "page too large" // in bytes, for the provider
	NoGain       Reason = "no gain"        // the text is as cheap
)

// A RefusalError says why pages are of no use. Have and Limit are in the
// reason's unit: pages, bytes of base64 or tokens. Where there are too many
// pages, Have is where counting stopped; of shrunk pages it is the longer side
// in pixels, and there is no limit.
type RefusalError struct {
	Reason      Reason
	Have, Limit int
}

func (e *RefusalError) Error() string {
	switch e.Reason {
	case Blind:
		return "the model reads no images"
	case Shrunk:
		return fmt.Sprintf("pages with sides of %d pixels would be made smaller before the model sees them", e.Have)
	case TooManyPages:
		return fmt.Sprintf("the text needs more than the %d pages that a request may have", e.Limit)
	case TooManyBytes:
		return fmt.Sprintf("the pages take about %d bytes of a request, more than its %d", e.Have, e.Limit)
	case PageTooLarge:
		return fmt.Sprintf("a page takes about %d bytes, and the provider accepts images of %d", e.Have, e.Limit)
	default:
		return fmt.Sprintf("the pages cost %d tokens, and the text only %d", e.Have, e.Limit)
	}
}

// PlanPages plans the pages of a source for a reader, drawing nothing. Where
// they do not keep to the terms, the error is a *RefusalError, and the plan
// holds what was found up to there; it stops cutting where the pages are too
// many already.
func PlanPages(ctx context.Context, src []Segment, shape Shape, terms Terms) (Plan, error) {
	var p Plan
	terms = terms.withDefaults()
	images := terms.Images
	if !images.Sees() {
		return p, &RefusalError{Reason: Blind}
	}
	if shrinks(images, shape) {
		return p, &RefusalError{Reason: Shrunk, Have: max(shape.PageWidth, shape.PageHeight)}
	}
	for page, err := range Cut(ctx, src, shape, Options{}) {
		if err != nil {
			return p, err
		}
		p.Pages = append(p.Pages, page)
		p.Tokens += images.Price.Price(page.Width, page.Height)
		p.Bytes += page.Size
		p.Changes.Add(page.Changes)
		if encoded := base64.StdEncoding.EncodedLen(page.Size); images.MaxBytes > 0 && encoded > images.MaxBytes {
			return p, &RefusalError{PageTooLarge, encoded, images.MaxBytes}
		}
		if terms.MaxPages > 0 && len(p.Pages) > terms.MaxPages {
			return p, &RefusalError{TooManyPages, len(p.Pages), terms.MaxPages}
		}
	}
	if encoded := p.Encoded(); terms.MaxBytes > 0 && encoded > terms.MaxBytes {
		return p, &RefusalError{TooManyBytes, encoded, terms.MaxBytes}
	}
	if p.Gain(terms.TextTokens, terms.OtherTokens) < terms.LeastGain {
		return p, &RefusalError{NoGain, p.Tokens + terms.OtherTokens, terms.TextTokens}
	}
	return p, nil
}

// shrinks tells whether full pages would not reach the reader as they were
// drawn, alone or among many.
func shrinks(images catalog.Images, shape Shape) bool {
	side := max(shape.PageWidth, shape.PageHeight)
	return images.Price.Shrinks(shape.PageWidth, shape.PageHeight) ||
		images.MaxEdge > 0 && side > images.MaxEdge || images.ManyEdge > 0 && side > images.ManyEdge ||
		shape.PageWidth > images.Page.Width || shape.PageHeight > images.Page.Height
}
