// Command history measures what the SQLite store costs against what the disk
// and SQLite themselves cost, in one run:
//
//	go run ./bench/history
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/sqlite"
	"github.com/stemma-history/stemma/message"
)

func main() {
	log.SetFlags(0)
	dir, err := os.MkdirTemp("", "stemma-bench-")
	if err != nil {
		log.Fatal(err)
	}
	err = run(context.Background(), dir)
	if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, dir string) error {
	for _, measure := range []func(context.Context, string) error{appends, reading, moving, forking, size} {
		if err := measure(ctx, dir); err != nil {
			return err
		}
	}
	return nil
}

const (
	rounds = 7
	turns  = 200 // a round
)

// words is text that compresses like an agent's, about n bytes of it.
func words(n, seed int) string {
	var b strings.Builder
	for i := seed; b.Len() < n; i++ {
		fmt.Fprintf(&b, "line %d of %08x: call f%d(%d) returned %q\n", i, i*2654435761, i%97, i*i, "ok")
	}
	return b.String()[:n]
}

// turn is a turn of four messages, 8 KB together.
func turn(seed int) []history.Entry {
	call := message.ToolCall{ID: "c", Name: "bash", Arguments: []byte(fmt.Sprintf(`{"command":%q}`, words(1900, seed)))}
	prompt := message.Prompt(words(1990, seed+1))
	answer := message.Message{Role: message.Assistant, Author: message.ByModel, Parts: []message.Part{call}}
	result := message.Results(message.ToolResult{CallID: "c", Content: []message.Content{message.Text{Text: words(1900, seed+2)}}})
	end := message.Message{Role: message.Assistant, Author: message.ByModel, Parts: []message.Part{message.Text{Text: words(1950, seed+3)}}}
	return []history.Entry{{Message: &prompt}, {Message: &answer}, {Message: &result}, {Message: &end}}
}

// filled returns a store with one conversation of n entries.
func filled(ctx context.Context, name string, n int) (*sqlite.Store, history.Conversation, error) {
	s, err := sqlite.Open(ctx, name, sqlite.Options{Durability: sqlite.Normal})
	if err != nil {
		return nil, history.Conversation{}, err
	}
	c := history.Conversation{ID: history.NewID()}
	if err := s.Create(ctx, c); err != nil {
		return nil, c, err
	}
	for c.Entries < n {
		var batch []history.Entry
		for len(batch) < 1000 && c.Entries+len(batch) < n {
			batch = append(batch, turn(c.Entries+len(batch))...)
		}
		stored, err := s.Append(ctx, history.AppendRequest{Conversation: c.ID, Parent: c.Tip, ExpectedTip: c.Tip, Entries: batch})
		if err != nil {
			return nil, c, err
		}
		c.Tip, c.Entries = stored[len(stored)-1].ID, c.Entries+len(stored)
	}
	return s, c, nil
}

// appends compares a durable append with one write and fsync of the same bytes.
func appends(ctx context.Context, dir string) error {
	s, err := sqlite.Open(ctx, filepath.Join(dir, "append.db"), sqlite.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	c := history.Conversation{ID: history.NewID()}
	if err := s.Create(ctx, c); err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(dir, "plain"))
	if err != nil {
		return err
	}
	defer file.Close()
	plain := []byte(words(8192, 0))
	best, bestFile, cpu := time.Hour, time.Hour, time.Hour
	for range rounds {
		made := make([][]history.Entry, turns)
		for i := range made {
			made[i] = turn(i)
		}
		start, used := time.Now(), processorTime()
		for _, entries := range made {
			stored, err := s.Append(ctx, history.AppendRequest{Conversation: c.ID, Parent: c.Tip, ExpectedTip: c.Tip, Entries: entries})
			if err != nil {
				return err
			}
			c.Tip = stored[len(stored)-1].ID
		}
		best, cpu = min(best, time.Since(start)/turns), min(cpu, (processorTime()-used)/turns)
		start = time.Now()
		for range turns {
			if _, err := file.Write(plain); err != nil {
				return err
			}
			if err := file.Sync(); err != nil {
				return err
			}
		}
		bestFile = min(bestFile, time.Since(start)/turns)
	}
	fmt.Printf("durable append of a turn (4 messages, 8 KB)   %8v   %v processor time\n", best.Round(time.Microsecond), cpu.Round(time.Microsecond))
	fmt.Printf("  one write and fsync of as many bytes         %8v   ratio %.2f\n", bestFile.Round(time.Microsecond), float64(best)/float64(bestFile))
	return nil
}

// reading compares the newest 200 entries of a short and a long conversation.
func reading(ctx context.Context, dir string) error {
	var times []time.Duration
	for _, n := range []int{10_000, 100_000} {
		s, c, err := filled(ctx, filepath.Join(dir, fmt.Sprintf("read-%d.db", n)), n)
		if err != nil {
			return err
		}
		newest, err := fastest(func() error {
			path, err := history.Collect(s.Path(ctx, history.PathQuery{Conversation: c.ID, Newest: 200}))
			if err == nil && len(path) != 200 {
				err = fmt.Errorf("%d entries", len(path))
			}
			return err
		})
		if err != nil {
			return err
		}
		nodes, err := fastest(func() error {
			_, err := history.Collect(s.Nodes(ctx, c.ID))
			return err
		})
		if err := errors.Join(err, s.Close()); err != nil {
			return err
		}
		times = append(times, newest)
		fmt.Printf("newest 200 of %6d entries                    %8v   the whole tree without bodies %v\n", n, newest.Round(time.Microsecond), nodes.Round(time.Millisecond))
	}
	fmt.Printf("  ratio %.2f\n", float64(times[1])/float64(times[0]))
	return nil
}

