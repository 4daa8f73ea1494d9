package message

import (
	"bytes"
	"image"
	_ "image/gif"  // sizes of GIF, JPEG, PNG and WebP images
	_ "image/jpeg" //
	_ "image/png"  //

	_ "golang.org/x/image/webp"
)

// NewImage returns an image with the size that its header states, as far as
// it is a GIF, JPEG, PNG or WebP.
func NewImage(mediaType string, data []byte) Image {
	img := Image{Media: Media{Type: mediaType, Data: data, Size: int64(len(data))}}
	if config, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil {
		img.WidthPx, img.HeightPx = config.Width, config.Height
	}
	return img
}
