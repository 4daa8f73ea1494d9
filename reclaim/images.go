package reclaim

import (
	"fmt"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/snapshot"
)

// newestImages are never dropped: what the work is about now is often on them.
const newestImages = 3

// Reader is what a model can take besides text.
type Reader struct {
	Sees bool // it reads images
	// MaxImages and MaxImageBytes limit one request; 0 is no limit. Bytes are
	// those of the files, before base64.
	MaxImages     int
	MaxImageBytes int64
	// Shape is that of pages the model can read; the zero Shape where it reads
	// none.
	Shape snapshot.Shape
}

// picture is a part that is an image or a document, or a result with some.
type picture struct {
	entry, part int
	count       int
	bytes       int64
}

// dropImages takes old images and documents out of the view, the oldest first,
// until the view is within the target and the limits of the reader; a blind
// model is shown none at all.
func dropImages(d *draft, z zones) Step {
	step := Step{Rung: Images, Before: d.tokens()}
	pictures := picturesOf(d)
	count, bytes := 0, int64(0)
	for _, p := range pictures {
		count, bytes = count+p.count, bytes+p.bytes
	}
	reader := d.problem.Reader
	for i, p := range pictures {
		over := reader.MaxImages > 0 && count > reader.MaxImages || reader.MaxImageBytes > 0 && bytes > reader.MaxImageBytes
		protected := i >= len(pictures)-newestImages || p.entry >= z.tail
		if !(over || !reader.Sees || d.tokens() > d.problem.Budget.Target && !protected) {
			continue
		}
		d.dropImage(p)
		count, bytes = count-p.count, bytes-p.bytes
		step.Items += p.count
	}
	step.After = d.tokens()
	step.Applied = step.Items > 0
	step.Why = "old images and documents"
	switch {
	case !step.Applied && len(pictures) == 0:
		step.Why = "the view has no images"
	case !step.Applied:
		step.Why = "not needed, or only the newest are left"
	case !reader.Sees:
		step.Why = "the model reads no images"
	}
	return step
}

func picturesOf(d *draft) []picture {
	var list []picture
	for i := range d.entries {
		if !d.free(i) {
			continue
		}
		for j, p := range d.message(i).Parts {
			if !d.freePart(i, j) {
				continue
			}
			pic := picture{entry: i, part: j}
			for media := range mediaOf(p) {
				pic.count++
				pic.bytes += max(media.Size, int64(len(media.Data)))
			}
			if pic.count > 0 {
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

// mediaOf yields the images and documents of a part.
func mediaOf(p message.Part) func(yield func(message.Media) bool) {
	return func(yield func(message.Media) bool) {
		switch p := p.(type) {
		case message.Image:
			yield(p.Media)
		case message.Document:
			yield(p.Media)
		case message.ToolResult:
			for _, c := range p.Content {
				switch c := c.(type) {
				case message.Image:
					if !yield(c.Media) {
						return
					}
				case message.Document:
					if !yield(c.Media) {
						return
					}
				}
			}
		}
	}
}
