package message

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
)

// Decode reads a body that [Encode] wrote. The message keeps slices of body.
// fetch returns the bytes of a blob; it is called for the text of large
// results only, since images and documents stay in the store until someone
// wants to see them.
func Decode(body []byte, fetch func(Hash) ([]byte, error)) (Message, error) {
	var m Message
	d := decoder{fetch: fetch}
	err := d.members(body, func(key string, f field) error {
		switch key {
		case "role":
			m.Role = Role(f.text)
		case "author":
			m.Author = Author(f.text)
		case "wire":
			m.Wire = f.text
		case "model":
			m.Model = f.text
		case "stop":
			m.Stop = Stop(f.text)
		case "settled":
			m.Settled = rawjson.Bool(f.raw)
		case "parts":
			return rawjson.Elements(f.raw, func(v []byte) error {
				p, err := d.part(v)
				if err != nil {
					return fmt.Errorf("part %d: %w", len(m.Parts)+1, err)
				}
				m.Parts = append(m.Parts, p)
				return nil
			})
		}
		return nil
	})
	if err != nil {
		return Message{}, fmt.Errorf("message body: %w", err)
	}
	switch m.Role {
	case User, Assistant, Tool:
		return m, nil
	}
	return Message{}, fmt.Errorf("message body: role is %q, expected user, assistant or tool", m.Role)
}

type decoder struct {
	fetch func(Hash) ([]byte, error)
}

// field is one member: its raw value, and its text where it is a string.
type field struct {
	raw  []byte
	text string
}

// members walks an object whose names may carry the endings of [encoder.text]
// and [encoder.raw], and gives f the plain name.
func (d decoder) members(object []byte, f func(key string, v field) error) error {
	return rawjson.Members(object, func(key string, value []byte) error {
		v := field{raw: value}
		if value[0] == '"' {
			var err error
			if v.text, err = rawjson.String(value); err != nil {
				return err
			}
		}
		if name, ok := strings.CutSuffix(key, "_base64"); ok {
			data, err := base64.StdEncoding.DecodeString(v.text)
			if err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			key, v.text = name, string(data)
		}
		if name, ok := strings.CutSuffix(key, "_text"); ok {
			key, v.raw = name, []byte(v.text)
		}
		return f(key, v)
	})
}

// part reads all members a part may have, then builds the one it is.
func (d decoder) part(object []byte) (Part, error) {
	var kind, text, signature, extra, data, id, name, call, outcome, format string
	var raw, arguments, content, pieces []byte
	var media Media
	var width, height int
	var uneventful bool
	err := d.members(object, func(key string, f field) (err error) {
		switch key {
		case "type":
			kind = f.text
		case "text":
			text = f.text
		case "signature":
			signature = f.text
		case "extra":
			extra = string(f.raw)
		case "data":
			data = f.text
		case "id":
			id = f.text
		case "name":
			name = f.text
		case "call":
			call = f.text
		case "outcome":
			outcome = f.text
		case "uneventful":
			uneventful = rawjson.Bool(f.raw)
		case "format":
			format = f.text
		case "raw":
			raw = f.raw
		case "arguments":
			arguments = f.raw
		case "content":
			content = f.raw
		case "media_type":
			media.Type = f.text
		case "blob":
			err = media.Blob.UnmarshalText([]byte(f.text))
		case "blobs":
			pieces = f.raw
		case "url":
			media.URL = f.text
		case "size":
			media.Size = rawjson.Int(f.raw)
		case "width":
			width = int(rawjson.Int(f.raw))
		case "height":
			height = int(rawjson.Int(f.raw))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	media.Name = name
	switch kind {
	case "text":
		switch {
		case pieces != nil:
			text, err = d.pieces(pieces)
		case !media.Blob.IsZero():
			text, err = d.largeText(media.Blob)
		}
		return Text{Text: text, Signature: signature, Extra: extra}, err
	case "thinking":
		return Thinking{Text: text, Signature: signature, Raw: raw}, nil
	case "redacted_thinking":
		return RedactedThinking{Data: data}, nil
	case "tool_call":
		return ToolCall{ID: id, Name: name, Arguments: arguments, Signature: signature, Extra: extra}, nil
	case "tool_result":
		r := ToolResult{CallID: call, Name: name, Outcome: Outcome(outcome), Uneventful: uneventful}
		r.Content, err = d.content(content)
		return r, err
	case "image":
		return Image{Media: media, WidthPx: width, HeightPx: height}, nil
	case "document":
		return Document{Media: media}, nil
	case "opaque":
		return Opaque{Format: format, Raw: raw}, nil
	}
	return nil, fmt.Errorf("type %q is not known to this version", kind)
}

func (d decoder) content(array []byte) (parts []Content, err error) {
	if rawjson.IsNull(array) {
		return nil, nil
	}
	err = rawjson.Elements(array, func(v []byte) error {
		p, err := d.part(v)
		if err != nil {
			return fmt.Errorf("content %d: %w", len(parts)+1, err)
		}
		c, ok := p.(Content)
		if !ok {
			return fmt.Errorf("content %d: %T cannot stand in a tool result", len(parts)+1, p)
		}
		parts = append(parts, c)
		return nil
	})
	return parts, err
}

// pieces joins a text that is several blobs.
func (d decoder) pieces(hashes []byte) (string, error) {
	var text strings.Builder
	err := rawjson.Elements(hashes, func(v []byte) error {
		var hash Hash
		if err := hash.UnmarshalText([]byte(rawjson.Text(v))); err != nil {
			return err
		}
		piece, err := d.blob(hash)
		text.Write(piece)
		return err
	})
	return text.String(), err
}

func (d decoder) largeText(hash Hash) (string, error) {
	data, err := d.blob(hash)
	return string(data), err
}

// blob returns the bytes of a text.
func (d decoder) blob(hash Hash) ([]byte, error) {
	if d.fetch == nil {
		return nil, fmt.Errorf("the text is blob %v, and no way to fetch it was given", hash)
	}
	data, err := d.fetch(hash)
	if err != nil {
		return nil, fmt.Errorf("text: %w", err)
	}
	return data, nil
}
