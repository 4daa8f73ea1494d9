package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/stemma-history/stemma/history"
)

// Check implements [history.Checker]. What can be made again from what is
// there (indexes, depths, compactions, counts, tips) is mended; nothing that
// someone said, marked or queued is ever removed.
func (s *Store) Check(ctx context.Context, repair bool) iter.Seq2[history.Problem, error] {
	return func(yield func(history.Problem, error) bool) {
		c := &checker{ctx: ctx, s: s, repair: repair, yield: yield}
		for _, step := range []func() error{c.file, c.searchIndex, c.links, c.trees, c.bodies, c.blobs} {
			err := step()
			if errors.Is(err, errStop) {
				return
			}
			if err != nil {
				yield(history.Problem{}, err)
				return
			}
		}
	}
}

// checker is one run of Check.
type checker struct {
	ctx    context.Context
	s      *Store
	repair bool
	yield  func(history.Problem, error) bool
}

// report tells a problem that cannot be mended.
func (c *checker) report(p history.Problem) error {
	if !c.yield(p, nil) {
		return errStop
	}
	return nil
}

// mend tells a problem, and mends it first where that is wanted.
func (c *checker) mend(p history.Problem, f func(*tx) error) error {
	p.Advice = "check with repair mends it"
	if c.repair {
		if err := c.s.write(c.ctx, f); err != nil {
			p.Advice = "mending failed: " + err.Error()
		} else {
			p.Repaired, p.Advice = true, ""
		}
	}
	return c.report(p)
}

func (c *checker) each(query string, f func(scan func(...any) error) error) error {
	return c.s.each(c.ctx, query, nil, f)
}

