package body

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// A Medium is what can be sent of an image or a document.
type Medium struct {
	Type string
	Data []byte // nil where URL says where the bytes are
	URL  string
	Name string
}

// Base64 writes the bytes of a medium.
func (w *Writer) Base64(data []byte) {
	w.JSON = base64.StdEncoding.AppendEncode(w.JSON, data)
}

// readable are the image types whose header this program reads.
var readable = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// Image returns what can be sent of an image to a provider that takes some
// types of them. Where that is nothing, the words say what stands there: empty
// otherwise. An image is sent under the type that its bytes are of: providers
// refuse one that is labelled wrongly.
func (w *Writer) Image(at history.Handle, img message.Image, types []string) (m Medium, words string) {
	m = Medium{Type: img.Type, URL: img.URL, Name: img.Name}
	if isElsewhere(img.Media) {
		return m, ""
	}
	var err error
	if m.Data, err = w.fetch(img.Media); err != nil {
		return m, w.Instead(at, cmp.Or(img.Type, "image")+" "+err.Error())
	}
	m.URL = ""
	width, height := img.WidthPx, img.HeightPx
	if config, format, err := image.DecodeConfig(bytes.NewReader(m.Data)); err == nil {
		m.Type, width, height = "image/"+format, config.Width, config.Height
	} else if slices.Contains(readable, img.Type) {
		return m, w.Instead(at, img.Type+" that cannot be read")
	}
	switch l := w.limits; {
	case !slices.Contains(types, m.Type):
		return m, w.Instead(at, "image of type "+cmp.Or(m.Type, "unknown")+", which this provider does not take")
	case l.ImageBytes > 0 && base64.StdEncoding.EncodedLen(len(m.Data)) > l.ImageBytes:
		return m, w.Instead(at, fmt.Sprintf("%s of %d bytes, more than this provider takes", m.Type, len(m.Data)))
	case l.SidePx > 0 && max(width, height) > l.SidePx:
		return m, w.Instead(at, fmt.Sprintf("%s of %d x %d pixels, more than this provider takes", m.Type, width, height))
	}
	return m, ""
}

// isElsewhere reports whether a medium is known by a URL only. A data URL that
// could not be decoded is none: no provider can either.
func isElsewhere(m message.Media) bool {
	return m.Data == nil && m.Blob.IsZero() && m.URL != "" && !strings.HasPrefix(m.URL, "data:")
}

// Document returns what can be sent of a document, as [Writer.Image] does. Its
// types are those that the provider takes as bytes; every type of text comes
// back as it is, for the wire to send as text.
func (w *Writer) Document(at history.Handle, d message.Document, types []string) (m Medium, words string) {
	m = Medium{Type: d.Type, URL: d.URL, Name: d.Name}
	if isElsewhere(d.Media) {
		return m, ""
	}
	if !slices.Contains(types, d.Type) && !m.IsText() {
		return m, w.Instead(at, "document of type "+cmp.Or(d.Type, "unknown")+", which this provider does not take")
	}
	var err error
	if m.Data, err = w.fetch(d.Media); err != nil {
		return m, w.Instead(at, d.Type+" "+err.Error())
	}
	m.URL = ""
	return m, ""
}

// IsText reports whether a document is text.
func (m Medium) IsText() bool {
	return strings.HasPrefix(m.Type, "text/") || m.Type == "application/json"
}

// Part returns the medium as a part again, with its bytes at hand.
func (m Medium) Part() message.Part {
	media := message.Media{Type: m.Type, Data: m.Data, URL: m.URL, Name: m.Name}
	if strings.HasPrefix(m.Type, "image/") || m.Type == "" {
		return message.Image{Media: media}
	}
	return message.Document{Media: media}
}

// TextOf returns a document of text as words of the conversation, under a line
// that names it.
func (m Medium) TextOf(at history.Handle) string {
	return fmt.Sprintf("[%v: document %s]\n%s", at, cmp.Or(m.Name, m.Type), m.Data)
}

// Unfetched returns the words in place of a medium that is known by a URL only,
// for a provider that does not fetch it.
func (w *Writer) Unfetched(at history.Handle, kind string, m Medium) string {
	return w.Instead(at, kind+" at "+m.URL+", which this provider does not fetch")
}

var (
	errNotKept = errors.New("whose bytes were not kept")
	errEmpty   = errors.New("of no bytes")
)

// fetch returns the bytes of a medium. A store that cannot give them fails the
// request; bytes that were never there do not.
func (w *Writer) fetch(m message.Media) ([]byte, error) {
	data := m.Data
	if data == nil && !m.Blob.IsZero() && w.Request.Blob != nil {
		blob, err := w.Request.Blob(m.Blob)
		if err != nil && w.err == nil {
			w.err = err
		}
		data = blob.Data
	}
	switch {
	case data == nil:
		return nil, errNotKept
	case len(data) == 0:
		return nil, errEmpty
	}
	return data, nil
}

// Instead returns the words that stand for something that cannot be sent, and
// notes it.
func (w *Writer) Instead(at history.Handle, what string) string {
	w.Note(at, what)
	return fmt.Sprintf("[%v: %s]", at, what)
}
