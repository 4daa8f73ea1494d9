package sqlitefile

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// A DB is a private copy of a database. Close removes it.
type DB struct {
	sql    *sql.DB
	dir    string
	schema Schema
}

// Open copies the database at path, with what its log holds, and opens the
// copy. The copy takes the size of the database in the directory for temporary
// files.
func Open(ctx context.Context, path string) (*DB, error) {
	dir, err := os.MkdirTemp("", "stemma-read-")
	if err != nil {
		return nil, err
	}
	db := &DB{dir: dir}
	if err := db.open(ctx, path); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), db.Close())
	}
	return db, nil
}

func (db *DB) open(ctx context.Context, path string) (err error) {
	if err := copyDatabase(path, db.dir); err != nil {
		return err
	}
	if db.sql, err = connect(filepath.Join(db.dir, copyName), "rw"); err != nil {
		return err
	}
	db.schema, err = readSchema(ctx, db.sql)
	return err
}

// connect opens a database file. The schema is not ours: what it may call is
// held to what is safe. A copy need not survive a power cut.
func connect(path, mode string, options ...string) (*sql.DB, error) {
	query := url.Values{"mode": {mode}, "_pragma": {"trusted_schema(0)", "cell_size_check(1)", "synchronous(0)", "query_only(1)"}}
	for _, o := range options {
		query.Set(o, "1")
	}
	uri := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath(), RawQuery: query.Encode()}
	return sql.Open("sqlite", uri.String())
}

// Close removes the copy.
func (db *DB) Close() error {
	var err error
	if db.sql != nil {
		err = db.sql.Close()
	}
	return errors.Join(err, os.RemoveAll(db.dir))
}

// Schema returns the tables of the database.
func (db *DB) Schema() Schema { return db.schema }

// A Query selects rows of one table.
type Query struct {
	Table   string
	Columns []string // those that the table lacks are NULL: tools add columns over time
	Where   string   // SQL, may hold ? for Args
	OrderBy string   // SQL
	Args    []any
}

// Select yields rows as [DB.Rows] does.
func (db *DB) Select(ctx context.Context, q Query) iter.Seq2[Row, error] {
	var b strings.Builder
	b.WriteString("SELECT ")
	for i, c := range q.Columns {
		if i > 0 {
			b.WriteString(", ")
		}
		if !slices.Contains(db.schema[q.Table], c) {
			b.WriteString("NULL AS ")
		}
		b.WriteString(quote(c))
	}
	b.WriteString(" FROM " + quote(q.Table))
	if q.Where != "" {
		b.WriteString(" WHERE " + q.Where)
	}
	if q.OrderBy != "" {
		b.WriteString(" ORDER BY " + q.OrderBy)
	}
	return db.Rows(ctx, b.String(), q.Args...)
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// A ReadError says that rows could not be read: the database is damaged, or its
// tables are not what was expected. Other tables and rows may still be read.
type ReadError struct{ Err error }

func (e *ReadError) Error() string { return "the database cannot be read here: " + e.Err.Error() }

func (e *ReadError) Unwrap() error { return e.Err }

// Rows yields the rows of a statement. It ends after the first error, which is
// the context's or a [*ReadError].
func (db *DB) Rows(ctx context.Context, statement string, args ...any) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		err := db.rows(ctx, statement, args, func(r Row) bool { return yield(r, nil) })
		switch {
		case err == nil:
		case ctx.Err() != nil:
			yield(Row{}, ctx.Err())
		default:
			yield(Row{}, &ReadError{err})
		}
	}
}

func (db *DB) rows(ctx context.Context, statement string, args []any, yield func(Row) bool) (err error) {
	rows, err := db.sql.QueryContext(ctx, statement, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	for rows.Next() {
		row := Row{columns: columns, values: make([]any, len(columns))}
		into := make([]any, len(columns))
		for i := range into {
			into[i] = &row.values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if !yield(row) {
			return nil
		}
	}
	return rows.Err()
}
