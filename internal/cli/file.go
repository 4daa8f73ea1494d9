package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// writeFile writes a file as a whole: until all of it is written, what stood
// there before stays. A device or a pipe is written to as it is.
func writeFile(name string, write func(io.Writer) error) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		file, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return writeTo(file, write)
	}
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return err
	}
	if err = writeTo(file, write); err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", name, err), os.Remove(file.Name()))
	}
	return nil
}

func writeBytes(name string, data []byte) error {
	return writeFile(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// writeTo writes to a file and closes it.
func writeTo(file *os.File, write func(io.Writer) error) error {
	buffered := bufio.NewWriterSize(file, 64<<10)
	err := write(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	return errors.Join(err, file.Close())
}
