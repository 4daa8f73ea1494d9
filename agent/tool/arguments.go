package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// decode reads the arguments of a call into a struct. Members that the tool
// does not know are ignored: models add some. The error is for the model.
func decode[T any](arguments json.RawMessage) (T, error) {
	var v T
	if len(bytes.TrimSpace(arguments)) == 0 {
		arguments = json.RawMessage("{}")
	}
	err := json.Unmarshal(arguments, &v)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return v, fmt.Errorf("argument %q is a %s: expected %s", wrong.Field, wrong.Value, wrong.Type)
	case err != nil:
		return v, fmt.Errorf("the arguments are no JSON object: %w", err)
	}
	return v, nil
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
