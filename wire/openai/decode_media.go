package openai

import (
	"encoding/base64"
	"strings"

	"github.com/stemma-history/stemma/message"
)

// decodeURL reads where the bytes of a medium are: in a data URL, or elsewhere.
// A URL that holds them in another way is kept as it is.
func decodeURL(url string) message.Media {
	inside, ok := strings.CutPrefix(url, "data:")
	if !ok {
		return message.Media{URL: url}
	}
	head, body, _ := strings.Cut(inside, ",")
	mediaType, ok := strings.CutSuffix(head, ";base64")
	data, err := base64.StdEncoding.DecodeString(body)
	if !ok || err != nil || len(data) == 0 {
		return message.Media{URL: url}
	}
	mediaType, _, _ = strings.Cut(mediaType, ";")
	return message.Media{Type: mediaType, Data: data, Size: int64(len(data))}
}

func decodeImage(url string) message.Part {
	m := decodeURL(url)
	if m.Data != nil {
		return message.NewImage(m.Type, m.Data)
	}
	return message.Image{Media: m}
}

// decodeFile reads a file part: data, a URL, or what only the provider has,
// which is for an opaque part to keep.
func decodeFile(data, url, name string) (message.Part, bool) {
	if data != "" {
		url = data
	}
	if url == "" {
		return nil, false
	}
	m := decodeURL(url)
	m.Name = name
	return message.Document{Media: m}, true
}
