package reclaim

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/snapshot"
)

// Draw returns the image of a page: the number of it in its snapshot, and the
// text that it shows.
type Draw func(shape snapshot.Shape, number int, text []snapshot.Segment) ([]byte, error)

// DrawPage renders a page. A [Draw] with a cache may stand in its place.
func DrawPage(shape snapshot.Shape, number int, text []snapshot.Segment) ([]byte, error) {
	for page, err := range snapshot.Render(context.Background(), text, shape, snapshot.Options{First: number, Workers: 1}) {
		return page.PNG, err
	}
	return nil, fmt.Errorf("page %d has no text", number)
}

// PageOf returns the image of one of the pages that a treatment records, counted
// from 1: what a model sees there. path ends with the compaction that has the
// treatment; it may begin as late as with the first entry of its range.
func PageOf(path []history.Entry, t *history.Treatment, number int, draw Draw) ([]byte, error) {
	if t.Pages == nil || number < 1 || number > len(t.Pages.Pages) {
		return nil, fmt.Errorf("page %d of entries %v to %v: %w", number, t.From, t.To, history.ErrNotFound)
	}
	s, err := sheetsOf(path, t)
	if err != nil {
		return nil, err
	}
	return s.draw(number, draw)
}

// sheets is what pages are drawn from.
type sheets struct {
	treatment *history.Treatment
	shape     snapshot.Shape
	source    []snapshot.Segment
}

func sheetsOf(path []history.Entry, t *history.Treatment) (sheets, error) {
	s := sheets{treatment: t, source: sourceOf(path, t)}
	if err := json.Unmarshal(t.Pages.Shape, &s.shape); err != nil {
		return s, fmt.Errorf("the shape of the pages of entries %v to %v: %w", t.From, t.To, err)
	}
	return s, nil
}

// draw returns the image of a page, counted from 1.
func (s *sheets) draw(number int, draw Draw) ([]byte, error) {
	pages, start := s.treatment.Pages.Pages, int64(0)
	if number > 1 {
		start = pages[number-2].End
	}
	data, err := draw(s.shape, number, snapshot.Slice(s.source, int(start), int(pages[number-1].End)))
	if err != nil {
		return nil, fmt.Errorf("page %d of entries %v to %v: %w", number, s.treatment.From, s.treatment.To, err)
	}
	return data, nil
}

// pageParts returns guide, indexes and images as they stand in a message.
func pageParts(path []history.Entry, t *history.Treatment, draw Draw) ([]message.Part, error) {
	parts := []message.Part{message.Text{Text: strings.TrimRight(t.Text, "\n")}}
	var s sheets
	if draw != nil {
		var err error
		if s, err = sheetsOf(path, t); err != nil {
			return nil, err
		}
	}
	for i, p := range t.Pages.Pages {
		img := message.Image{Media: message.Media{Type: "image/png"}, WidthPx: p.Width, HeightPx: p.Height}
		if draw != nil {
			var err error
			if img.Data, err = s.draw(i+1, draw); err != nil {
				return nil, err
			}
		}
		parts = append(parts, message.Text{Text: p.Index}, img)
	}
	return parts, nil
}
