package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	driver "modernc.org/sqlite"
)

// Open opens the store in a file. The file and its directory are made where
// they are missing, for their owner only. It fails with [history.ErrNewerFormat]
// where a newer version of this program wrote the file.
//
// Any number of processes on one machine may have the file open; the file
// system must be a local one. A write waits at most thirty seconds for those of
// other processes, and ends with its context before that.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	setUp()
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := createFile(path); err != nil {
		return nil, fmt.Errorf("store %s: %w", path, err)
	}
	var db Database
	if db.Writer, err = sql.Open("sqlite", dataSource(path, "")); err != nil {
		return nil, fmt.Errorf("store %s: %w", path, err)
	}
	if db.Readers, err = sql.Open("sqlite", dataSource(path, "&_query_only=1")); err != nil {
		return nil, errors.Join(err, db.Writer.Close())
	}
	db.Readers.SetMaxIdleConns(8) // each keeps its statements prepared
	db.Code = resultCode
	s, err := New(ctx, db, o)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", path, err)
	}
	return s, nil
}

// setUp makes the settings that hold for the whole process. SQLite's own
// default, POSIX locks, would drop a store's locks when any code of the process
// closes another descriptor of the file; locks of the open file description
// (Linux) stay. Where a part of the program has opened a file with modernc.org/
// sqlite before, its kind of locks is fixed, and the store shares it: then nobody
// else in the process may open the store's file.
var setUp = sync.OnceFunc(func() {
	driver.StrictPragmas(true)
	_, _ = driver.OFDLocking(true)
	_, _ = driver.Fdatasync(true) // as durable as fsync, and one write less where the size stays
})

func createFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func dataSource(path, more string) string {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
	return u.String() + "?_busy_timeout=30000" + more
}

func resultCode(err error) int {
	if e, ok := errors.AsType[*driver.Error](err); ok {
		return e.Code()
	}
	return 0
}
