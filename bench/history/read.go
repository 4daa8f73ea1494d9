package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/sqlite"
)

// measureRead reads the newest entries of a short and a long conversation.
func measureRead(ctx context.Context, dir string) ([]figure, error) {
	s, _, err := openStore(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	chance := rand.New(rand.NewPCG(2, 2))
	var ids [2]history.ID
	for i, n := range []int{10_000, 100_000} {
		entries, _ := chain(chance, n)
		if ids[i], err = importChain(ctx, s, entries); err != nil {
			return nil, err
		}
	}
	var newest [2]best
	var nodes, whole best
	for range 20 {
		for i, id := range ids {
			err = errors.Join(err, newest[i].measure(func() error {
				path, err := history.Collect(s.Path(ctx, history.PathQuery{Conversation: id, Newest: 200}))
				if err == nil && len(path) != 200 {
					err = fmt.Errorf("%d entries", len(path))
				}
				return err
			}))
		}
	}
	for range 5 {
		err = errors.Join(err,
			nodes.measure(func() error { return drain(s.Nodes(ctx, ids[1])) }),
			whole.measure(func() error { return drain(s.Path(ctx, history.PathQuery{Conversation: ids[0]})) }))
	}
	return []figure{
		{what: "newest 200 of 10,000 entries", value: newest[0].ms(), unit: "ms"},
		{what: "newest 200 of 100,000 entries", value: newest[1].ms(), unit: "ms", most: 10},
		{what: "the second over the first", value: over(newest[1], newest[0]), unit: "×", most: 1.2},
		{what: "the whole path of 10,000 entries of 2 KB", value: whole.ms(), unit: "ms"},
		{what: "the tree of 100,000 entries, without bodies", value: nodes.ms(), unit: "ms", most: 300},
	}, err
}

// drain goes through a sequence and keeps nothing of it.
func drain[T any](seq func(yield func(T, error) bool)) error {
	for _, err := range seq {
		if err != nil {
			return err
		}
	}
	return nil
}

// measureBranch moves the tip of a short and of a long conversation.
func measureBranch(ctx context.Context, dir string) ([]figure, error) {
	s, _, err := openStore(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	chance := rand.New(rand.NewPCG(3, 3))
	var moves [2]best
	var change [2]func() error
	for i, n := range []int{1_000, 50_000} {
		entries, _ := chain(chance, n)
		id, err := importChain(ctx, s, entries)
		if err != nil {
			return nil, err
		}
		if change[i], err = mover(ctx, s, id, entries[n-1].ID, entries[3].ID); err != nil {
			return nil, err
		}
	}
	for range 300 {
		for i := range moves {
			err = errors.Join(err, moves[i].measure(change[i]))
		}
	}
	return []figure{
		{what: "move the tip in 1,000 entries, durable", value: moves[0].ms(), unit: "ms"},
		{what: "move the tip in 50,000 entries, durable", value: moves[1].ms(), unit: "ms"},
		{what: "the second over the first", value: over(moves[1], moves[0]), unit: "×", most: 1.2},
	}, err
}

// mover returns a function that moves the tip to and fro.
func mover(ctx context.Context, s *sqlite.Store, id, tip, other history.ID) (func() error, error) {
	here, err := history.BoundaryAt(ctx, s, id, tip)
	if err != nil {
		return nil, err
	}
	there, err := history.BoundaryAt(ctx, s, id, other)
	return func() error {
		here, there = there, here
		return s.MoveTip(ctx, here, there.Entry())
	}, err
}

// measureSize compares the file with the bytes of the messages in it.
func measureSize(ctx context.Context, dir string) ([]figure, error) {
	s, path, err := openStore(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	entries, bytes := chain(rand.New(rand.NewPCG(6, 6)), 10_000)
	id, err := importChain(ctx, s, entries)
	if err != nil {
		return nil, err
	}
	stored, err := fileSize(ctx, path)
	if err != nil {
		return nil, err
	}
	own, err := compact(ctx, s, id, entries[len(entries)-1].ID)
	if err != nil {
		return nil, err
	}
	compacted, err := fileSize(ctx, path)
	if err != nil {
		return nil, err
	}
	for left := 1; left > 0; {
		if left, err = s.Index(ctx, 1000); err != nil {
			return nil, err
		}
	}
	indexed, err := fileSize(ctx, path)
	return []figure{
		{what: "the file over the bytes of its messages", value: float64(stored) / float64(bytes), unit: "×", most: 1.25},
		{what: "what 20 compactions add, over their own size", value: float64(compacted-stored) / float64(own), unit: "×"},
		{what: "the search index over the bytes of the messages", value: float64(indexed-compacted) / float64(bytes), unit: "×"},
	}, err
}

// compact appends 20 compactions and returns the size of their bodies.
func compact(ctx context.Context, s *sqlite.Store, id, tip history.ID) (own int, err error) {
	chance := rand.New(rand.NewPCG(7, 7))
	for i := range 20 {
		c := &history.Compaction{Reason: history.Reason{Trigger: history.ByThreshold}}
		for d := range 40 {
			h := history.Handle{Depth: 1 + 400*i + d*3}
			c.Treatments = append(c.Treatments, history.Treatment{From: h, To: h, As: history.AsStub, Text: text(chance, 80)})
		}
		body, err := history.EncodeCompaction(c)
		if err != nil {
			return 0, err
		}
		own += len(body)
		stored, err := s.Append(ctx, history.AppendRequest{Conversation: id, Parent: tip, ExpectedTip: tip, Entries: []history.Entry{{Compaction: c}}})
		if err != nil {
			return 0, err
		}
		tip = stored[0].ID
	}
	return own, nil
}

// fileSize returns the size of a store's file with all of its log moved into it.
func fileSize(ctx context.Context, path string) (int64, error) {
	db, err := sql.Open("sqlite", "file:"+path+"?_busy_timeout=10000")
	if err != nil {
		return 0, err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
		return 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
