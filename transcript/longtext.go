package transcript

import (
	"bytes"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
)

// standIn stands for a long text while the object that it is of is decoded.
const standIn = "~ a long text of a transcript ~"

// DecodeMessage decodes a message from an object. What makes an object very long
// is mostly one text, such as a dump that a tool returned; it is kept out of the
// decoding, which has to take texts as they stand, and then takes the object's
// memory instead of as much again. So the object must not be used any more,
// except after an error.
func DecodeMessage(object []byte, decode func([]byte) (message.Message, error)) (message.Message, error) {
	if len(object) < long {
		return decode(object)
	}
	return decodeLong(object, decode)
}

func decodeLong(object []byte, decode func([]byte) (message.Message, error)) (message.Message, error) {
	token := rawjson.AppendString(nil, standIn)
	before, text, after := cutLongest(object)
	if len(text) > len(token) && !bytes.Contains(object, token) {
		m, err := decode(bytes.Join([][]byte{before, after}, token))
		if place := onlyStandIn(&m); err == nil && place != nil {
			place(rawjson.Take(text))
			return m, nil
		}
	}
	return decode(object) // the text stands inside of a part, or in several
}

// cutLongest returns the longest string of an object, and what stands around it.
func cutLongest(object []byte) (before, text, after []byte) {
	for at := 0; ; {
		next := bytes.IndexByte(object[at:], '"')
		if next < 0 {
			return before, text, after
		}
		at += next
		value, rest, err := rawjson.First(object[at:])
		if err != nil {
			return before, text, after
		}
		if len(value) > len(text) {
			before, text, after = object[:at], value, rest
		}
		at += len(value)
	}
}

// onlyStandIn returns how to put a text where the stand-in is in a message. It is
// nil where that is not in exactly one place.
func onlyStandIn(m *message.Message) (place func(text string)) {
	found := 0
	for i, p := range m.Parts {
		switch p := p.(type) {
		case message.Text:
			if p.Text == standIn {
				found++
				place = func(text string) { p.Text = text; m.Parts[i] = p }
			}
		case message.ToolResult:
			for j, c := range p.Content {
				if t, ok := c.(message.Text); ok && t.Text == standIn {
					found++
					place = func(text string) { t.Text = text; p.Content[j] = t }
				}
			}
		}
	}
	if found != 1 {
		return nil
	}
	return place
}
