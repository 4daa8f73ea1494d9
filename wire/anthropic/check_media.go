package anthropic

import (
	"slices"

	"github.com/stemma-history/stemma/wire/internal/verdict"
)

// source is where the bytes of an image or a document are.
type source struct {
	kind, mediaType, data []byte
}

func (c *checker) source() source {
	var s source
	if c.r.Kind() != '{' {
		c.r.Value() // search results name theirs with a string
		return s
	}
	c.r.Object(func(key []byte) {
		switch string(key) {
		case "type":
			s.kind = c.r.Value()
		case "media_type":
			s.mediaType = c.r.Value()
		case "data":
			s.data = c.r.Value()
		}
	})
	return s
}

// media counts images and documents, and keeps what the rules for many of them
// need. A document counts as one page: its header does not say more.
type media struct {
	images, documents int
	large             []string // places of images that many-image requests may not have
}

func (c *checker) medium(b *block, at func() string) {
	if b.is("document") {
		c.done.media.documents++
		return
	}
	c.done.media.images++
	if string(b.source.kind) != `"base64"` {
		return
	}
	mediaType, data := string(verdict.Inside(b.source.mediaType)), verdict.Inside(b.source.data)
	path := func() string { return at() + ".image.source.base64" }
	if !slices.Contains(imageTypes(), mediaType) {
		c.refuse(stageMedia, "%s.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'", path())
		return
	}
	if len(data) == 0 {
		c.refuse(stageMedia, "%s: image cannot be empty", path())
		return
	}
	if !verdict.IsBase64(data) {
		c.refuse(stageMedia, "%s: invalid base64 data", path())
		return
	}
	if most := c.limits.ImageBytes; most > 0 && len(data) > most {
		c.refuse(stageMedia, "%s: image exceeds %d MB maximum: %d bytes > %d bytes", path(), most>>20, len(data), most)
	}
	c.header(verdict.ReadImage(data), mediaType, path)
}

// header checks an image's type and its sides.
func (c *checker) header(img verdict.Image, mediaType string, path func() string) {
	switch {
	case img.Type == "":
		c.refuse(stageMedia, "Could not process image")
		return
	case img.Type != mediaType:
		c.refuse(stageMedia, "%s.data: Image does not match the provided media type %s", path(), mediaType)
	}
	side := max(img.WidthPx, img.HeightPx)
	if most := c.limits.SidePx; most > 0 && side > most && c.stages.Open(stageMedia) {
		r := refusal("%s.data: At least one of the image dimensions exceed max allowed size: %d pixels", path(), most)
		r.Code = "image_dimensions_too_large"
		c.stages.Add(stageMedia, r)
	}
	if most := c.limits.ManySidePx; most > 0 && side > most {
		c.done.media.large = append(c.done.media.large, path())
	}
}

// concludeMedia checks what only the whole request shows.
func (c *checker) concludeMedia() {
	m, l := &c.done.media, c.limits
	if l.ManyImages > 0 && m.images > l.ManyImages && len(m.large) > 0 {
		c.refuse(stageMedia, "%s.data: At least one of the image dimensions exceed max allowed size for many-image requests: %d pixels", m.large[0], l.ManySidePx)
	}
	if l.Media > 0 && m.images+m.documents > l.Media {
		c.refuse(stageMedia, "Too much media: %d document pages + %d images > %d", m.documents, m.images, l.Media)
	}
}
