package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/stemma-history/stemma/history"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// applicationID marks the file as a store of Stemma: "STMA". It stands in the
// header, where SQLite keeps it for this purpose.
const applicationID = 0x53544D41

// minVersion is the first SQLite without the WAL-reset bug, which could damage
// a file that two connections write and checkpoint (sqlite.org/changes.html,
// release 3.51.3).
const minVersion = "3.51.3"

// setUpFile looks at the file and makes the settings that have to be made
// before anything is in it.
func setUpFile(ctx context.Context, db Database, d Durability) error {
	var version string
	if err := db.Writer.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&version); err != nil {
		return err
	}
	if olderThan(version, minVersion) {
		return fmt.Errorf("SQLite %s can damage the file; this program needs %s or later", version, minVersion)
	}
	return retryBusy(ctx, db.Code, func() error {
		conn, err := db.Writer.Conn(ctx)
		if err != nil {
			return err
		}
		defer conn.Close()
		if err := checkOwner(ctx, conn); err != nil {
			return err
		}
		// An append changes some pages here and there and writes each of them
		// whole: smaller ones are quicker, and compressed bodies fill them as well as
		// larger ones. It has no effect on a file that has pages. The order
		// matters: WAL writes the first page.
		if _, err := conn.ExecContext(ctx, "PRAGMA page_size = 4096"); err != nil {
			return err
		}
		var mode string
		if err := conn.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
			return err
		}
		if mode != "wal" {
			return fmt.Errorf("the file system cannot keep the write-ahead log (journal mode %q)", mode)
		}
		return nil
	})
}

// checkOwner refuses files of other programs. One statement sees both numbers
// before or after another process sets the file up.
func checkOwner(ctx context.Context, conn *sql.Conn) error {
	var id, tables int
	err := conn.QueryRowContext(ctx, "SELECT (SELECT application_id FROM pragma_application_id), (SELECT count(*) FROM sqlite_schema)").Scan(&id, &tables)
	if err == nil && id != applicationID && tables > 0 {
		err = fmt.Errorf("the file is an SQLite database of another program (application id %#x, expected %#x)", id, applicationID)
	}
	return err
}

// retryBusy repeats what SQLite refuses at once, without a busy timeout, while
// other processes set a new file up, or look through the log of one that died.
func retryBusy(ctx context.Context, code func(error) int, f func() error) error {
	for try := 0; ; try++ {
		err := f()
		if err == nil || code(err)&0xFF != codeBusy || try == 500 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// migrate brings the schema to the version of this program.
func migrate(ctx context.Context, s *Store) error {
	files, err := fs.Glob(schemaFiles, "schema/*.sql")
	if err != nil {
		return err
	}
	var version int
	err = retryBusy(ctx, s.db.Code, func() error {
		return s.writer.conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	})
	if err != nil || version == len(files) {
		return err
	}
	return s.writer.transaction(ctx, func(t *tx) error {
		// Another process may have been faster.
		if err := t.row("PRAGMA user_version", nil, &version); err != nil {
			return err
		}
		if version > len(files) {
			return fmt.Errorf("%w: its format is %d, this program knows up to %d; use a newer one", history.ErrNewerFormat, version, len(files))
		}
		for _, name := range files[version:] {
			sql, err := schemaFiles.ReadFile(name)
			if err != nil {
				return err
			}
			if err := t.script(string(sql)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return t.script(fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", len(files), applicationID))
	})
}

// olderThan compares versions of SQLite such as 3.51.3.
func olderThan(version, than string) bool {
	var a, b [3]int
	_, err := fmt.Sscanf(strings.TrimSpace(version), "%d.%d.%d", &a[0], &a[1], &a[2])
	if _, bad := fmt.Sscanf(than, "%d.%d.%d", &b[0], &b[1], &b[2]); errors.Join(err, bad) != nil {
		return true
	}
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}
