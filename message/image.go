package message

import (
	"bytes"
	"encoding/base64"
	"image"
	_ "image/gif"  // sizes of GIF, JPEG, PNG and WebP images
	_ "image/jpeg" //
	_ "image/png"  //
	"net/url"
	"strings"

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

// DataURL returns what a data: URL holds (RFC 2397), its bytes in base64 of the
// standard or the URL alphabet or with percent escapes. ok is false for any
// other URL, and where nothing is in it.
func DataURL(link string) (mediaType string, data []byte, ok bool) {
	head, body, ok := strings.Cut(link, ",")
	if ok {
		head, ok = strings.CutPrefix(head, "data:")
	}
	if !ok {
		return "", nil, false
	}
	head, isBase64 := strings.CutSuffix(head, ";base64")
	mediaType, _, _ = strings.Cut(head, ";")
	var err error
	if isBase64 {
		data, err = Base64(body)
	} else {
		var text string
		text, err = url.PathUnescape(body)
		data = []byte(text)
	}
	return mediaType, data, err == nil && len(data) > 0
}

// Base64 decodes the standard or the URL alphabet, padded or not, broken into
// lines or not.
func Base64(s string) ([]byte, error) {
	s = strings.TrimRight(s, "=\r\n")
	if strings.ContainsAny(s, "-_") {
		return base64.RawURLEncoding.DecodeString(s)
	}
	return base64.RawStdEncoding.DecodeString(s)
}
