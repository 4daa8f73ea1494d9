package native

import (
	"bytes"
	"encoding/base64"
	"image"
	"net/url"
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
	if inside, ok := strings.CutPrefix(link, "data:"); ok {
		if stated, data, ok := decodeDataURL(inside); ok {
			if mediaType == "" {
				mediaType = stated
			}
			return MediaBytes(mediaType, name, data)
		}
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

// decodeDataURL decodes what follows "data:" (RFC 2397).
func decodeDataURL(inside string) (mediaType string, data []byte, ok bool) {
	head, body, ok := strings.Cut(inside, ",")
	if !ok {
		return "", nil, false
	}
	mediaType, isBase64 := strings.CutSuffix(head, ";base64")
	mediaType, _, _ = strings.Cut(mediaType, ";")
	if !isBase64 {
		text, err := url.PathUnescape(body)
		return mediaType, []byte(text), err == nil
	}
	data, err := Base64(body)
	return mediaType, data, err == nil && len(data) > 0
}

// Base64 decodes the standard or the URL alphabet, padded or not.
func Base64(s string) ([]byte, error) {
	s = strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "").Replace(strings.TrimRight(s, "="))
	return base64.RawStdEncoding.DecodeString(s)
}
