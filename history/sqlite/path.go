package sqlite

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/internal/record"
	"github.com/stemma-history/stemma/message"
)

// One query reads the bodies of at most this many entries, or of about this
// many bytes: a path of any length is read in little memory. The first batch is
// small, for those who want the first entry only.
const (
	firstBatch   = 16
	batchEntries = 256
	batchBytes   = 1 << 20
)

// Entry implements [history.Entries].
func (s *Store) Entry(ctx context.Context, conversation, id history.ID) (history.Entry, error) {
	at, err := s.numberOf(ctx, conversation, id)
	if err != nil {
		return history.Entry{}, err
	}
	for e, err := range s.entries(ctx, conversation, []numbered{at}) {
		return e, err
	}
	return history.Entry{}, fmt.Errorf("conversation %v: entry %v: %w", conversation, id, history.ErrNotFound)
}

// Path implements [history.Entries].
func (s *Store) Path(ctx context.Context, q history.PathQuery) iter.Seq2[history.Entry, error] {
	return func(yield func(history.Entry, error) bool) {
		path, err := s.path(ctx, q)
		if err != nil {
			yield(history.Entry{}, err)
			return
		}
		if len(path) > 0 && path[0].depth > 1 && (q.Newest <= 0 || len(path) < q.Newest) {
			err := &history.DamagedError{Conversation: q.Conversation, Entry: q.Tip,
				Err: fmt.Errorf("the path to it begins at depth %d: the entry before is missing", path[0].depth)}
			if !yield(history.Entry{}, err) {
				return
			}
		}
		s.entries(ctx, q.Conversation, path)(yield)
	}
}

// numbered is an entry by its number in the file.
type numbered struct{ n, depth, bytes int64 }

func (s *Store) numberOf(ctx context.Context, conversation, id history.ID) (at numbered, err error) {
	err = s.row(ctx, `SELECT e.n, e.depth, e.bytes FROM entry e JOIN conversation c ON c.n = e.conversation WHERE e.id = ?1 AND c.id = ?2`,
		[]any{id[:], conversation[:]}, &at.n, &at.depth, &at.bytes)
	return at, s.failure(orNotFound(err, "conversation %v: entry %v", conversation, id))
}

// path returns the entries that q asks for, the oldest first.
func (s *Store) path(ctx context.Context, q history.PathQuery) ([]numbered, error) {
	c, err := s.conversation(ctx, q.Conversation)
	if err != nil {
		return nil, err
	}
	tip := c.tip
	if q.Tip != (history.ID{}) {
		at, err := s.numberOf(ctx, q.Conversation, q.Tip)
		if err != nil {
			return nil, err
		}
		tip = at.n
	}
	if tip == 0 {
		return nil, nil
	}
	newest := int64(-1)
	if q.Newest > 0 {
		newest = int64(q.Newest)
	}
	return s.numbers(ctx, `
WITH RECURSIVE path(n, parent, depth, bytes) AS (
  SELECT n, parent, depth, bytes FROM entry WHERE n = ?1
  UNION ALL
  SELECT e.n, e.parent, e.depth, e.bytes FROM path CROSS JOIN entry e ON e.n = path.parent WHERE e.n < path.n
)
SELECT n, depth, bytes FROM path LIMIT ?2`, tip, newest)
}

// Compactions implements [history.Entries]. It goes from one to the one above
// its parent, and touches nothing between.
func (s *Store) Compactions(ctx context.Context, conversation, entry history.ID) iter.Seq2[history.Entry, error] {
	return func(yield func(history.Entry, error) bool) {
		at, err := s.numberOf(ctx, conversation, entry)
		var found []numbered
		if err == nil {
			found, err = s.numbers(ctx, `
WITH RECURSIVE found(n) AS (
  SELECT last_compaction FROM entry WHERE n = ?1
  UNION ALL
  SELECT p.last_compaction FROM found CROSS JOIN entry e ON e.n = found.n CROSS JOIN entry p ON p.n = e.parent WHERE p.last_compaction < found.n
)
SELECT e.n, e.depth, e.bytes FROM found CROSS JOIN entry e ON e.n = found.n`, at.n)
		}
		if err != nil {
			yield(history.Entry{}, err)
			return
		}
		s.entries(ctx, conversation, found)(yield)
	}
}

