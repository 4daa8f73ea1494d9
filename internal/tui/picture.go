package tui

import (
	"context"
	"errors"
	"fmt"
	"image"
	"sync"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/reclaim"
)

// A picture is what can be shown as one: an image of a message, or a page that
// stands in the place of text.
type picture struct {
	key   string      // the same key, the same picture
	about string      // what it is, in a line
	index string      // what stands on it, of a page
	size  image.Point // pixels
	read  func(context.Context) ([]byte, error)
}

// pictureOf returns an image as a picture. Where its bytes or its size are not
// known, it can only be named.
func pictureOf(blobs history.Blobs, img message.Image) (picture, bool) {
	p := picture{about: describeImage(img), size: image.Pt(img.WidthPx, img.HeightPx)}
	switch {
	case img.WidthPx <= 0 || img.HeightPx <= 0:
		return p, false
	case img.Data != nil:
		p.key = message.HashOf(img.Data).String()
		p.read = func(context.Context) ([]byte, error) { return img.Data, nil }
	case !img.Blob.IsZero():
		p.key = img.Blob.String()
		p.read = func(ctx context.Context) ([]byte, error) {
			b, err := blobs.Blob(ctx, img.Blob)
			return b.Data, err
		}
	default:
		return p, false
	}
	return p, true
}

func describeImage(img message.Image) string {
	return fmt.Sprintf("image, %s, %d×%d pixels, %s", words.OneLine(img.Type), img.WidthPx, img.HeightPx, words.ByteSize(img.Size))
}

// imagesOf returns the images of a part.
func imagesOf(p message.Part) []message.Image {
	switch p := p.(type) {
	case message.Image:
		return []message.Image{p}
	case message.ToolResult:
		var images []message.Image
		for _, c := range p.Content {
			if img, ok := c.(message.Image); ok {
				images = append(images, img)
			}
		}
		return images
	}
	return nil
}

// picturesOf returns what of an entry can be shown as a picture: its images, or
// the pages that it puts in the place of text.
func picturesOf(store history.Store, draw reclaim.Draw, conversation history.ID, e *history.Entry) []picture {
	var found []picture
	if e.Compaction != nil {
		for i := range e.Compaction.Treatments {
			if t := &e.Compaction.Treatments[i]; t.Pages != nil {
				found = append(found, pagesOf(store, draw, conversation, e, t)...)
			}
		}
		return found
	}
	for _, part := range e.Message.Parts {
		found = append(found, picturesIn(store, part)...)
	}
	return found
}

// picturesIn returns the images of a part that can be shown.
func picturesIn(blobs history.Blobs, part message.Part) []picture {
	var found []picture
	for _, img := range imagesOf(part) {
		if p, ok := pictureOf(blobs, img); ok {
			found = append(found, p)
		}
	}
	return found
}

// pagesOf returns the pages of a treatment. The entries whose text they show are
// read when the first of them is looked at, and once.
func pagesOf(store history.Store, draw reclaim.Draw, conversation history.ID, e *history.Entry, t *history.Treatment) []picture {
	var once sync.Once
	var path []history.Entry
	var failed error
	read := func(ctx context.Context) {
		query := history.PathQuery{Conversation: conversation, Tip: e.ID, Newest: e.Depth - t.From.Depth + 1}
		for entry, err := range store.Path(ctx, query) {
			if err != nil { // without every entry, a page would show other text than the model saw
				failed = err
				return
			}
			path = append(path, entry)
		}
		if len(path) == 0 {
			failed = errors.New("the entries of the page are not there")
		}
	}
	pages := make([]picture, len(t.Pages.Pages))
	for i, p := range t.Pages.Pages {
		pages[i] = picture{
			key:   fmt.Sprintf("%v %v %d", e.ID, t.From, i+1),
			about: fmt.Sprintf("page %d of entries %v–%v, %d×%d pixels", i+1, t.From, t.To, p.Width, p.Height),
			index: p.Index,
			size:  image.Pt(p.Width, p.Height),
			read: func(ctx context.Context) ([]byte, error) {
				if once.Do(func() { read(ctx) }); failed != nil {
					return nil, failed
				}
				return reclaim.PageOf(path, t, i+1, draw)
			},
		}
	}
	return pages
}
