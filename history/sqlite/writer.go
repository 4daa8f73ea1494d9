package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"time"
)

// writer is the one connection that writes. SQLite lets one transaction write
// at a time; a lock of our own makes the goroutines of a process wait in turn
// instead of asking the file again and again.
//
// An append is a dozen statements of a few microseconds each. database/sql
// would add as much again to each, so transactions speak to the driver's
// connection, which sql.Conn hands out for that.
type writer struct {
	lock     chan struct{}
	conn     *sql.Conn
	code     func(error) int
	patience time.Duration // how long a transaction waits for those of others to end
	closed   bool
	stmts    map[string]driver.Stmt
	values   []driver.NamedValue // of the statement that is run next
}

func newWriter(ctx context.Context, db Database) (*writer, error) {
	conn, err := db.Writer.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &writer{
		lock:  make(chan struct{}, 1),
		conn:  conn,
		code:  db.Code,
		stmts: map[string]driver.Stmt{},
	}, nil
}

func (w *writer) setUp(ctx context.Context, d Durability) error {
	var ms int64
	if err := w.conn.QueryRowContext(ctx, "PRAGMA busy_timeout").Scan(&ms); err != nil {
		return err
	}
	w.patience = time.Duration(ms) * time.Millisecond
	for _, pragma := range []string{
		d.pragma(),
		"PRAGMA busy_timeout = 0",              // begin waits, and looks at its context while it does
		"PRAGMA fullfsync = 1",                 // macOS: fsync alone leaves data in the drive's cache
		"PRAGMA journal_size_limit = 67108864", // bytes; a large import must not leave its log behind
	} {
		if _, err := w.conn.ExecContext(ctx, pragma); err != nil {
			return err
		}
	}
	return nil
}

// close waits for the write under way. Later ones fail, and closing again has
// no effect.
func (w *writer) close() error {
	w.lock <- struct{}{}
	defer func() { <-w.lock }()
	if w.closed {
		return nil
	}
	w.closed = true
	err := w.conn.Raw(func(any) (err error) {
		for _, stmt := range w.stmts {
			err = errors.Join(err, stmt.Close())
		}
		return err
	})
	return errors.Join(err, w.conn.Close())
}

var errClosed = errors.New("the store is closed")

// tx is a write transaction. Its statements ignore that the caller's context
// ends, so that its outcome is never in doubt; long ones look at ctx between.
type tx struct {
	ctx  context.Context
	w    *writer
	conn driver.Conn
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
	if w.closed {
		return errClosed
	}
	defer func() { clear(w.values[:cap(w.values)]) }() // hundreds of megabytes, where a body was large
	return w.conn.Raw(func(conn any) error {
		t := &tx{ctx, w, conn.(driver.Conn)}
		if err := t.begin(); err != nil {
			return err
		}
		err := f(t)
		if err == nil {
			_, err = t.exec("COMMIT")
		}
		if err != nil {
			// After some errors (a full disk) SQLite has rolled back by itself,
			// and says that there is nothing to roll back.
			_, _ = t.exec("ROLLBACK")
		}
		return err
	})
}

// begin waits until no other process writes. SQLite's own wait would need a
// goroutine for each transaction to notice that the context ends.
func (t *tx) begin() error {
	const longest = 5 * time.Millisecond // a try takes 10 µs; longer pauses lose to a writer that hardly stops
	var waited time.Duration
	for pause := 200 * time.Microsecond; ; pause = min(2*pause, longest) {
		_, err := t.exec("BEGIN IMMEDIATE")
		if err == nil || t.w.code(err)&0xFF != codeBusy || waited >= t.w.patience {
			return err
		}
		select {
		case <-t.ctx.Done():
			return t.ctx.Err()
		case <-time.After(pause):
			waited += pause
		}
	}
}

// exec runs a statement and returns how many rows it changed.
func (t *tx) exec(query string, args ...any) (int64, error) {
	stmt, err := t.prepare(query)
	if err != nil {
		return 0, err
	}
	values, err := t.w.bind(args)
	if err != nil {
		return 0, err
	}
	result, err := stmt.(driver.StmtExecContext).ExecContext(context.Background(), values)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// script runs statements that are used once.
func (t *tx) script(text string) error {
	_, err := t.conn.(driver.ExecerContext).ExecContext(context.Background(), text, nil)
	return err
}

// row reads one row; the error is [sql.ErrNoRows] where there is none.
func (t *tx) row(query string, args []any, dest ...any) error {
	err := t.each(query, args, func(scan func(...any) error) error {
		if err := scan(dest...); err != nil {
			return err
		}
		return errStop
	})
	switch {
	case err == nil:
		return sql.ErrNoRows
	case errors.Is(err, errStop):
		return nil
	}
	return err
}

// each calls f for every row, with a function that reads it.
func (t *tx) each(query string, args []any, f func(scan func(...any) error) error) (err error) {
	stmt, err := t.prepare(query)
	if err != nil {
		return err
	}
	values, err := t.w.bind(args)
	if err != nil {
		return err
	}
	rows, err := stmt.(driver.StmtQueryContext).QueryContext(context.Background(), values)
	if err != nil {
		return err
	}
	defer func() {
		if closing := rows.Close(); err == nil {
			err = closing
		}
	}()
	row := make([]driver.Value, len(rows.Columns()))
	scan := func(dest ...any) error { return scanRow(row, dest) }
	for {
		if err := rows.Next(row); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if err := f(scan); err != nil {
			return err
		}
	}
}

// prepare returns a statement, which is prepared where it is first used.
func (t *tx) prepare(query string) (driver.Stmt, error) {
	if stmt := t.w.stmts[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := t.conn.(driver.ConnPrepareContext).PrepareContext(context.Background(), query)
	if err == nil {
		t.w.stmts[query] = stmt
	}
	return stmt, err
}

// bind returns arguments as drivers take them. They are good until the next
// call: a driver copies what it is given.
func (w *writer) bind(args []any) ([]driver.NamedValue, error) {
	w.values = w.values[:0]
	for i, arg := range args {
		v, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
		w.values = append(w.values, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return w.values, nil
}
