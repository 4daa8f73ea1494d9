package providertest

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// An object is written with its members in the order of their names, so that
// the same answer is the same bytes.
type object = map[string]any

type list = []any

// raw is JSON as it stands.
type raw = json.RawMessage

// encode returns a value as JSON, with characters as they are.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("providertest: an answer that is no JSON: %v", err)) // a script's raw part
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
