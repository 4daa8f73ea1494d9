package openai

import "github.com/stemma-history/stemma/message"

// decodeURL reads where the bytes of a medium are: in a data URL, or elsewhere.
func decodeURL(url string) message.Media {
	if mediaType, data, ok := message.DataURL(url); ok {
		return message.Media{Type: mediaType, Data: data, Size: int64(len(data))}
	}
	return message.Media{URL: url}
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
