package sqlitefile

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// open returns a connection of the tool that owns the database.
func open(t *testing.T, path, pragma string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma="+pragma+"&_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func exec(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// contents returns the files of a directory.
func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func TestCommitsInTheLogAreSeenAndNothingIsTouched(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "with space%and?.db")
	tool, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "with%20space%25and%3f.db")+"?_pragma=journal_mode(wal)")
	if err != nil {
		t.Fatal(err)
	}
	defer tool.Close()
	exec(t, tool, `CREATE TABLE notes (id TEXT, text TEXT)`, `INSERT INTO notes VALUES ('a', 'in the log')`)
	before := contents(t, dir)
	if len(before[filepath.Base(path)+"-wal"]) == 0 || bytes.Contains(before[filepath.Base(path)], []byte("in the log")) {
		t.Fatal("the row is not in the log alone")
	}

	schema, err := SchemaOf(t.Context(), path)
	if err != nil || !schema.Has("notes", "id", "text") || schema.Has("notes", "gone") || schema.Has("none") {
		t.Errorf("schema %v, %v", schema, err)
	}
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for row, err := range db.Select(t.Context(), Query{Table: "notes", Columns: []string{"id", "text", "added_later"}, Where: "id = ?", Args: []any{"a"}}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, row.Text("id"), row.Text("text"), row.Text("added_later"))
	}
	if !slices.Equal(got, []string{"a", "in the log", ""}) {
		t.Errorf("got %q", got)
	}
	copied := db.dir
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(copied); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the copy is still there: %v", err)
	}
	after := contents(t, dir)
	if len(after) != len(before) {
		t.Errorf("%d files became %d", len(before), len(after))
	}
	for name, data := range before {
		if name != filepath.Base(path)+"-shm" && !bytes.Equal(after[name], data) {
			t.Errorf("%s changed", name)
		}
	}
}