// file lets SQLite check its own structures.
func (c *checker) file() error {
	wrong, err := c.integrity()
	if err != nil {
		return c.s.failure(err)
	}
	for _, line := range wrong {
		p := history.Problem{What: "SQLite: " + line}
		switch {
		case strings.Contains(strings.ToLower(line), "fts5"):
			err = c.mend(p, rebuildWords)
		case strings.Contains(line, "index"): // missing from it, or wrong number of entries
			err = c.mend(p, func(t *tx) error { _, err := t.exec(`REINDEX`); return err })
		default:
			p.Advice = "the file itself is damaged: keep a copy of it, then export what can be read, or use .recover of the sqlite3 shell"
			err = c.report(p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// integrity returns what SQLite finds wrong. A connection remembers what the
// search index looked like at its last search, and integrity_check alone does
// not notice that it has changed since: a search before, in the same
// transaction, makes it look again.
func (c *checker) integrity() (wrong []string, err error) {
	conn, err := c.s.db.Readers.Conn(c.ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	tx, err := conn.BeginTx(c.ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	var found int64
	_ = tx.QueryRowContext(c.ctx, `SELECT rowid FROM words WHERE words MATCH 'x' LIMIT 1`).Scan(&found)
	rows, err := tx.QueryContext(c.ctx, `PRAGMA integrity_check`)
	if err != nil {
		return nil, err
	}
	return wrong, eachRow(rows, func(scan func(...any) error) error {
		var line string
		err := scan(&line)
		if line != "ok" {
			wrong = append(wrong, line)
		}
		return err
	})
}

// searchIndex looks whether the index claims to be further than the bodies are.
func (c *checker) searchIndex() error {
	var marks, ahead int
	err := c.s.row(c.ctx, `SELECT count(*), ifnull(sum(body < 0 OR body > (SELECT ifnull(max(n), 0) FROM body)), 0) FROM indexed`, nil, &marks, &ahead)
	if err != nil || marks == 1 && ahead == 0 {
		return c.s.failure(err)
	}
	return c.mend(history.Problem{What: "the search index does not say how far it is; it has to be built again"}, rebuildWords)
}

// rebuildWords empties the search index. Index fills it again.
func rebuildWords(t *tx) error {
	for _, statement := range []string{`INSERT INTO words (words) VALUES ('delete-all')`, `DELETE FROM indexed`, `INSERT INTO indexed VALUES (0)`} {
		if _, err := t.exec(statement); err != nil {
			return err
		}
	}
	return nil
}

// links finds rows that point to what is not there.
func (c *checker) links() error {
	const restore = "restore it from a backup or import it again"
	for _, l := range []struct{ query, what, advice string }{
		{`SELECT NULL, e.id FROM entry e LEFT JOIN conversation c ON c.n = e.conversation WHERE c.n IS NULL`,
			"the conversation it belongs to is missing", restore},
		{`SELECT c.id, e.id FROM entry e JOIN conversation c ON c.n = e.conversation LEFT JOIN body b ON b.n = e.body WHERE b.n IS NULL`,
			"its body is missing: what it said is lost", restore},
		{`SELECT c.id, e.id FROM entry e JOIN conversation c ON c.n = e.conversation LEFT JOIN entry l ON l.n = e.left_tip
			WHERE e.left_tip IS NOT NULL AND l.conversation IS NOT e.conversation`,
			"the tip that its rewind left is missing", "the digest stands; the branch that was left cannot be found from here"},
		{`SELECT c.id, e.id FROM entry e JOIN conversation c ON c.n = e.conversation LEFT JOIN blob b ON b.hash = e.frame
			WHERE e.frame IS NOT NULL AND b.hash IS NULL`,
			"the frame of its request is missing", "the next request is made with a new frame"},
		{`SELECT c.id, NULL FROM checkpoint k LEFT JOIN conversation c ON c.n = k.conversation LEFT JOIN entry e ON e.n = k.entry
			WHERE c.n IS NULL OR e.conversation IS NOT k.conversation`,
			"a checkpoint marks an entry that the conversation does not have", "it is not offered; set it again"},
		{`SELECT c.id, NULL FROM pin k LEFT JOIN conversation c ON c.n = k.conversation LEFT JOIN entry e ON e.n = k.entry
			WHERE c.n IS NULL OR e.conversation IS NOT k.conversation`,
			"a pin is on an entry that the conversation does not have", "it has no effect; pin the entry again"},
		{`SELECT NULL, NULL FROM queued q LEFT JOIN conversation c ON c.n = q.conversation WHERE c.n IS NULL`,
			"a queued prompt belongs to a conversation that is missing", restore},
		{`SELECT c.id, NULL FROM draft d LEFT JOIN conversation c ON c.n = d.conversation LEFT JOIN entry e ON e.n = d.parent
			WHERE c.n IS NULL OR d.parent IS NOT NULL AND e.conversation IS NOT d.conversation`,
			"a draft continues from an entry that the conversation does not have", "its text can still be read; discard it when it is not needed"},
	} {
		err := c.each(l.query, func(scan func(...any) error) error {
			p := history.Problem{What: l.what, Advice: l.advice}
			if err := scan(idColumn{&p.Conversation}, idColumn{&p.Entry}); err != nil {
				return err
			}
			return c.report(p)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// trees checks the conversations one by one.
func (c *checker) trees() error {
	for v, err := range stream(c.ctx, c.s, selectConversation+` ORDER BY c.n`, nil, func(scan func(...any) error) (v conversation, err error) {
		err = v.scan(scan)
		return v, err
	}) {
		if err == nil {
			err = c.tree(&v)
		}
		if err == nil {
			err = c.pending(&v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pending checks that what is queued and drafted can be read.
func (c *checker) pending(v *conversation) error {
	_, queue := c.s.Queue(c.ctx, v.ID)
	_, drafts := c.s.Drafts(c.ctx, v.ID)
	for _, err := range []error{queue, drafts} {
		if err == nil {
			continue
		}
		if c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		if err := c.report(history.Problem{Conversation: v.ID, What: err.Error(), Advice: "take it back or discard it by its id"}); err != nil {
			return err
		}
	}
	return nil
}

// leaf checks that no path of a conversation ends inside a turn.
func (c *checker) leaf(v *conversation, id history.ID) error {
	_, err := history.BoundaryAt(c.ctx, c.s, v.ID, id)
	mid, ok := errors.AsType[*history.MidTurnError](err)
	if !ok {
		return c.ctx.Err() // damage on the way is told by other checks
	}
	return c.report(history.Problem{
		Conversation: v.ID,
		Entry:        id,
		What:         "a path ends inside a turn: " + mid.Error(),
		Advice:       fmt.Sprintf("it can be read and is answered as interrupted; go on from %v", mid.Before),
	})
}
