package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// decode reads the arguments of a call into a struct. Members that the tool
// does not know are ignored: models add some. The error is for the model.
func decode[T any](arguments json.RawMessage) (T, error) {
	var v T
	if len(bytes.TrimSpace(arguments)) == 0 {
		arguments = json.RawMessage("{}")
	}
	err := json.Unmarshal(arguments, &v)
	if err == nil {
		err = unambiguous(arguments)
	}
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return v, fmt.Errorf("argument %q is a %s: expected %s", wrong.Field, wrong.Value, wrong.Type)
	case err != nil:
		return v, fmt.Errorf("the arguments are no JSON object: %w", err)
	}
	return v, nil
}

// unambiguous refuses members whose names differ by case at most: which of them
// counts differs between readers of JSON, so that a rule could look at one and
// the tool take the other.
func unambiguous(arguments json.RawMessage) error {
	d := json.NewDecoder(bytes.NewReader(arguments))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return err
	}
	var names []string
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		same := func(other string) bool { return strings.EqualFold(other, name.(string)) }
		if slices.ContainsFunc(names, same) {
			return fmt.Errorf("argument %q is given twice", name)
		}
		names = append(names, name.(string))
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
	}
	return nil
}

// required reports the first of some arguments that is missing, given as pairs
// of name and value.
func required(pairs ...string) error {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			return fmt.Errorf("argument %q is missing", pairs[i])
		}
	}
	return nil
}

// schema returns the JSON Schema of an object: the members as JSON, and the
// names of those that are required.
func schema(members string, required ...string) json.RawMessage {
	names, err := json.Marshal(append([]string{}, required...))
	if err != nil {
		panic(err)
	}
	return json.RawMessage(`{"type":"object","properties":{` + members + `},"required":` + string(names) + `}`)
}
