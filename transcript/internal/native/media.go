package native

import (
	"bytes"
	"cmp"
	"image"
	"strings"

	"github.com/stemma-history/stemma/message"
)

// MediaBytes returns bytes as an image or a document, by their media type, or by
// themselves where that is not known.
func MediaBytes(mediaType, name string, data []byte) message.Content {
	if mediaType == "" {
		if _, format, err := image.DecodeConfig(bytes.NewReader(data)); err == nil {
			mediaType = "image/" + format
		}
	}
	if isImage(mediaType) {
		img := message.NewImage(mediaType, data)
		img.Name = name
		return img
	}
	return message.Document{Media: message.Media{Type: mediaType, Data: data, Size: int64(len(data)), Name: name}}
}

// MediaURL returns what a URL stands for as an image or a document. The bytes
// of a data: URL are taken out of it.
func MediaURL(mediaType, name, link string) message.Content {
	if stated, data, ok := message.DataURL(link); ok {
		return MediaBytes(cmp.Or(mediaType, stated), name, data)
	}
	media := message.Media{Type: mediaType, URL: link, Name: name}
	if isImage(mediaType) {
		return message.Image{Media: media}
	}
	return message.Document{Media: media}
}

// ImageURL returns what a URL stands for that is known to be of an image.
func ImageURL(link string) message.Content {
	if strings.HasPrefix(link, "data:") {
		return MediaURL("", "", link)
	}
	return message.Image{Media: message.Media{URL: link}}
}

func isImage(mediaType string) bool { return strings.HasPrefix(mediaType, "image/") }