// moving compares a branch in a short and a long conversation.
func moving(ctx context.Context, dir string) error {
	for _, n := range []int{10_000, 100_000} {
		s, err := sqlite.Open(ctx, filepath.Join(dir, fmt.Sprintf("read-%d.db", n)), sqlite.Options{})
		if err != nil {
			return err
		}
		var c history.Conversation
		for c, err = range s.List(ctx, history.ListQuery{}) {
			break
		}
		if err != nil {
			return err
		}
		path, err := history.Collect(s.Path(ctx, history.PathQuery{Conversation: c.ID, Newest: 5}))
		if err != nil {
			return err
		}
		ends := [2]history.ID{path[0].ID, path[4].ID} // both end a turn
		i := 0
		moved, err := fastest(func() error {
			i++
			to, err := history.BoundaryAt(ctx, s, c.ID, ends[i%2])
			if err != nil {
				return err
			}
			tip := ends[(i+1)%2]
			if i == 1 {
				tip = c.Tip
			}
			return s.MoveTip(ctx, to, tip)
		})
		if err := errors.Join(err, s.Close()); err != nil {
			return err
		}
		fmt.Printf("branch among %6d entries, durable             %8v\n", n, moved.Round(time.Microsecond))
	}
	return nil
}

// forking compares a fork with inserting the same bytes into a bare table.
func forking(ctx context.Context, dir string) error {
	s, c, err := filled(ctx, filepath.Join(dir, "fork.db"), 10_000)
	if err != nil {
		return err
	}
	defer s.Close()
	at, err := history.BoundaryAt(ctx, s, c.ID, c.Tip)
	if err != nil {
		return err
	}
	start := time.Now()
	if _, err := s.Fork(ctx, history.ForkRequest{At: at}); err != nil {
		return err
	}
	forked := time.Since(start)
	raw, err := insertRaw(filepath.Join(dir, "raw.db"), 10_000)
	if err != nil {
		return err
	}
	fmt.Printf("fork of 10,000 entries                         %8v\n", forked.Round(time.Millisecond))
	fmt.Printf("  the same bytes into a bare table             %8v   ratio %.2f\n", raw.Round(time.Millisecond), float64(forked)/float64(raw))
	return nil
}

func insertRaw(name string, n int) (time.Duration, error) {
	db, err := sql.Open("sqlite", "file:"+name)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; CREATE TABLE t (n INTEGER PRIMARY KEY, data BLOB)`); err != nil {
		return 0, err
	}
	data := []byte(words(2048, 0))
	start := time.Now()
	tx, err := db.Begin()
	if err != nil {
		return 0, err
	}
	insert, err := tx.Prepare(`INSERT INTO t (data) VALUES (?1)`)
	if err != nil {
		return 0, err
	}
	for range n {
		if _, err := insert.Exec(data); err != nil {
			return 0, err
		}
	}
	err = tx.Commit()
	return time.Since(start), err
}

// size compares the file with the bytes of the messages in it.
func size(ctx context.Context, dir string) error {
	name := filepath.Join(dir, "size.db")
	s, c, err := filled(ctx, name, 10_000)
	if err != nil {
		return err
	}
	bytes := int64(0)
	for node, err := range s.Nodes(ctx, c.ID) {
		if err != nil {
			return err
		}
		bytes += node.Bytes
	}
	if err := s.Close(); err != nil {
		return err
	}
	before := fileSize(name)
	fmt.Printf("10,000 entries, %.1f MB of bodies, on disk       %.1f MB     ratio %.2f, without the search index\n", float64(bytes)/1e6, float64(before)/1e6, float64(before)/float64(bytes))
	if s, err = sqlite.Open(ctx, name, sqlite.Options{}); err != nil {
		return err
	}
	own := 0
	for i := range 20 {
		compaction := &history.Compaction{Reason: history.Reason{Trigger: history.ByCommand}, Treatments: []history.Treatment{
			{From: history.Handle{Depth: 1}, To: history.Handle{Depth: c.Entries}, As: history.AsSummary, Text: words(3000, i)},
		}}
		body, err := history.EncodeCompaction(compaction)
		if err != nil {
			return err
		}
		own += len(body)
		stored, err := s.Append(ctx, history.AppendRequest{Conversation: c.ID, Parent: c.Tip, ExpectedTip: c.Tip, Entries: []history.Entry{{Compaction: compaction}}})
		if err != nil {
			return err
		}
		c.Tip = stored[0].ID
	}
	if err := s.Close(); err != nil {
		return err
	}
	fmt.Printf("20 compactions, %d kB                          +%d kB\n", own/1000, (fileSize(name)-before)/1000)
	return nil
}

// fastest returns the best of some runs.
func fastest(f func() error) (time.Duration, error) {
	best := time.Hour
	for range 15 {
		start := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		best = min(best, time.Since(start))
	}
	return best, nil
}

func fileSize(name string) int64 {
	info, err := os.Stat(name)
	if err != nil {
		return 0
	}
	return info.Size()
}
