package sqlite

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/internal/record"
)

// Import implements [history.Entries].
func (s *Store) Import(ctx context.Context, r history.ImportRequest) (result history.ImportResult, err error) {
	if r.Conversation.ID == (history.ID{}) {
		return result, record.ErrNoID
	}
	if err := record.CheckBlobs(r.Blobs); err != nil {
		return result, err
	}
	places, err := s.stored(ctx, r)
	if err != nil {
		return result, err
	}
	entries := slices.DeleteFunc(slices.Clone(r.Entries), func(e history.Entry) bool { return places[e.ID] != place{} })
	records := make([]record.Record, len(entries))
	for i := range entries {
		e := &entries[i]
		e.Created = record.Time(e.Created)
		if records[i], err = record.Of(e); err == nil && e.ID == (history.ID{}) {
			err = errors.New("it has no id")
		}
		if err != nil {
			return result, inEntry(e, err)
		}
	}
	rows, err := encodeRows(entries, records)
	if err != nil {
		return result, err
	}
	blobs, err := encodeBlobs(r.Blobs)
	if err != nil {
		return result, err
	}
	err = s.write(ctx, func(t *tx) error {
		result, err = s.importRows(t, r, rows, blobs, places)
		return err
	})
	if err != nil {
		return history.ImportResult{}, err
	}
	return result, nil
}

// stored returns the places of those entries that an earlier import has stored,
// so that importing a long file again does not encode all of it again. Most
// imports bring only what is new, which the first entry tells.
func (s *Store) stored(ctx context.Context, r history.ImportRequest) (map[history.ID]place, error) {
	places := map[history.ID]place{{}: {}}
	if len(r.Entries) == 0 {
		return places, nil
	}
	if _, err := s.numberOf(ctx, r.Conversation.ID, r.Entries[0].ID); err != nil {
		if errors.Is(err, history.ErrNotFound) {
			err = nil
		}
		return places, err
	}
	list := []byte{'['}
	for i, e := range r.Entries {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, '"')
		list = hex.AppendEncode(list, e.ID[:])
		list = append(list, '"')
	}
	err := s.each(ctx, `
SELECT e.id, e.n, e.depth, e.last_compaction, k.id FROM json_each(?1) j CROSS JOIN entry e ON e.id = unhex(j.value)
CROSS JOIN conversation c ON c.n = e.conversation LEFT JOIN entry k ON k.n = e.last_compaction WHERE c.id = ?2`,
		[]any{string(append(list, ']')), r.Conversation.ID[:]}, func(scan func(...any) error) error {
			var id history.ID
			var at place
			err := scan(idColumn{&id}, &at.n, &at.depth, numberColumn{&at.compaction}, idColumn{&at.compactionID})
			places[id] = at
			return err
		})
	return places, err
}

// importRows is the transaction of Import.
func (s *Store) importRows(t *tx, r history.ImportRequest, rows []row, blobs []storedBlob, places map[history.ID]place) (result history.ImportResult, err error) {
	c, err := t.conversation(r.Conversation.ID)
	if errors.Is(err, history.ErrNotFound) {
		result.Created = true
		c, err = s.create(t, r.Conversation)
	}
	if err != nil {
		return result, err
	}
	if err := t.putBlobs(blobs); err != nil {
		return result, err
	}
	i := &importer{adder: &adder{tx: t, c: &c}, places: places}
	if err := t.row(selectNext, nil, &i.next); err != nil {
		return result, err
	}
	for at := range rows {
		if err := i.add(&rows[at]); err != nil {
			return result, inEntry(rows[at].Entry, err)
		}
	}
	if err := i.setLeft(); err != nil {
		return result, err
	}
	marked, err := i.mark(r.Checkpoints)
	if err != nil {
		return result, err
	}
	moved, err := i.moveTip(r.Tip)
	if err != nil {
		return result, err
	}
	result.Added = i.added
	result.TipMoved = r.Tip != (history.ID{}) && c.Tip == r.Tip
	if filled := record.FillIn(&c.Conversation, r.Conversation); !filled && !moved && !marked && !result.Created && result.Added == 0 {
		return result, nil
	}
	c.Updated = s.source.ImportedAt(&c.Conversation, r, result)
	return result, t.update(&c)
}

// importer stores entries whose places come from one another.
type importer struct {
	*adder
	places map[history.ID]place // of none, of the entries of this import, and of others that were looked up
	left   []*row               // entries that name a tip that was left
}

// at returns the place of an entry of the conversation.
func (i *importer) at(id history.ID) (place, error) {
	if at, ok := i.places[id]; ok {
		return at, nil
	}
	at, err := i.place(i.c, id)
	if err == nil {
		i.places[id] = at
	}
	return at, err
}

// add stores an entry, if it is new.
func (i *importer) add(r *row) error {
	if _, again := i.places[r.ID]; again {
		return nil
	}
	if err := i.ctx.Err(); err != nil {
		return err
	}
	parent, err := i.at(r.Parent)
	if err != nil {
		return fmt.Errorf("parent: %w; a parent must stand before its children", err)
	}
	at, err := i.put(parent, r, 0)
	if err != nil {
		return err
	}
	if at == (place{}) { // stored already
		if _, err = i.at(r.ID); errors.Is(err, history.ErrNotFound) {
			err = i.taken(r.ID)
		}
		return err
	}
	i.places[r.ID] = at
	if r.Left != (history.ID{}) {
		i.left = append(i.left, r)
	}
	return nil
}

// setLeft links digests to the tips that were left, which may stand behind them.
func (i *importer) setLeft() error {
	for _, r := range i.left {
		left, err := i.at(r.Left)
		if err != nil {
			return fmt.Errorf("the tip that was left: %w", err)
		}
		if _, err := i.exec(`UPDATE entry SET left_tip = ?2 WHERE n = ?1`, i.places[r.ID].n, left.n); err != nil {
			return err
		}
	}
	return nil
}

// mark stores the checkpoints that are new.
func (i *importer) mark(marks []history.Checkpoint) (changed bool, err error) {
	for _, m := range marks {
		at, err := i.at(m.Entry)
		switch {
		case err != nil:
			return false, fmt.Errorf("checkpoint %q: %w", m.Name, err)
		case at == (place{}) || m.ID == (history.ID{}):
			return false, fmt.Errorf("checkpoint %q: expected an id and an entry", m.Name)
		}
		m.Created = record.Time(m.Created)
		added, err := i.putCheckpoint(i.c.n, at.n, &m)
		if err == nil && !added {
			_, err = i.checkpoint(i.c.ID, m.ID)
		}
		if err != nil {
			return false, err
		}
		changed = changed || added
	}
	return changed, nil
}

// moveTip follows the other tool, if nobody else has moved the tip.
func (i *importer) moveTip(tip history.ID) (moved bool, err error) {
	if tip == (history.ID{}) {
		return false, nil
	}
	at, err := i.at(tip)
	if err != nil {
		return false, fmt.Errorf("tip: %w", err)
	}
	if i.c.tip != i.c.importedTip || i.c.tip == at.n {
		return false, nil
	}
	i.c.tip, i.c.importedTip, i.c.Tip = at.n, at.n, tip
	return true, nil
}
