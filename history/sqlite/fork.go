package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/internal/record"
)

// forkBatch is how many entries one statement copies: its ids are all that a
// fork holds in memory.
const forkBatch = 1024

// Fork implements [history.Entries]. No body leaves the file: the rows are
// copied inside, and only their new ids come from here.
func (s *Store) Fork(ctx context.Context, r history.ForkRequest) (fork history.Conversation, err error) {
	err = s.write(ctx, func(t *tx) error {
		origin, err := t.conversation(r.At.Conversation())
		if err != nil {
			return err
		}
		at, err := t.place(&origin, r.At.Entry())
		if err != nil {
			return err
		}
		v := record.Fork(&origin.Conversation, r)
		switch old, err := t.conversation(r.ID); {
		case err == nil && old.ForkedFrom == v.ForkedFrom: // by an earlier try
			fork = old.Conversation
			return nil
		case err == nil:
			return fmt.Errorf("conversation %v: %w", r.ID, history.ErrExists)
		case !errors.Is(err, history.ErrNotFound):
			return err
		}
		c, err := s.create(t, v)
		if err != nil {
			return err
		}
		if err := s.copyInto(t, &c, &origin, at); err != nil {
			return err
		}
		c, err = t.conversation(c.ID)
		fork = c.Conversation
		return err
	})
	return fork, err
}

// copyInto copies the path to an entry and its marks. The copies are numbered
// in a row, so that the copy of an entry of depth d is number base + d.
func (s *Store) copyInto(t *tx, c, origin *conversation, at place) error {
	var base int64
	if err := t.row(selectNext, nil, &base); err != nil {
		return err
	}
	base-- // the copy of an entry of depth 1 is the next entry
	ends, err := t.batchEnds(at)
	if err != nil {
		return err
	}
	if ends[1] == 0 {
		return errors.New("the path has no beginning: it is damaged (stemma check tells more)")
	}
	for depth := int64(1); depth <= at.depth; depth += forkBatch {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		last := min(depth+forkBatch-1, at.depth)
		copied, err := t.exec(copyPath, ends[last], depth, base, c.n, s.newIDs(last-depth+1))
		if err != nil {
			return err
		}
		if want := last - depth + 1; copied != want {
			return fmt.Errorf("the path from %d to %d has %d entries: it is damaged (stemma check tells more)", depth, last, copied)
		}
	}
	if err := s.copyCheckpoints(t, c, origin, base); err != nil {
		return err
	}
	if _, err := t.exec(copyPins, c.n, origin.n, base); err != nil {
		return err
	}
	c.Entries = int(at.depth)
	return t.moveTip(c, base+at.depth, s.source)
}

// batchEnds returns the root and the last entries of the batches of a path, by
// depth.
func (t *tx) batchEnds(at place) (map[int64]int64, error) {
	ends := map[int64]int64{}
	err := t.each(`
WITH RECURSIVE path(n, parent, depth) AS (
  SELECT n, parent, depth FROM entry WHERE n = ?1
  UNION ALL
  SELECT e.n, e.parent, e.depth FROM path CROSS JOIN entry e ON e.n = path.parent WHERE e.n < path.n
)
SELECT n, depth FROM path WHERE depth % ?2 = 0 OR depth = 1 OR n = ?1`, []any{at.n, forkBatch}, func(scan func(...any) error) error {
		var n, depth int64
		err := scan(&n, &depth)
		ends[depth] = n
		return err
	})
	return ends, err
}

// copyPath copies the entries from depth ?2 down to the entry ?1 into the
// conversation ?4, with base ?3 and the ids ?5.
const copyPath = `
INSERT INTO entry (n, id, conversation, parent, depth, role, author, created, body, last_compaction, usage, frame, seals, bytes, preview)
WITH RECURSIVE path(n, parent, depth) AS (
  SELECT n, parent, depth FROM entry WHERE n = ?1
  UNION ALL
  SELECT e.n, e.parent, e.depth FROM path CROSS JOIN entry e ON e.n = path.parent WHERE path.depth > ?2 AND e.n < path.n
)
SELECT ?3 + e.depth, substr(?5, 16 * (e.depth - ?2) + 1, 16), ?4, iif(e.depth = 1, NULL, ?3 + e.depth - 1), e.depth,
  e.role, e.author, e.created, e.body, ?3 + (SELECT k.depth FROM entry k WHERE k.n = e.last_compaction),
  e.usage, e.frame, e.seals, e.bytes, e.preview
FROM path CROSS JOIN entry e ON e.n = path.n ORDER BY path.depth`

// newIDs returns n new ids in a row.
func (s *Store) newIDs(n int64) []byte {
	ids := make([]byte, 0, n*int64(len(history.ID{})))
	for range n {
		id := s.source.NewID()
		ids = append(ids, id[:]...)
	}
	return ids
}

// onCopiedPath joins a mark k to the copy of the entry it is on. Only an entry
// of the copied path shares its body with the copy at its depth.
const onCopiedPath = ` k CROSS JOIN entry e ON e.n = k.entry CROSS JOIN entry copy ON copy.n = ?3 + e.depth AND copy.body = e.body AND copy.conversation = ?1
WHERE k.conversation = ?2 ORDER BY k.n`

const copyPins = `INSERT INTO pin (conversation, entry) SELECT ?1, copy.n FROM pin` + onCopiedPath

func (s *Store) copyCheckpoints(t *tx, c, origin *conversation, base int64) error {
	type copied struct {
		history.Checkpoint
		at int64
	}
	var marks []copied
	err := t.each(`SELECT k.name, k.set_by, k.created, copy.n FROM checkpoint`+onCopiedPath, []any{c.n, origin.n, base},
		func(scan func(...any) error) error {
			var m copied
			err := scan(text(&m.Name), text(&m.SetBy), timeColumn{&m.Created}, &m.at)
			marks = append(marks, m)
			return err
		})
	if err != nil {
		return err
	}
	for _, m := range marks {
		m.ID = s.source.NewID()
		if _, err := t.putCheckpoint(c.n, m.at, &m.Checkpoint); err != nil {
			return err
		}
	}
	return nil
}
