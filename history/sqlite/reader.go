package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"iter"
	"sync"
)

// readers prepares the statements that only read, where they are first used.
type readers struct {
	db     *sql.DB
	mu     sync.Mutex
	byText map[string]*sql.Stmt
}

func (r *readers) get(query string) (*sql.Stmt, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if stmt := r.byText[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := r.db.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, err
	}
	if r.byText == nil {
		r.byText = map[string]*sql.Stmt{}
	}
	r.byText[query] = stmt
	return stmt, nil
}

// Most queries find their rows by a key and take microseconds a row. The driver
// watches a context that can end with a goroutine for each query and a lock for
// each row, so these get one that cannot, and ctx is looked at between rows.

// row reads one row; the error is [sql.ErrNoRows] where there is none.
func (s *Store) row(ctx context.Context, query string, args []any, dest ...any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	stmt, err := s.readers.get(query)
	if err != nil {
		return err
	}
	return stmt.QueryRowContext(context.WithoutCancel(ctx), args...).Scan(dest...)
}

// each calls f for every row, with a function that reads it.
func (s *Store) each(ctx context.Context, query string, args []any, f func(scan func(...any) error) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.eachFound(context.WithoutCancel(ctx), query, args, func(scan func(...any) error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return f(scan)
	})
}

// eachFound is each for queries that may take long before the first row.
func (s *Store) eachFound(ctx context.Context, query string, args []any, f func(scan func(...any) error) error) error {
	stmt, err := s.readers.get(query)
	if err != nil {
		return s.failure(err)
	}
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return s.failure(err)
	}
	return s.failure(eachRow(rows, f))
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

// stream yields a value for every row. Each sequence has a connection of its
// own, so that a caller may read and write while it goes through it.
func stream[T any](ctx context.Context, s *Store, query string, args []any, read func(scan func(...any) error) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := s.each(ctx, query, args, func(scan func(...any) error) error {
			v, err := read(scan)
			if err != nil {
				return err
			}
			if !yield(v, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			var none T
			yield(none, err)
		}
	}
}

// errStop ends a loop over rows whose caller has seen enough.
var errStop = stop{}

type stop struct{}

func (stop) Error() string { return "stop" }
