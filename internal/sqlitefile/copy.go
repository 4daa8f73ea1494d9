package sqlitefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// magic begins every SQLite database (sqlite.org/fileformat.html, 1.3).
var magic = []byte("SQLite format 3\x00")

// Is reports whether a file with that beginning is an SQLite database.
func Is(head []byte) bool { return bytes.HasPrefix(head, magic) }

// copyName is the name of the copy; the journals have the same with an ending.
const copyName = "copy.db"

// The endings of what stands beside a database: the write-ahead log, and the
// journal of a transaction that was cut off.
const (
	walEnding     = "-wal"
	journalEnding = "-journal"
)

// copyTries is how often a copy is begun anew because the tool wrote meanwhile.
const copyTries = 5

// ErrBusy: the tool wrote to its database during every try to copy it.
var ErrBusy = errors.New("the database is being written to all the time; close the tool and try again")

// copyDatabase copies the database at path and its journals into dir.
//
// The main file goes first. What a checkpoint moves into it during the copying
// is in the log too, and the log's frames have checksums, so the pair is
// consistent unless the log was begun anew or a transaction without a log
// changed the main file; both show in the state of the files.
func copyDatabase(path, dir string) error {
	for range copyTries {
		before, err := stateOf(path)
		if err != nil {
			return err
		}
		for _, ending := range []string{"", walEnding, journalEnding} {
			if err := copyFile(path+ending, filepath.Join(dir, copyName+ending)); err != nil {
				return err
			}
		}
		after, err := stateOf(path)
		if err != nil {
			return err
		}
		if before == after {
			return nil
		}
	}
	return ErrBusy
}

// state tells whether the pages that a copy took belong together.
type state struct {
	wal     [32]byte // header of the log: its salts change when it begins anew
	hasWAL  bool
	journal bool
	// Without a log, every transaction writes the main file.
	size     int64
	modified time.Time
}

func stateOf(path string) (state, error) {
	var s state
	info, err := os.Stat(path)
	if err != nil {
		return s, err
	}
	log, err := os.Open(path + walEnding)
	switch {
	case err == nil:
		n, err := io.ReadFull(log, s.wal[:])
		s.hasWAL = n == len(s.wal)
		if closed := log.Close(); closed != nil || err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return s, errors.Join(err, closed)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return s, err
	}
	if !s.hasWAL {
		s.size, s.modified = info.Size(), info.ModTime()
		_, err := os.Stat(path + journalEnding)
		s.journal = err == nil
	}
	return s, nil
}

// copyFile copies a file, or removes the copy where there is none.
func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if _, err := io.Copy(out, in); err != nil {
		return fmt.Errorf("copy %s (a database is read from a copy, so that nothing of the original changes): %w", from, err)
	}
	return nil
}
