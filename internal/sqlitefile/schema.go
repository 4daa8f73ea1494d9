package sqlitefile

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"slices"
)

// A Schema has the columns of each table.
type Schema map[string][]string

// Has reports whether there is a table with those columns.
func (s Schema) Has(table string, columns ...string) bool {
	have, ok := s[table]
	for _, c := range columns {
		ok = ok && slices.Contains(have, c)
	}
	return ok
}

// SchemaOf returns the tables of the database at path, for detection: it copies
// nothing, unless all of the schema is still in the log.
func SchemaOf(ctx context.Context, path string) (Schema, error) {
	// Immutable: no lock is taken and no file is created beside the database.
	db, err := connect(path, "ro", "immutable")
	if err != nil {
		return nil, err
	}
	schema, err := readSchema(ctx, db)
	if err = errors.Join(err, db.Close()); err != nil || len(schema) > 0 {
		return schema, err
	}
	info, err := os.Stat(path + walEnding)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return schema, nil
	}
	if err != nil {
		return nil, err
	}
	whole, err := Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return whole.schema, whole.Close()
}

func readSchema(ctx context.Context, db *sql.DB) (schema Schema, err error) {
	rows, err := db.QueryContext(ctx, `SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'`)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	schema = Schema{}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			return nil, err
		}
		schema[table] = append(schema[table], column)
	}
	return schema, rows.Err()
}