func TestACutTransactionIsRolledBackInTheCopyOnly(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "tool.db")
	tool := open(t, path, "journal_mode(delete)")
	tool.SetMaxOpenConns(1)
	exec(t, tool, `PRAGMA cache_size = 1`, `CREATE TABLE notes (text TEXT)`, `INSERT INTO notes VALUES ('kept')`,
		`BEGIN`, `INSERT INTO notes SELECT 'half ' || hex(randomblob(2000)) FROM (SELECT value FROM json_each('[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]'))`)
	// A kill at this instant leaves these files.
	crashed := t.TempDir()
	for name, data := range contents(t, dir) {
		if err := os.WriteFile(filepath.Join(crashed, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := contents(t, crashed)
	if len(before["tool.db-journal"]) == 0 {
		t.Fatal("the transaction left no journal")
	}
	db, err := Open(t.Context(), filepath.Join(crashed, "tool.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows := 0
	for row, err := range db.Rows(t.Context(), `SELECT text FROM notes`) {
		if err != nil {
			t.Fatal(err)
		}
		if rows++; row.Text("text") != "kept" {
			t.Errorf("row %.20q", row.Text("text"))
		}
	}
	if rows != 1 {
		t.Errorf("%d rows", rows)
	}
	for name, data := range contents(t, crashed) {
		if !bytes.Equal(before[name], data) {
			t.Errorf("%s changed", name)
		}
	}
}

// Each transaction adds a row to both tables: a copy in which their last rows
// differ in number holds half a transaction.
func TestACopyTakenWhileTheToolWritesIsConsistent(t *testing.T) {
	for _, mode := range []string{"wal", "delete"} {
		t.Run(mode, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tool.db")
			tool := open(t, path, "journal_mode("+mode+")")
			tool.SetMaxOpenConns(1)
			exec(t, tool, `PRAGMA wal_autocheckpoint = 8`, `PRAGMA synchronous = off`, `CREATE TABLE a (x TEXT)`, `CREATE TABLE b (x TEXT)`)
			ctx, stop := context.WithCancel(t.Context())
			done := make(chan error)
			go func() {
				for ctx.Err() == nil {
					if _, err := tool.Exec(`BEGIN; INSERT INTO a VALUES (hex(randomblob(3000))); INSERT INTO b VALUES (hex(randomblob(3000)));
						DELETE FROM a WHERE rowid < (SELECT max(rowid) - 100 FROM a); DELETE FROM b WHERE rowid < (SELECT max(rowid) - 100 FROM b); COMMIT`); err != nil {
						done <- err
						return
					}
				}
				done <- nil
			}()
			for range 15 {
				counts, err := readCounts(t.Context(), path)
				if err != nil && !errors.Is(err, ErrBusy) {
					t.Error(err)
				}
				if counts[0] != counts[1] {
					t.Errorf("row %d is the last of one table, %d of the other", counts[0], counts[1])
				}
			}
			stop()
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}

func readCounts(ctx context.Context, path string) (counts [2]int64, err error) {
	db, err := Open(ctx, path)
	if err != nil {
		return counts, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for row, err := range db.Rows(ctx, `SELECT (SELECT coalesce(max(rowid), 0) FROM a) a, (SELECT coalesce(max(rowid), 0) FROM b) b, (SELECT group_concat(integrity_check) FROM pragma_integrity_check) ok`) {
		if err != nil {
			return counts, err
		}
		if row.Text("ok") != "ok" {
			return counts, errors.New(row.Text("ok"))
		}
		counts = [2]int64{row.Int("a"), row.Int("b")}
	}
	return counts, nil
}

func TestValuesOfAnyTypeAreRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tool.db")
	exec(t, open(t, path, "journal_mode(delete)"),
		`CREATE TABLE odd (n INTEGER, at TIMESTAMP)`,
		`INSERT INTO odd VALUES ('12', '2025-01-02 03:04:05'), (3.9, 1735787045), (x'6162', NULL), ('nine', 7)`)
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var numbers []int64
	var texts []string
	for row, err := range db.Select(t.Context(), Query{Table: "odd", Columns: []string{"n", "at"}, OrderBy: "rowid"}) {
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, row.Int("n"))
		texts = append(texts, row.Text("n"), row.Text("at"))
	}
	if !slices.Equal(numbers, []int64{12, 3, 0, 0}) {
		t.Errorf("numbers %v", numbers)
	}
	if want := []string{"12", "2025-01-02T03:04:05Z", "3.9", "1735787045", "ab", "", "nine", "7"}; !slices.Equal(texts, want) {
		t.Errorf("texts %q", texts)
	}
}

func TestWhatIsNoDatabaseIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "no.db")
	if err := os.WriteFile(path, append(slices.Clone(magic), "garbage that is not a page"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if !Is(magic) || Is([]byte("SQLite format 4")) {
		t.Error("Is does not look at the beginning")
	}
	if _, err := SchemaOf(t.Context(), path); err == nil {
		t.Error("the schema was read")
	}
	if _, err := Open(t.Context(), path); err == nil {
		t.Error("it was opened")
	}
	if _, err := Open(t.Context(), path+"x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
}

func TestWhatCannotBeReadIsTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tool.db")
	exec(t, open(t, path, "journal_mode(delete)"), `CREATE TABLE a (x TEXT)`)
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	fails := func(ctx context.Context, statement string) (failed error) {
		for _, err := range db.Rows(ctx, statement) {
			failed = err
		}
		return failed
	}
	var read *ReadError
	if err := fails(t.Context(), `SELECT x FROM gone`); !errors.As(err, &read) {
		t.Errorf("a missing table gives %v", err)
	}
	if err := fails(t.Context(), `INSERT INTO a VALUES (1)`); !errors.As(err, &read) {
		t.Errorf("writing gives %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := fails(ctx, `SELECT x FROM a`); !errors.Is(err, context.Canceled) || errors.As(err, &read) {
		t.Errorf("a cancelled context gives %v", err)
	}
}