// numbers runs a query that goes up a path, and returns what it found from the
// top down.
func (s *Store) numbers(ctx context.Context, query string, args ...any) ([]numbered, error) {
	var all []numbered
	err := s.each(ctx, query, args, func(scan func(...any) error) error {
		var at numbered
		err := scan(&at.n, &at.depth, &at.bytes)
		all = append(all, at)
		return err
	})
	slices.Reverse(all)
	return all, err
}

// entries yields entries by their numbers. No query is open while the caller
// has an entry: entries do not change, so batches are as good as one query.
func (s *Store) entries(ctx context.Context, conversation history.ID, numbers []numbered) iter.Seq2[history.Entry, error] {
	return func(yield func(history.Entry, error) bool) {
		for most := firstBatch; len(numbers) > 0; most = batchEntries {
			n := batchOf(numbers, most)
			batch, err := s.batch(ctx, conversation, numbers[:n])
			if err != nil {
				yield(history.Entry{}, err)
				return
			}
			for i := range batch {
				if !yield(batch[i].entry, batch[i].err) {
					return
				}
			}
			numbers = numbers[n:]
		}
	}
}

// batchOf returns how many entries, at most most, the next query reads.
func batchOf(numbers []numbered, most int) int {
	size := int64(0)
	for i, at := range numbers {
		if size += at.bytes; i > 0 && size > batchBytes || i == most {
			return i
		}
	}
	return len(numbers)
}

// read is an entry, or why it cannot be read.
type read struct {
	entry history.Entry
	err   error
}

const selectEntries = `
SELECT e.id, p.id, e.depth, e.role, e.created, e.source, k.id, l.id, e.usage, e.frame, e.seals, b.encoding, b.data
FROM json_each(?1) j CROSS JOIN entry e ON e.n = j.value
LEFT JOIN entry p ON p.n = e.parent LEFT JOIN entry k ON k.n = e.last_compaction LEFT JOIN entry l ON l.n = e.left_tip
LEFT JOIN body b ON b.n = e.body`

// batch reads entries in the order of their numbers.
func (s *Store) batch(ctx context.Context, conversation history.ID, numbers []numbered) ([]read, error) {
	list := []byte{'['}
	for i, at := range numbers {
		if i > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendInt(list, at.n, 10)
	}
	rows := make([]entryRow, 0, len(numbers))
	err := s.each(ctx, selectEntries, []any{string(append(list, ']'))}, func(scan func(...any) error) error {
		rows = append(rows, entryRow{})
		return rows[len(rows)-1].scan(scan)
	})
	if err != nil {
		return nil, err
	}
	batch := make([]read, len(rows))
	for i := range rows {
		r := &rows[i]
		r.entry.Conversation = conversation
		if err := r.decode(s.fetch(ctx)); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			batch[i].err = &history.DamagedError{Conversation: conversation, Entry: r.entry.ID, Err: err}
			continue
		}
		batch[i].entry = r.entry
	}
	return batch, nil
}

// entryRow is a row of selectEntries.
type entryRow struct {
	entry    history.Entry
	role     message.Role
	usage    string
	seals    []byte
	encoding *int64 // nil where there is no body
	data     []byte
}

func (r *entryRow) scan(scan func(...any) error) error {
	e := &r.entry
	return scan(idColumn{&e.ID}, idColumn{&e.Parent}, &e.Depth, text(&r.role), timeColumn{&e.Created}, text(&e.Source),
		idColumn{&e.LastCompaction}, idColumn{&e.Left}, text(&r.usage), hashColumn{&e.Frame}, &r.seals, &r.encoding, &r.data)
}

func (r *entryRow) decode(fetch func(message.Hash) ([]byte, error)) (err error) {
	e := &r.entry
	if r.encoding == nil {
		return errors.New("its body is missing")
	}
	if e.Usage, err = decodeUsage(r.usage); err != nil {
		return err
	}
	if e.Seals, err = decodeSeals(r.seals); err != nil {
		return err
	}
	body, err := stored{*r.encoding, r.data}.decode()
	if err != nil {
		return fmt.Errorf("body: %w", err)
	}
	return record.Decode(e, kindOf(r.role), body, fetch)
}

// kindOf tells the kind of an entry: only messages have a role.
func kindOf(role message.Role) history.Kind {
	if role == "" {
		return history.KindCompaction
	}
	return history.KindMessage
}
