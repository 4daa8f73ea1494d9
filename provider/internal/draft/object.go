package draft

import (
	"bytes"
	"slices"

	"github.com/stemma-history/stemma/internal/rawjson"
)

// An Object is a JSON object that comes in pieces: what it began with, and what
// its members became behind that. Where nothing is added it keeps its bytes.
type Object struct {
	start []byte
	added []member
}

// member is one that pieces make: a text, or JSON.
type member struct {
	name   string
	value  []byte
	isText bool
}

// NewObject returns an object that begins as start, which is copied.
func NewObject(start []byte) *Object { return &Object{start: bytes.Clone(start)} }

// Start returns a member of what the object began with, nil if it is not there.
func (o *Object) Start(name string) []byte { return rawjson.Get(o.start, name) }

// member returns the member of a name that pieces make, and whether it is new.
func (o *Object) member(name string) (m *member, isNew bool) {
	if i := slices.IndexFunc(o.added, func(m member) bool { return m.name == name }); i >= 0 {
		return &o.added[i], false
	}
	o.added = append(o.added, member{name: name})
	return &o.added[len(o.added)-1], true
}

// Grow adds to a text.
func (o *Object) Grow(name, text string) {
	m, isNew := o.member(name)
	if isNew {
		m.value, m.isText = []byte(rawjson.Text(o.Start(name))), true
	}
	m.value = append(m.value, text...)
}

// Append adds an element to a list.
func (o *Object) Append(name string, element []byte) {
	m, isNew := o.member(name)
	if start := o.Start(name); isNew && len(start) > 0 && start[0] == '[' {
		m.value = bytes.Clone(start)
	}
	list := bytes.TrimSuffix(m.value, []byte("]"))
	switch {
	case len(list) == 0:
		list = append(list, '[')
	case list[len(list)-1] != '[':
		list = append(list, ',')
	}
	m.value = append(append(list, element...), ']')
}

// GrowJSON adds to a member that comes as JSON cut into texts. It takes the place
// of what stood there at first.
func (o *Object) GrowJSON(name, piece string) {
	if piece != "" { // the first mostly is, and may be the only one
		m, _ := o.member(name)
		m.value = append(m.value, piece...)
	}
}

// SetText sets a text.
func (o *Object) SetText(name, text string) {
	m, _ := o.member(name)
	m.value, m.isText = []byte(text), true
}

// Set sets a member to JSON.
func (o *Object) Set(name string, json []byte) {
	m, _ := o.member(name)
	m.value, m.isText = bytes.Clone(json), false
}

// JSON returns the object as it would have come in one piece: its members in the
// order in which it began, then those that came later.
func (o *Object) JSON() []byte {
	if len(o.added) == 0 {
		return o.start
	}
	var json []byte
	added := slices.Clone(o.added)
	_ = rawjson.Members(o.start, func(key string, v []byte) error { // valid, as part of an event
		if i := slices.IndexFunc(added, func(m member) bool { return m.name == key }); i >= 0 {
			v = added[i].json()
			added = slices.Delete(added, i, i+1)
		}
		json = rawjson.AppendMember(json, key, v)
		return nil
	})
	for _, m := range added {
		json = rawjson.AppendMember(json, m.name, m.json())
	}
	return json
}

// json returns the value. Pieces that make no JSON are kept as a text.
func (m *member) json() []byte {
	if m.isText || !rawjson.Valid(m.value) {
		return rawjson.AppendString(nil, string(m.value))
	}
	return m.value
}
