package config

import (
	_ "embed" // example.toml
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Example is a file with every setting, commented out.
//
//go:embed example.toml
var Example string

// WriteExample writes the example to a file, which must not be there yet. Only
// the person it belongs to can read it: headers may hold secrets.
func WriteExample(file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already; it was left as it is", file)
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(Example)
	return errors.Join(err, f.Close())
}
