// Package tomlfile reads TOML files strictly: a key that is not known is an
// error, and every error names the file, the line and, where it can, the key.
package tomlfile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Decode reads data, the content of the file called name, into v.
func Decode(name string, data []byte, v any) error {
	decoder := toml.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(v)
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) {
		first := strict.Errors[0]
		line, column := first.Position()
		return fmt.Errorf("%s: line %d, column %d: the key %q is not known", name, line, column, strings.Join(first.Key(), "."))
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		line, column := decode.Position()
		if key := strings.Join(decode.Key(), "."); key != "" {
			return fmt.Errorf("%s: line %d, column %d: key %q: %w", name, line, column, key, err)
		}
		return fmt.Errorf("%s: line %d, column %d: %w", name, line, column, err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
