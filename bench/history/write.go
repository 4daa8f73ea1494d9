package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/sqlite"
)

// measureAppend compares a durable append of a turn with what any durable
// write has to do, and with what SQLite needs for the bodies alone.
func measureAppend(ctx context.Context, dir string) ([]figure, error) {
	s, _, err := openStore(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	plain, err := os.Create(filepath.Join(dir, "plain"))
	if err != nil {
		return nil, err
	}
	defer plain.Close()
	bare, err := openBare(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer bare.Close()
	const rounds, turns = 15, 200
	chance := rand.New(rand.NewPCG(1, 1))
	made := make([][]history.Entry, turns)
	for i := range made {
		made[i] = turn(chance)
	}
	var bytes []byte
	for _, e := range made[0] {
		bytes = append(bytes, body(e)...)
	}
	var ours, used, bodies, limit best
	for range rounds {
		began := processorTime()
		err := errors.Join(
			ours.measure(func() error { return appendAll(ctx, s, made) }),
			limit.measure(func() error {
				used.add(processorTime() - began)
				return syncEach(plain, bytes, turns)
			}),
			bodies.measure(func() error {
				for _, entries := range made {
					if err := insertBodies(ctx, bare, entries); err != nil {
						return err
					}
				}
				return nil
			}))
		if err != nil {
			return nil, err
		}
	}
	return []figure{
		{what: "append a turn of 8 KB, durable", value: ours.ms() / turns, unit: "ms"},
		{what: "one write and sync of the same bytes", value: limit.ms() / turns, unit: "ms"},
		{what: "the first over the second", value: over(ours, limit), unit: "×", most: 1.3},
		{what: "four bodies into a bare table of SQLite, over the second", value: over(bodies, limit), unit: "×"},
		{what: "processor time of an append", value: used.ms() / turns, unit: "ms", most: 0.25},
	}, nil
}

func appendAll(ctx context.Context, s *sqlite.Store, turns [][]history.Entry) error {
	id := history.NewID()
	if err := s.Create(ctx, history.Conversation{ID: id}); err != nil {
		return err
	}
	var tip history.ID
	for _, entries := range turns {
		stored, err := s.Append(ctx, history.AppendRequest{Conversation: id, Parent: tip, ExpectedTip: tip, Entries: entries})
		if err != nil {
			return err
		}
		tip = stored[len(stored)-1].ID
	}
	return nil
}

func syncEach(f *os.File, bytes []byte, n int) error {
	for range n {
		if _, err := f.Write(bytes); err != nil {
			return err
		}
		if err := f.Sync(); err != nil {
			return err
		}
	}
	return nil
}

// openBare opens a database with one table and the settings of the store.
func openBare(ctx context.Context, dir string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "bare.db"))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(ctx, `PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
		CREATE TABLE raw (n INTEGER PRIMARY KEY, data BLOB)`)
	return db, err
}

// insertBodies puts the bodies of entries into a bare table, in one transaction.
func insertBodies(ctx context.Context, db *sql.DB, entries []history.Entry) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	insert, err := tx.PrepareContext(ctx, `INSERT INTO raw (data) VALUES (?1)`)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if _, err := insert.ExecContext(ctx, body(e)); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// measureFork compares a fork with putting the same bytes into a bare table.
func measureFork(ctx context.Context, dir string) ([]figure, error) {
	s, path, err := openStore(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	bare, err := openBare(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer bare.Close()
	const n, rounds = 10_000, 5
	entries, _ := chain(rand.New(rand.NewPCG(4, 4)), n)
	id, err := importChain(ctx, s, entries)
	if err != nil {
		return nil, err
	}
	at, err := history.BoundaryAt(ctx, s, id, entries[n-1].ID)
	if err != nil {
		return nil, err
	}
	before, err := fileSize(ctx, path)
	if err != nil {
		return nil, err
	}
	var fork, insert best
	for range rounds {
		err := errors.Join(
			fork.measure(func() error {
				_, err := s.Fork(ctx, history.ForkRequest{At: at})
				return err
			}),
			insert.measure(func() error { return insertBodies(ctx, bare, entries) }))
		if err != nil {
			return nil, err
		}
	}
	after, err := fileSize(ctx, path)
	return []figure{
		{what: "fork 10,000 entries of 2 KB", value: fork.ms(), unit: "ms"},
		{what: "insert the same bytes into a bare table", value: insert.ms(), unit: "ms"},
		{what: "the first over the second", value: over(fork, insert), unit: "×", most: 3},
		{what: "what a fork adds to the file, an entry", value: float64(after-before) / rounds / n, unit: "B"},
	}, err
}

// measureImport stores what a file of 50 MB comes to.
func measureImport(ctx context.Context, dir string) ([]figure, error) {
	s, _, err := openStore(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	var first, again best
	mb := 0.0
	for range 3 {
		entries, bytes := chain(rand.New(rand.NewPCG(5, 5)), 26_000)
		mb = float64(bytes) / 1e6
		began := processorTime()
		id, err := importChain(ctx, s, entries)
		if err != nil {
			return nil, err
		}
		first.add(processorTime() - began)
		began = processorTime()
		if err := importAll(ctx, s, history.ImportRequest{Conversation: history.Conversation{ID: id}}, entries); err != nil {
			return nil, err
		}
		again.add(processorTime() - began)
	}
	return []figure{
		{what: fmt.Sprintf("import %.0f MB of messages, processor time a MB", mb), value: first.ms() / mb, unit: "ms", most: 1000.0 / 60},
		{what: "import them again, processor time a MB", value: again.ms() / mb, unit: "ms"},
	}, nil
}
