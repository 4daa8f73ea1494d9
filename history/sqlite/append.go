package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/internal/record"
	"github.com/stemma-history/stemma/message"
)

// Append implements [history.Entries].
func (s *Store) Append(ctx context.Context, r history.AppendRequest) ([]history.Entry, error) {
	entries, records, err := s.source.Append(r)
	if err != nil {
		return nil, err
	}
	rows, err := encodeRows(entries, records)
	if err != nil {
		return nil, err
	}
	blobs, err := encodeBlobs(r.Blobs)
	if err != nil {
		return nil, err
	}
	var moved error
	err = s.write(ctx, func(t *tx) error {
		moved, err = s.append(t, r, rows, blobs)
		return err
	})
	if err != nil {
		return nil, err
	}
	return entries, moved
}

// append is the transaction of Append. moved is a TipMovedError where the
// entries stand as a branch.
func (s *Store) append(t *tx, r history.AppendRequest, rows []row, blobs []storedBlob) (moved, err error) {
	c, tip, next, err := t.head(r.Conversation)
	if err != nil {
		return nil, err
	}
	at, err := s.parent(t, &c, tip, r.Parent)
	if err != nil {
		return nil, err
	}
	if err := t.putBlobs(blobs); err != nil {
		return nil, err
	}
	a := &adder{tx: t, c: &c, next: next}
	for i := range rows {
		if at, err = a.append(at, &rows[i]); err != nil {
			return nil, err
		}
	}
	if err := t.release(&c, r); err != nil {
		return nil, err
	}
	if c.Tip == r.ExpectedTip {
		return nil, t.moveTip(&c, at.n, s.source)
	}
	if a.added == 0 { // saved by an earlier try; others may have gone on from there
		below, err := t.onPath(at, c.tip)
		if below || err != nil {
			return nil, err
		}
	}
	moved = &history.TipMovedError{Conversation: c.ID, Expected: r.ExpectedTip, Actual: c.Tip, Stored: rows[len(rows)-1].ID}
	return moved, t.moveTip(&c, c.tip, s.source)
}

// parent returns the place to continue from. A tip is a boundary; others are
// looked at, over a connection of their own: what they tell never changes.
func (s *Store) parent(t *tx, c *conversation, tip place, id history.ID) (place, error) {
	switch id {
	case history.ID{}:
		return place{}, nil
	case c.Tip:
		return tip, nil
	}
	if _, err := history.BoundaryAt(t.ctx, s, c.ID, id); err != nil {
		return place{}, err
	}
	return t.place(c, id)
}

// head reads of a conversation, in one query, what an append at its tip needs:
// its number, its tip and that entry's place, its count, and the next free
// number of an entry.
func (t *tx) head(id history.ID) (c conversation, tip place, next int64, err error) {
	c.ID = id
	err = t.row(`
SELECT c.n, c.entries, c.tip, t.id, t.depth, t.last_compaction, k.id, (`+selectNext+`)
FROM conversation c LEFT JOIN entry t ON t.n = c.tip LEFT JOIN entry k ON k.n = t.last_compaction WHERE c.id = ?1`, []any{id[:]},
		&c.n, &c.Entries, numberColumn{&c.tip}, idColumn{&c.Tip}, numberColumn{&tip.depth}, numberColumn{&tip.compaction}, idColumn{&tip.compactionID}, &next)
	tip.n = c.tip
	return c, tip, next, orNotFound(err, "conversation %v", id)
}

// selectNext gives the number of the next entry, and of its body.
const selectNext = `SELECT 1 + max(ifnull((SELECT max(n) FROM entry), 0), ifnull((SELECT max(n) FROM body), 0))`

// release drops what an append takes over: a draft, queued prompts.
func (t *tx) release(c *conversation, r history.AppendRequest) error {
	if r.Run != (history.ID{}) {
		if _, err := t.exec(deleteDraft, c.n, r.Run[:]); err != nil {
			return err
		}
	}
	for _, id := range r.Dequeue {
		if _, err := t.exec(deleteQueued, c.n, id[:]); err != nil {
			return err
		}
	}
	return nil
}

