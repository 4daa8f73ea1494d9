package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

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
	grows, err := os.Create(filepath.Join(dir, "grows"))
	if err != nil {
		return nil, err
	}
	defer grows.Close()
	bare, err := openBare(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer bare.close()
	const rounds, turns = 15, 200
	chance := rand.New(rand.NewPCG(1, 1))
	made, bodies := make([][]history.Entry, turns), make([][][]byte, turns)
	for i := range made {
		made[i] = turn(chance)
		bodies[i] = bodiesOf(made[i])
	}
	bytes := slices.Concat(bodies[0]...)
	fixed, err := preallocate(filepath.Join(dir, "fixed"), turns*len(bytes))
	if err != nil {
		return nil, err
	}
	defer fixed.Close()
	var ours, used, inserts, limit, overwrite, encode best
	for range rounds {
		began := processorTime()
		err := errors.Join(
			ours.measure(func() error { return appendAll(ctx, s, made) }),
			limit.measure(func() error {
				used.add(processorTime() - began)
				return syncEach(grows, bytes, turns)
			}),
			overwrite.measure(func() error {
				if _, err := fixed.Seek(0, io.SeekStart); err != nil {
					return err
				}
				return syncEach(fixed, bytes, turns)
			}),
			inserts.measure(func() error {
				for _, b := range bodies {
					if err := bare.insertAll(ctx, b); err != nil {
						return err
					}
				}
				return nil
			}),
			encode.measure(func() error {
				for _, entries := range made {
					bodiesOf(entries)
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
		{what: "one write and sync inside a file that has its size, over the second", value: over(overwrite, limit), unit: "×"},
		{what: "four bodies into a bare table of SQLite, over the second", value: over(inserts, limit), unit: "×"},
		{what: "encoding four messages as JSON, over the second", value: over(encode, limit), unit: "×"},
		{what: "processor time of an append", value: used.ms() / turns, unit: "ms", most: 0.25},
	}, nil
}

// preallocate makes a file of zeros.
func preallocate(path string, size int) (*os.File, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if _, err = f.Write(make([]byte, size)); err == nil {
		err = f.Sync()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
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

// bare is a database with one table and the settings of the store.
type bare struct {
	db                    *sql.DB
	conn                  *sql.Conn
	begin, insert, commit *sql.Stmt
}

func openBare(ctx context.Context, dir string) (_ *bare, err error) {
	b := &bare{}
	if b.db, err = sql.Open("sqlite", "file:"+filepath.Join(dir, "bare.db")); err != nil {
		return nil, err
	}
	if b.conn, err = b.db.Conn(ctx); err != nil {
		return nil, errors.Join(err, b.db.Close())
	}
	_, err = b.conn.ExecContext(ctx, `PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
		CREATE TABLE raw (n INTEGER PRIMARY KEY, data BLOB)`)
	for text, stmt := range map[string]**sql.Stmt{`BEGIN IMMEDIATE`: &b.begin, `INSERT INTO raw (data) VALUES (?)`: &b.insert, `COMMIT`: &b.commit} {
		if err == nil {
			*stmt, err = b.conn.PrepareContext(ctx, text)
		}
	}
	if err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bare) close() {
	_ = b.conn.Close()
	_ = b.db.Close()
}

// insertAll puts bodies into the table, in one transaction.
func (b *bare) insertAll(ctx context.Context, bodies [][]byte) error {
	if _, err := b.begin.ExecContext(ctx); err != nil {
		return err
	}
	for _, body := range bodies {
		if _, err := b.insert.ExecContext(ctx, body); err != nil {
			return err
		}
	}
	_, err := b.commit.ExecContext(ctx)
	return err
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
	defer bare.close()
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
	bodies := bodiesOf(entries)
	var fork, insert best
	for range rounds {
		err := errors.Join(
			fork.measure(func() error {
				_, err := s.Fork(ctx, history.ForkRequest{At: at})
				return err
			}),
			insert.measure(func() error { return bare.insertAll(ctx, bodies) }))
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
