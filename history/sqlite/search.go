package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/internal/fulltext"
	"github.com/stemma-history/stemma/message"
)

// Index implements [history.Searcher]. Bodies are read and cut into words
// outside of the write transaction: appends do not wait for that.
func (s *Store) Index(ctx context.Context, limit int) (left int, err error) {
	for limit > 0 {
		batch, err := s.readUnindexed(ctx, min(limit, batchEntries))
		if err != nil {
			return 0, err
		}
		if len(batch) == 0 {
			break
		}
		if err := s.index(ctx, batch); err != nil {
			return 0, err
		}
		limit -= len(batch)
	}
	return s.unindexed(ctx)
}

// unindexed counts the bodies that the index has not read, by the entries that
// are no copies: their rows are thin.
func (s *Store) unindexed(ctx context.Context) (n int, err error) {
	err = s.row(ctx, `SELECT count(*) FROM entry WHERE n > (SELECT body FROM indexed) AND body = n`, nil, &n)
	return n, s.failure(err)
}

// entryOfBody gives the number of an entry that has the body b: the one that it
// was stored with, or a copy.
const entryOfBody = `ifnull((SELECT n FROM entry WHERE n = b.n AND body = b.n), (SELECT min(n) FROM entry WHERE body = b.n AND body <> n))`

// unread is a body that the index has not read, with its words.
type unread struct {
	n     int64
	words []byte
}

func (s *Store) readUnindexed(ctx context.Context, limit int) ([]unread, error) {
	var batch []unread
	size := 0
	err := s.each(ctx, `
SELECT b.n, b.encoding, b.data, e.role FROM body b LEFT JOIN entry e ON e.n = `+entryOfBody+`
WHERE b.n > (SELECT body FROM indexed) ORDER BY b.n LIMIT ?1`, []any{limit}, func(scan func(...any) error) error {
		var body stored
		var role message.Role
		var u unread
		if err := scan(&u.n, &body.encoding, &body.data, text(&role)); err != nil {
			return err
		}
		if kindOf(role) == history.KindMessage {
			u.words = s.wordsOf(ctx, body)
		}
		batch = append(batch, u)
		if size += len(u.words) + len(body.data); size > 8*batchBytes {
			return errStop
		}
		return ctx.Err()
	})
	if errors.Is(err, errStop) {
		err = nil
	}
	return batch, err
}

// wordsOf returns the words of a message, or none where its body is damaged:
// Check tells about it, and the others must still be found.
func (s *Store) wordsOf(ctx context.Context, body stored) []byte {
	data, err := body.decode()
	if err != nil {
		return nil
	}
	fetch := s.fetch(ctx)
	m, err := message.Decode(data, func(hash message.Hash) ([]byte, error) {
		// Of a text in pieces this leaves holes behind what is read of it.
		text, err := fetch(hash)
		return text[:min(len(text), fulltext.MaxText+utf8.UTFMax)], err
	})
	if err != nil {
		return nil
	}
	return fulltext.AppendMessage(nil, &m)
}

// index stores the words of a batch, unless another process was faster.
func (s *Store) index(ctx context.Context, batch []unread) error {
	return s.write(ctx, func(t *tx) error {
		var indexed int64
		if err := t.row(`SELECT body FROM indexed`, nil, &indexed); err != nil {
			return err
		}
		last := batch[len(batch)-1].n
		if indexed >= last {
			return nil
		}
		for _, u := range batch {
			if u.n <= indexed || len(u.words) == 0 {
				continue
			}
			if _, err := t.exec(`INSERT INTO words (rowid, text) VALUES (?1, ?2)`, u.n, string(u.words)); err != nil {
				return fmt.Errorf("index: %w", err)
			}
		}
		_, err := t.exec(`UPDATE indexed SET body = ?1`, last)
		return err
	})
}

// Search implements [history.Searcher].
func (s *Store) Search(ctx context.Context, q history.SearchQuery) (result history.SearchResult, err error) {
	query, err := fulltext.Parse(q.Text)
	if err != nil {
		return result, err
	}
	where, args := "", []any{matchExpression(query), 20}
	if q.Limit > 0 {
		args[1] = q.Limit
	}
	if q.Conversation != (history.ID{}) {
		c, err := s.conversation(ctx, q.Conversation)
		if err != nil {
			return result, err
		}
		where, args = " AND e.conversation = ?3", append(args, c.n)
	}
	if result.Unindexed, err = s.unindexed(ctx); err != nil {
		return result, err
	}
	var found []foundRow
	err = s.eachFound(ctx, `
SELECT c.id, e.n, e.role FROM words
CROSS JOIN entry e ON (e.n = words.rowid AND e.body = e.n OR e.body = words.rowid AND e.body <> e.n)
CROSS JOIN conversation c ON c.n = e.conversation
WHERE words MATCH ?1`+where+` ORDER BY words.rank, e.n LIMIT ?2`, args, func(scan func(...any) error) error {
		found = append(found, foundRow{})
		f := &found[len(found)-1]
		return scan(idColumn{&f.conversation}, &f.at.n, text(&f.role))
	})
	if err != nil {
		return result, err
	}
	for _, f := range found {
		hit, err := s.hit(ctx, f, query)
		if err != nil {
			return result, err
		}
		result.Hits = append(result.Hits, hit)
	}
	return result, nil
}

// foundRow is an entry that the index found.
type foundRow struct {
	conversation history.ID
	at           numbered
	role         message.Role
}

// hit reads what was found. An entry that was damaged since it was indexed is a
// hit with an excerpt that says so.
func (s *Store) hit(ctx context.Context, f foundRow, query fulltext.Query) (history.Hit, error) {
	batch, err := s.batch(ctx, f.conversation, []numbered{f.at})
	if err != nil {
		return history.Hit{}, err
	}
	e := batch[0].entry
	hit := history.Hit{Conversation: f.conversation, Entry: e.ID, Handle: e.Handle(), Role: f.role, Created: e.Created}
	if damaged, ok := errors.AsType[*history.DamagedError](batch[0].err); ok {
		hit.Entry, hit.Excerpt = damaged.Entry, damaged.Error()
		return hit, nil
	}
	hit.Excerpt, hit.Match = fulltext.Excerpt(e.Message, query)
	return hit, nil
}

// matchExpression writes a query in the language of FTS5. Words are letters
// and digits only, so nothing in them can be taken for syntax.
func matchExpression(q fulltext.Query) string {
	var b strings.Builder
	for i, p := range q.Phrases {
		if i > 0 {
			b.WriteString(" AND ")
		}
		b.WriteString(`"` + strings.Join(p.Words, " ") + `"`)
		if p.Prefix {
			b.WriteString(" *")
		}
	}
	return b.String()
}
