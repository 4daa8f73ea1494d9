package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/internal/record"
)

var (
	_ history.Store   = (*Store)(nil)
	_ history.Watcher = (*Store)(nil)
)

// Options are what a store takes from outside. The zero value is ready to use.
type Options struct {
	Durability Durability
	Now        func() time.Time  // Default: time.Now
	NewID      func() history.ID // Default: history.NewID
}

// Durability is what survives when the machine, not only the process, dies.
type Durability int

const (
	// Full syncs each write to the disk before it is acknowledged: one sync a
	// turn. A disk that lies about syncs can break the file all the same.
	Full Durability = iota
	// Normal syncs now and then. A power cut may take back turns you were told
	// were saved; what is older stays whole.
	Normal
)

func (d Durability) pragma() string {
	if d == Normal {
		return "PRAGMA synchronous = NORMAL"
	}
	return "PRAGMA synchronous = FULL"
}

// Database is one SQLite file as a driver opened it. Its connections wait for
// locks: their busy timeout is how long a write waits for other processes. The
// writer's has the methods with a context: PrepareContext and ExecContext, and
// ExecContext and QueryContext of its statements.
type Database struct {
	// Writer gives one connection, which the store keeps.
	Writer *sql.DB
	// Readers gives connections that only read, as many as are asked for.
	Readers *sql.DB
	// Code returns SQLite's (extended) result code of an error of the driver,
	// or 0.
	Code func(error) int
}

// Store is a [history.Store] in an SQLite file.
type Store struct {
	db      Database
	source  record.Source
	writer  *writer
	readers readers

	watch   sync.Mutex
	watcher *sql.Conn // asks for the data version, and for nothing else
}

// New returns the store in a database that is open already, over whichever
// driver; [Open] is the way in for everyone who has no reason of their own. The
// store owns the database, and closes it when New fails.
func New(ctx context.Context, db Database, o Options) (_ *Store, err error) {
	s := &Store{
		db:      db,
		source:  record.Source{Now: o.Now, NewID: o.NewID}.OrDefault(),
		readers: readers{db: db.Readers},
	}
	defer func() {
		if err != nil {
			err = errors.Join(s.failure(err), s.Close())
		}
	}()
	if err := setUpFile(ctx, db, o.Durability); err != nil {
		return nil, err
	}
	if s.writer, err = newWriter(ctx, db); err != nil {
		return nil, err
	}
	if err := s.writer.setUp(ctx, o.Durability); err != nil {
		return nil, err
	}
	return s, migrate(ctx, s)
}

// Close waits for the write under way and closes the file. Sequences that are
// still being read end with an error, and so do later calls.
func (s *Store) Close() error {
	var err error
	if s.writer != nil {
		err = s.writer.close()
	}
	s.watch.Lock()
	defer s.watch.Unlock()
	if s.watcher != nil {
		err = errors.Join(err, s.watcher.Close())
		s.watcher = nil
	}
	return errors.Join(err, s.db.Readers.Close(), s.db.Writer.Close())
}

// DataVersion implements [history.Watcher].
func (s *Store) DataVersion(ctx context.Context) (version int64, err error) {
	s.watch.Lock()
	defer s.watch.Unlock()
	if s.watcher == nil { // the number is counted for each connection
		if s.watcher, err = s.db.Readers.Conn(ctx); err != nil {
			return 0, s.failure(err)
		}
	}
	err = s.watcher.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version)
	return version, s.failure(err)
}

// failure says what an error of SQLite means for the caller.
func (s *Store) failure(err error) error {
	if err == nil {
		return nil
	}
	code := s.db.Code(err)
	if code == ioErrShmSize {
		code = codeFull // the index of the log could not grow
	}
	switch code & 0xFF {
	case codeFull:
		return fmt.Errorf("%w: %w", history.ErrFull, err)
	case codeBusy:
		return fmt.Errorf("another process has kept the store locked for too long: %w", err)
	case codeTooBig:
		return fmt.Errorf("too large for one row of SQLite (1 GB): %w", err)
	case codeCorrupt, codeNotADB:
		return fmt.Errorf("the store is damaged (stemma check tells more), or the file is none: %w", err)
	case codeReadOnly:
		return fmt.Errorf("the store may not be written: %w", err)
	}
	return err
}

// Result codes of SQLite (sqlite.org/rescode.html).
const (
	codeBusy         = 5
	codeReadOnly     = 8
	codeCorrupt      = 11
	codeFull         = 13
	codeTooBig       = 18
	codeNotADB       = 26
	ioErrShmSize     = 10 | 19<<8
	constraintUnique = 19 | 8<<8
)
