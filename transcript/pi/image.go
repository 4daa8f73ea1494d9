package pi

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/stemma-history/stemma/message"
)

// image reads an image. oh-my-pi keeps the bytes of large ones in files named
// by their hash.
func (r *reader) image(mediaType, data string) message.Part {
	if hash, ok := strings.CutPrefix(data, "blob:sha256:"); ok {
		if bytes, ok := r.blob(hash); ok {
			return message.NewImage(mediaType, bytes)
		}
		return message.Image{Media: message.Media{Type: mediaType, URL: data}}
	}
	bytes, err := message.Base64(data)
	if err != nil || len(bytes) == 0 {
		return message.Image{Media: message.Media{Type: mediaType, URL: data}}
	}
	return message.NewImage(mediaType, bytes)
}

// blob looks for bytes near the session's file: beside it, or in the agent's
// folder two above it. The hash tells whether they are the right ones.
func (r *reader) blob(hash string) ([]byte, bool) {
	var want message.Hash
	if want.UnmarshalText([]byte(hash)) != nil || r.file.Path == "" {
		return nil, false
	}
	dir := filepath.Dir(r.file.Path)
	for _, folder := range []string{filepath.Join(dir, "blobs"), filepath.Join(dir, "..", "..", "blobs"), dir} {
		data, err := os.ReadFile(filepath.Join(folder, hash))
		if err == nil && message.HashOf(data) == want {
			return data, true
		}
	}
	return nil, false
}
