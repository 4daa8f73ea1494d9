package verdict

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/gif"  // the headers of GIF, JPEG, PNG and WebP images
	_ "image/jpeg" //
	_ "image/png"  //
	"strings"
	"unicode/utf8"

	_ "golang.org/x/image/webp"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/wire"
)

// maxStages is how many stages a provider may check in.
const maxStages = 12

// Stages collects refusals. A provider checks the whole body for one kind of
// fault before it looks for the next; a checker that reads the body once
// reports the first fault of the earliest kind.
type Stages struct {
	first [maxStages]*wire.Refusal
}

// Open reports whether nothing has been refused at a stage yet.
func (s *Stages) Open(stage int) bool { return s.first[stage] == nil }

// Add refuses at a stage, unless something was refused there before.
func (s *Stages) Add(stage int, r *wire.Refusal) {
	if s.first[stage] == nil {
		s.first[stage] = r
	}
}

// First returns the refusal of the earliest stage, nil if there is none.
func (s *Stages) First() *wire.Refusal {
	for _, r := range s.first {
		if r != nil {
			return r
		}
	}
	return nil
}

// unreadable looks at a body from offset on.
func unreadable(body []byte, offset int, end error) string {
	if end != nil {
		return end.Error()
	}
	if !utf8.Valid(body[offset:]) {
		return "invalid UTF-8"
	}
	if at := rawjson.LoneSurrogate(body[offset:]); at >= 0 {
		at += offset
		return fmt.Sprintf("no low surrogate in string: line 1 column %d (char %d)", at+1, at)
	}
	return ""
}

// Image is what an image's header says.
type Image struct {
	Type              string // media type, empty if it cannot be read
	WidthPx, HeightPx int
}

// ReadImage reads the header of an image in base64, decoding no more than that.
func ReadImage(encoded []byte) Image {
	config, format, err := image.DecodeConfig(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(encoded)))
	if err != nil {
		return Image{}
	}
	return Image{Type: "image/" + format, WidthPx: config.Width, HeightPx: config.Height}
}

// IsBase64 reports whether data is base64, of the standard or the URL alphabet,
// with or without padding.
func IsBase64(data []byte) bool {
	for range 2 {
		data = bytes.TrimSuffix(data, []byte("="))
	}
	encoding := base64.RawStdEncoding
	if bytes.ContainsAny(data[:min(len(data), 256)], "-_") {
		encoding = base64.RawURLEncoding
	}
	const chunk = 4 << 10
	var scratch [chunk / 4 * 3]byte
	for len(data) > chunk {
		if _, err := encoding.Decode(scratch[:], data[:chunk]); err != nil {
			return false
		}
		data = data[chunk:]
	}
	_, err := encoding.Decode(scratch[:], data)
	return err == nil
}

// Inside returns what stands between the quotes of a JSON string, decoded where
// it has escapes.
func Inside(value []byte) []byte {
	if len(value) < 2 || value[0] != '"' {
		return nil
	}
	inside := value[1 : len(value)-1]
	if bytes.IndexByte(inside, '\\') >= 0 {
		return []byte(rawjson.Text(value))
	}
	return inside
}

// Blank reports whether a JSON string is empty, and whether it is only space.
// Most strings begin with a letter, and are not decoded.
func Blank(value []byte) (empty, blank bool) {
	if len(value) <= 2 {
		return true, true
	}
	switch c := value[1]; {
	case c > ' ' && c != '\\' && c < 0x80:
		return false, false
	default:
		return false, strings.TrimSpace(rawjson.Text(value)) == ""
	}
}

// DataURL splits a data URL of base64 into media type and data.
func DataURL(url []byte) (mediaType string, data []byte, ok bool) {
	rest, ok := bytes.CutPrefix(url, []byte("data:"))
	if !ok {
		return "", nil, false
	}
	head, data, ok := bytes.Cut(rest, []byte(","))
	mediaType, ok2 := strings.CutSuffix(string(head), ";base64")
	return mediaType, data, ok && ok2
}
