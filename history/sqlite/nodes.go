package sqlite

import (
	"context"
	"fmt"
	"iter"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/internal/record"
)

const selectNodes = `
SELECT e.id, p.id, e.depth, e.role, e.author, e.created, e.preview, e.bytes
FROM entry e LEFT JOIN entry p ON p.n = e.parent WHERE e.conversation = ?1`

// Nodes implements [history.Entries]. In the order of their parents' numbers,
// entries stand behind their parents and beside their siblings.
func (s *Store) Nodes(ctx context.Context, conversation history.ID) iter.Seq2[history.Node, error] {
	return s.nodes(ctx, conversation, selectNodes+` ORDER BY e.parent, e.n`, nil)
}

// Children implements [history.Entries].
func (s *Store) Children(ctx context.Context, conversation, parent history.ID) iter.Seq2[history.Node, error] {
	if parent == (history.ID{}) {
		return s.nodes(ctx, conversation, selectNodes+` AND e.parent IS NULL ORDER BY e.n`, nil)
	}
	return s.nodes(ctx, conversation, selectNodes+` AND e.parent = (SELECT n FROM entry WHERE id = ?2) ORDER BY e.n`, parent[:])
}

func (s *Store) nodes(ctx context.Context, conversation history.ID, query string, parent []byte) iter.Seq2[history.Node, error] {
	return func(yield func(history.Node, error) bool) {
		c, err := s.conversation(ctx, conversation)
		if err != nil {
			yield(history.Node{}, err)
			return
		}
		args := []any{c.n}
		if parent != nil {
			args = append(args, parent)
		}
		stream(ctx, s, query, args, readNode)(yield)
	}
}

func readNode(scan func(...any) error) (n history.Node, err error) {
	err = scan(idColumn{&n.ID}, idColumn{&n.Parent}, &n.Depth, text(&n.Role), text(&n.Author), timeColumn{&n.Created}, &n.Preview, &n.Bytes)
	n.Kind = kindOf(n.Role)
	return n, err
}

// EntryBySource implements [history.Entries].
func (s *Store) EntryBySource(ctx context.Context, conversation history.ID, source string) (id history.ID, err error) {
	c, err := s.conversation(ctx, conversation)
	if err != nil {
		return id, err
	}
	err = s.row(ctx, `SELECT id FROM entry WHERE conversation = ?1 AND source = ?2 ORDER BY n LIMIT 1`, []any{c.n, source}, idColumn{&id})
	return id, s.failure(orNotFound(err, "conversation %v: record %q", conversation, source))
}

// FindEntries implements [history.Entries].
func (s *Store) FindEntries(ctx context.Context, conversation history.ID, prefix string, limit int) ([]history.ID, error) {
	c, err := s.conversation(ctx, conversation)
	if err != nil {
		return nil, err
	}
	first, last, ok := record.IDRange(prefix)
	if !ok || limit <= 0 {
		return nil, nil
	}
	var found []history.ID
	err = s.each(ctx, `SELECT id FROM entry WHERE id BETWEEN ?2 AND ?3 AND conversation = ?1 ORDER BY id LIMIT ?4`,
		[]any{c.n, first[:], last[:], limit}, func(scan func(...any) error) error {
			found = append(found, history.ID{})
			return scan(idColumn{&found[len(found)-1]})
		})
	if err != nil {
		return nil, fmt.Errorf("entries that begin with %q: %w", prefix, err)
	}
	return found, nil
}
