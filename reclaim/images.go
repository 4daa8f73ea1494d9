package reclaim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/snapshot"
)

// newestImages are never dropped: what the work is about now is often on them.
const newestImages = 3

// Reader is what a model can take besides text. The zero Reader is blind.
type Reader struct {
	Sees bool // it reads images
	// MaxImages and MaxImageBytes limit one request; 0 is no limit. Bytes are
	// those of the files, before base64.
	MaxImages     int
	MaxImageBytes int64
	// MaxFileBytes limits each image. 0 is no limit.
	MaxFileBytes int64
	// MaxEdgePx limits the sides of an image; where a request has more than
	// ManyImages, ManyEdgePx does. 0 is no limit.
	MaxEdgePx, ManyImages, ManyEdgePx int
	// Shape is that of pages the model can read; the zero Shape where it reads
	// none.
	Shape snapshot.Shape
}

// picture is a part that is an image or a document, or a result with some.
type picture struct {
	entry, part int
	count       int
	bytes       int64
	largest     int64 // bytes of the largest
	edgePx      int   // the longest side of any
	pinned      bool
}

// pictureOf looks for images and documents in a part.
func pictureOf(p message.Part) (pic picture) {
	switch p := p.(type) {
	case message.Image:
		pic.add(p.Media, max(p.WidthPx, p.HeightPx))
	case message.Document:
		pic.add(p.Media, 0)
	case message.ToolResult:
		for _, c := range p.Content {
			switch c := c.(type) {
			case message.Image:
				pic.add(c.Media, max(c.WidthPx, c.HeightPx))
			case message.Document:
				pic.add(c.Media, 0)
			}
		}
	}
	return pic
}

func (pic *picture) add(m message.Media, edgePx int) {
	size := max(m.Size, int64(len(m.Data)))
	pic.count++
	pic.bytes += size
	pic.largest = max(pic.largest, size)
	pic.edgePx = max(pic.edgePx, edgePx)
}

// dropImages takes old images and documents out of the view, the oldest first,
// until the view is within the target; what the provider would refuse goes
// first, whatever its age.
func dropImages(d *draft, z zones) Step {
	step := Step{Rung: Images, Before: d.tokens(), Why: "old images and documents"}
	if step.Items = refused(d); step.Items > 0 {
		step.Why = "images that the model does not take, and old ones"
	}
	pictures := picturesOf(d)
	for _, p := range pictures[:max(len(pictures)-newestImages, 0)] {
		if p.entry >= z.tail || d.tokens() <= d.problem.Budget.Target {
			break
		}
		if p.pinned {
			continue
		}
		d.dropImage(p)
		step.Items += p.count
	}
	step.After = d.tokens()
	if step.Applied = step.Items > 0; !step.Applied {
		step.Why = "not needed, or only the newest are left"
		if len(pictures) == 0 {
			step.Why = "the view has no images"
		}
	}
	return step
}

// refused drops what the provider would refuse: every image where the model is
// blind, images that are too large, and the oldest of too many, those of pinned
// entries last. It returns how many.
func refused(d *draft) int {
	reader := d.problem.Reader
	pictures := picturesOf(d)
	slices.SortStableFunc(pictures, func(a, b picture) int {
		switch {
		case a.pinned == b.pinned:
			return 0
		case b.pinned:
			return -1
		}
		return 1
	})
	count, bytes := mediaOf(d, pictures)
	edge := reader.MaxEdgePx
	if reader.ManyImages > 0 && count > reader.ManyImages {
		edge = reader.ManyEdgePx
	}
	dropped := 0
	for _, p := range pictures {
		tooMany := reader.MaxImages > 0 && count > reader.MaxImages || reader.MaxImageBytes > 0 && bytes > reader.MaxImageBytes
		tooLarge := edge > 0 && p.edgePx > edge || reader.MaxFileBytes > 0 && p.largest > reader.MaxFileBytes
		if !reader.Sees || tooLarge || tooMany {
			d.dropImage(p)
			dropped += p.count
			count, bytes = count-p.count, bytes-p.bytes
		}
	}
	return dropped
}

// pagesIn counts the pages in a draft and about how large they are.
func pagesIn(d *draft) (count int, bytes int64) {
	for i := range d.entries {
		if e := &d.entries[i]; e.first && e.cover.As == history.AsPages {
			pages := e.cover.Pages.Pages
			count += len(pages)
			bytes += pngSize(endOf(pages))
		}
	}
	return count, bytes
}

// pngSize is about how many bytes the image of a text of that many has.
func pngSize(text int64) int64 { return int64(float64(text) * snapshot.BytesPerCell) }

func picturesOf(d *draft) []picture {
	var list []picture
	for i := range d.entries {
		e := &d.entries[i]
		if len(e.parts) == 0 || e.cover != nil {
			continue
		}
		for j, p := range d.message(i).Parts {
			if e.parts[j] != nil {
				continue
			}
			if pic := pictureOf(p); pic.count > 0 {
				pic.entry, pic.part, pic.pinned = i, j, d.pinned[d.problem.Path[i].ID]
				list = append(list, pic)
			}
		}
	}
	return list
}

// dropImage puts a line in the place of each image of a part.
func (d *draft) dropImage(p picture) {
	at := history.Handle{Depth: d.problem.Path[p.entry].Depth, Part: p.part + 1}
	part := d.message(p.entry).Parts[p.part]
	var lines []string
	switch part := part.(type) {
	case message.Image:
		lines = append(lines, imageLine(part, at))
	case message.Document:
		lines = append(lines, documentLine(part, at))
	case message.ToolResult:
		for _, c := range part.Content {
			switch c := c.(type) {
			case message.Image:
				lines = append(lines, imageLine(c, at))
			case message.Document:
				lines = append(lines, documentLine(c, at))
			}
		}
	}
	d.treat(history.Treatment{From: at, To: at, As: history.AsImages, Text: strings.Join(lines, "\n")})
}

func imageLine(img message.Image, at history.Handle) string {
	size := ""
	if img.WidthPx > 0 {
		size = fmt.Sprintf(", %d x %d pixels", img.WidthPx, img.HeightPx)
	}
	return fmt.Sprintf("[%s%s%s: seen before, taken out of the view. To get it back: recall %v]", mediaType(img.Media), named(img.Media), size, at)
}

func documentLine(doc message.Document, at history.Handle) string {
	return fmt.Sprintf("[%s%s: read before, taken out of the view. To get it back: recall %v]", mediaType(doc.Media), named(doc.Media), at)
}

func mediaType(m message.Media) string {
	if m.Type == "" {
		return "image"
	}
	return m.Type
}

func named(m message.Media) string {
	if m.Name == "" {
		return ""
	}
	return " " + strings.Join(strings.Fields(m.Name), " ")
}