// onPath reports whether a is on the path to the entry tip.
func (t *tx) onPath(a place, tip int64) (bool, error) {
	var at int64
	err := t.row(`
WITH RECURSIVE path(n, parent, depth) AS (
  SELECT n, parent, depth FROM entry WHERE n = ?1
  UNION ALL
  SELECT e.n, e.parent, e.depth FROM path CROSS JOIN entry e ON e.n = path.parent WHERE path.depth > ?2
)
SELECT n FROM path WHERE depth = ?2`, []any{tip, a.depth}, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return at == a.n, err
}

// place is where an entry stands in the tree. The zero place is above the roots.
type place struct {
	n, depth     int64
	compaction   int64 // the nearest at or above
	compactionID history.ID
}

const selectPlace = `
SELECT e.n, e.depth, e.last_compaction, k.id, e.conversation, p.id FROM entry e
LEFT JOIN entry k ON k.n = e.last_compaction LEFT JOIN entry p ON p.n = e.parent WHERE e.id = ?1`

// find returns the place of an id, in whichever conversation.
func (t *tx) find(id history.ID) (at place, conversation int64, parent history.ID, err error) {
	err = t.row(selectPlace, []any{id[:]}, &at.n, &at.depth, numberColumn{&at.compaction}, idColumn{&at.compactionID}, &conversation, idColumn{&parent})
	return at, conversation, parent, err
}

// place returns the place of an entry of a conversation.
func (t *tx) place(c *conversation, id history.ID) (place, error) {
	at, owner, _, err := t.find(id)
	if err == nil && owner != c.n {
		err = sql.ErrNoRows
	}
	return at, orNotFound(err, "conversation %v: entry %v", c.ID, id)
}

// row is an entry on its way into the file.
type row struct {
	*history.Entry
	record record.Record
	body   stored
	usage  any
	blobs  []storedBlob
}

// encodeRows does what needs no transaction: compressing, above all, but of large
// blobs.
func encodeRows(entries []history.Entry, records []record.Record) ([]row, error) {
	rows := make([]row, len(entries))
	for i := range entries {
		r := row{Entry: &entries[i], record: records[i]}
		var err error
		if r.body, err = encode(r.record.Body, "application/json", nil); err == nil {
			r.blobs, err = encodeBlobs(r.record.Blobs)
		}
		if err == nil {
			r.usage, err = encodeUsage(r.Usage)
		}
		if err != nil {
			return nil, inEntry(r.Entry, err)
		}
		r.record.Body, r.record.Blobs = nil, nil
		rows[i] = r
	}
	return rows, nil
}

// inEntry says which entry an error is about.
func inEntry(e *history.Entry, err error) error {
	if e.Source != "" {
		return fmt.Errorf("entry %v (record %q): %w", e.ID, e.Source, err)
	}
	return fmt.Errorf("entry %v: %w", e.ID, err)
}

// adder numbers and stores the new entries of a transaction.
type adder struct {
	*tx
	c     *conversation
	added int
	next  int64
}

// append stores an entry under parent and sets what the entry learns by that.
// An entry that stands there already is left as it is.
func (a *adder) append(parent place, r *row) (place, error) {
	var left int64
	if r.Left != (history.ID{}) {
		at, err := a.place(a.c, r.Left)
		if err != nil {
			return place{}, fmt.Errorf("the tip that was left: %w", err)
		}
		left = at.n
	}
	at, err := a.put(parent, r, left)
	if err == nil && at == (place{}) {
		var owner int64
		var under history.ID
		at, owner, under, err = a.find(r.ID)
		if err == nil && (owner != a.c.n || under != r.Parent) {
			err = a.taken(r.ID)
		}
	}
	r.Depth, r.LastCompaction = int(at.depth), at.compactionID
	return at, err
}

// taken says where an id is in use.
func (a *adder) taken(id history.ID) error {
	var conversation history.ID
	err := a.row(`SELECT c.id FROM entry e JOIN conversation c ON c.n = e.conversation WHERE e.id = ?1`, []any{id[:]}, idColumn{&conversation})
	if err != nil {
		return err
	}
	return fmt.Errorf("entry %v: %w, elsewhere in conversation %v", id, history.ErrExists, conversation)
}

// put stores an entry under parent. It returns the zero place where the id is
// taken.
func (a *adder) put(parent place, r *row, left int64) (place, error) {
	at := place{n: a.next, depth: parent.depth + 1, compaction: parent.compaction, compactionID: parent.compactionID}
	if r.record.Kind == history.KindCompaction {
		at.compaction, at.compactionID = at.n, r.ID
	}
	changed, err := a.exec(`
INSERT INTO entry (n, id, conversation, parent, depth, role, author, created, body, last_compaction, left_tip, source, usage, frame, seals, bytes, preview)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
		at.n, r.ID[:], a.c.n, numberOrNull(parent.n), at.depth, textOrNull(string(r.record.Role)), string(r.record.Author),
		r.Created.UnixMicro(), at.n, numberOrNull(at.compaction), numberOrNull(left), textOrNull(r.Source),
		r.usage, hashOrNull(r.Frame), encodeSeals(r.Seals), r.record.Bytes, r.record.Preview)
	if err != nil || changed == 0 {
		return place{}, err
	}
	if _, err := a.exec(`INSERT INTO body (n, encoding, data) VALUES (?, ?, ?)`, at.n, r.body.encoding, r.body.data); err != nil {
		return place{}, err
	}
	if err := a.putBlobs(r.blobs); err != nil {
		return place{}, err
	}
	a.next++
	a.added++
	a.c.Entries++
	return at, nil
}

// lateFrom is from how many bytes on a blob is compressed in the transaction, just
// before it is stored, so that those of a message of hundreds of megabytes are not
// in memory twice. What an agent appends is smaller mostly, and compressed before
// others have to wait.
const lateFrom = 1 << 20

// storedBlob is a blob as its row keeps it.
type storedBlob struct {
	message.Blob
	stored // without data where it is encoded late
}

func encodeBlobs(blobs []message.Blob) ([]storedBlob, error) {
	all := make([]storedBlob, len(blobs))
	for i, b := range blobs {
		all[i].Blob = b
		if len(b.Data) >= lateFrom {
			continue
		}
		var err error
		if all[i].stored, err = encodeBlob(b, nil); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func encodeBlob(b message.Blob, room *[]byte) (stored, error) {
	s, err := encode(b.Data, b.Type, room)
	if err != nil {
		return stored{}, fmt.Errorf("blob %v: %w", b.Hash, err)
	}
	return s, nil
}

func (t *tx) putBlobs(blobs []storedBlob) error {
	var room []byte
	for _, b := range blobs {
		s := b.stored
		if s.data == nil {
			var err error
			if s, err = encodeBlob(b.Blob, &room); err != nil {
				return err
			}
		}
		if _, err := t.exec(`INSERT INTO blob (hash, type, size, encoding, data) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (hash) DO NOTHING`,
			b.Hash[:], b.Type, len(b.Data), s.encoding, s.data); err != nil {
			return err
		}
	}
	return nil
}
