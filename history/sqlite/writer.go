package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// writer is the one connection that writes. SQLite lets one transaction write
// at a time; a lock of our own makes the goroutines of a process wait in turn
// instead of asking the file again and again.
type writer struct {
	lock  chan struct{}
	conn  *sql.Conn
	stmts statements
}

func newWriter(ctx context.Context, db *sql.DB) (*writer, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &writer{
		lock:  make(chan struct{}, 1),
		conn:  conn,
		stmts: statements{prepare: conn.PrepareContext},
	}, nil
}

func (w *writer) setUp(ctx context.Context, d Durability) error {
	for _, pragma := range []string{
		d.pragma(),
		"PRAGMA fullfsync = 1",                 // macOS: fsync alone leaves data in the drive's cache
		"PRAGMA journal_size_limit = 67108864", // bytes; a large import must not leave its log behind
	} {
		if _, err := w.conn.ExecContext(ctx, pragma); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) close() error {
	w.lock <- struct{}{} // kept: nothing is written any more
	return errors.Join(w.stmts.close(), w.conn.Close())
}

// tx is a write transaction. Its statements ignore that the caller's context
// ends, so that its outcome is never in doubt; long ones look at ctx between.
type tx struct {
	ctx context.Context
	w   *writer
}

// write runs f as one transaction. What f did is durable when write returns
// nil, and undone when it returns an error.
func (s *Store) write(ctx context.Context, f func(*tx) error) error {
	select {
	case s.writer.lock <- struct{}{}:
		defer func() { <-s.writer.lock }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.writer.transaction(ctx, f); err != nil {
		return s.failure(err)
	}
	return nil
}

func (w *writer) transaction(ctx context.Context, f func(*tx) error) error {
	t := &tx{ctx, w}
	begin, err := w.stmts.get("BEGIN IMMEDIATE")
	if err != nil {
		return err
	}
	if _, err := begin.ExecContext(ctx); err != nil {
		return err
	}
	err = f(t)
	if err == nil {
		_, err = t.exec("COMMIT")
	}
	if err != nil {
		// After some errors (a full disk) SQLite has rolled back by itself, and
		// says that there is nothing to roll back.
		_, _ = t.exec("ROLLBACK")
	}
	return err
}

// exec runs a statement and returns how many rows it changed.
func (t *tx) exec(query string, args ...any) (int64, error) {
	stmt, err := t.w.stmts.get(query)
	if err != nil {
		return 0, err
	}
	result, err := stmt.ExecContext(context.Background(), args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// row reads one row; the error is [sql.ErrNoRows] where there is none.
func (t *tx) row(query string, args []any, dest ...any) error {
	stmt, err := t.w.stmts.get(query)
	if err != nil {
		return err
	}
	return stmt.QueryRowContext(context.Background(), args...).Scan(dest...)
}

// each calls f for every row, with a function that reads it.
func (t *tx) each(query string, args []any, f func(scan func(...any) error) error) error {
	stmt, err := t.w.stmts.get(query)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(context.Background(), args...)
	if err != nil {
		return err
	}
	return eachRow(rows, f)
}

func eachRow(rows *sql.Rows, f func(scan func(...any) error) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := f(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// statements are prepared where they are first used.
type statements struct {
	prepare func(context.Context, string) (*sql.Stmt, error)
	mu      sync.Mutex
	byText  map[string]*sql.Stmt
}

func (s *statements) get(query string) (*sql.Stmt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stmt := s.byText[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := s.prepare(context.Background(), query)
	if err != nil {
		return nil, err
	}
	if s.byText == nil {
		s.byText = map[string]*sql.Stmt{}
	}
	s.byText[query] = stmt
	return stmt, nil
}

func (s *statements) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, stmt := range s.byText {
		err = errors.Join(err, stmt.Close())
	}
	return err
}
