package native

import (
	"maps"
	"slices"

	"github.com/stemma-history/stemma/internal/rawjson"
)

// An Object has the members of a JSON object as they stand in it. Of a key that
// stands twice the last member counts, as it does for JSON.parse.
type Object map[string][]byte

// ReadObject returns the members of the object that data is.
func ReadObject(data []byte) (Object, error) {
	o := Object{}
	err := rawjson.Members(data, func(key string, value []byte) error {
		o[key] = value
		return nil
	})
	return o, err
}

// Raw returns a member as it stands, nil where it is missing or null. More keys
// lead into nested objects.
func (o Object) Raw(key string, keys ...string) []byte {
	value := o[key]
	for _, k := range keys {
		value = rawjson.Get(value, k)
	}
	if rawjson.IsNull(value) {
		return nil
	}
	return value
}

// Text returns a member that is a string, else "".
func (o Object) Text(key string, keys ...string) string { return rawjson.Text(o.Raw(key, keys...)) }

// Int returns a member that is a number, truncated, else 0.
func (o Object) Int(key string, keys ...string) int64 { return rawjson.Int(o.Raw(key, keys...)) }

// Bool reports whether a member is true.
func (o Object) Bool(key string, keys ...string) bool { return rawjson.Bool(o.Raw(key, keys...)) }

// Elements returns the elements of a member that is an array; what stands
// before a damage is returned with the error.
func (o Object) Elements(key string) (elements [][]byte, err error) {
	value := o.Raw(key)
	if value == nil {
		return nil, nil
	}
	err = rawjson.Elements(value, func(v []byte) error {
		elements = append(elements, v)
		return nil
	})
	return elements, err
}

// JSON returns the object with its members in order of their names, each value
// as it stands.
func (o Object) JSON() []byte {
	out := []byte{'{'}
	for i, key := range slices.Sorted(maps.Keys(o)) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(rawjson.AppendString(out, key), ':')
		out = append(out, o[key]...)
	}
	return append(out, '}')
}
