package openai

import (
	"cmp"
	"slices"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/provider/internal/draft"
)

// details are the thinking of an answer as OpenRouter gives it, and others after
// its fashion: texts, summaries and hidden pieces, with what the model behind
// the server has signed. The list is wanted back as it was. (OpenRouter's
// documentation of reasoning_details, 2026.)
type details struct{ list []detail }

// detail is a piece of thinking that is coming in.
type detail struct {
	kind, index, id string
	object          *draft.Object
}

// add takes the pieces of one event, and returns the text in them.
func (d *details) add(pieces []byte) (text string, err error) {
	err = rawjson.Elements(pieces, func(piece []byte) error {
		text += d.piece(piece)
		return nil
	})
	return text, err
}

func (d *details) piece(piece []byte) (text string) {
	p := detail{kind: rawjson.Text(rawjson.Get(piece, "type")), index: string(rawjson.Get(piece, "index")), id: rawjson.Text(rawjson.Get(piece, "id"))}
	shown := p.shown()
	if shown != "" {
		text = rawjson.Text(rawjson.Get(piece, shown))
	}
	if n := len(d.list); n > 0 && shown != "" && d.list[n-1].goesOn(p) {
		d.list[n-1].grow(piece, shown)
		d.list[n-1].id = cmp.Or(p.id, d.list[n-1].id)
		return text
	}
	p.object = draft.NewObject(piece)
	d.list = append(d.list, p)
	return text
}

// shown is the member that people may read; that of a hidden piece is none, and
// such a piece comes whole.
func (d *detail) shown() string {
	switch d.kind {
	case "reasoning.text":
		return "text"
	case "reasoning.summary":
		return "summary"
	}
	return ""
}

func (d *detail) goesOn(with detail) bool {
	return d.kind == with.kind && d.index == with.index && (d.id == with.id || d.id == "" || with.id == "")
}

// grow adds a piece: to the text, and what else has come to be known, as the
// signature at the end.
func (d *detail) grow(piece []byte, shown string) {
	_ = rawjson.Members(piece, func(key string, v []byte) error { // valid, as part of an event
		switch {
		case rawjson.IsNull(v) || slices.Contains([]string{"type", "index"}, key):
		case key == shown:
			d.object.Grow(key, rawjson.Text(v))
		default:
			d.object.Set(key, v)
		}
		return nil
	})
}

// json returns the list.
func (d *details) json() []byte {
	json := []byte{'['}
	for i, one := range d.list {
		if i > 0 {
			json = append(json, ',')
		}
		json = append(json, one.object.JSON()...)
	}
	return append(json, ']')
}
