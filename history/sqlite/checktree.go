package sqlite

import (
	"fmt"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// checkedEntry is what a tree knows of an entry, and what it should know.
type checkedEntry struct {
	id                           history.ID
	n, parent, depth, compaction int64
	isCompaction                 bool
	wantDepth, wantCompaction    int64
	hasChildren                  bool
	unreadable                   error // what is known of an answer
}

// tree checks how the entries of a conversation hang together. Parents have
// smaller numbers than their children, so one pass in the order of numbers
// knows each parent before its children, and no cycle can be missed.
func (c *checker) tree(v *conversation) error {
	entries := map[int64]*checkedEntry{}
	var order []*checkedEntry
	err := c.s.each(c.ctx, `SELECT n, id, parent, depth, role, last_compaction, usage, seals FROM entry WHERE conversation = ?1 ORDER BY n`, []any{v.n},
		func(scan func(...any) error) error {
			e := &checkedEntry{}
			var role message.Role
			var usage string
			var seals []byte
			err := scan(&e.n, idColumn{&e.id}, numberColumn{&e.parent}, &e.depth, text(&role), numberColumn{&e.compaction}, text(&usage), &seals)
			_, e.unreadable = decodeUsage(usage)
			if _, err := decodeSeals(seals); err != nil {
				e.unreadable = err
			}
			e.isCompaction = kindOf(role) == history.KindCompaction
			entries[e.n] = e
			order = append(order, e)
			return err
		})
	if err != nil {
		return err
	}
	for _, e := range order {
		if err := c.entry(v, e, entries); err != nil {
			return err
		}
	}
	if err := c.conversation(v, order, entries); err != nil {
		return err
	}
	for _, e := range order {
		if !e.hasChildren {
			if err := c.leaf(v, e.id); err != nil {
				return err
			}
		}
	}
	return nil
}

// entry compares an entry with its parent.
func (c *checker) entry(v *conversation, e *checkedEntry, entries map[int64]*checkedEntry) error {
	if e.unreadable != nil {
		if err := c.report(history.Problem{
			Conversation: v.ID, Entry: e.id, What: "what its provider said of it is damaged: " + e.unreadable.Error(),
			Advice: "restore the file from a backup, or import the conversation again; the rest can be read",
		}); err != nil {
			return err
		}
	}
	e.wantDepth = 1
	if e.parent != 0 {
		parent := entries[e.parent]
		if parent == nil || parent.n >= e.n {
			e.wantDepth, e.wantCompaction = e.depth, e.compaction
			if e.isCompaction {
				e.wantCompaction = e.n
			}
			return c.report(history.Problem{
				Conversation: v.ID, Entry: e.id,
				What:   "the entry it continues from is missing, or is not an earlier one of the same conversation: paths through it begin here",
				Advice: "restore the file from a backup, or import the conversation again",
			})
		}
		parent.hasChildren = true
		e.wantDepth, e.wantCompaction = parent.wantDepth+1, parent.wantCompaction
	}
	if e.isCompaction {
		e.wantCompaction = e.n
	}
	if e.depth == e.wantDepth && e.compaction == e.wantCompaction {
		return nil
	}
	what := fmt.Sprintf("its depth is %d, by its path it is %d", e.depth, e.wantDepth)
	if e.depth == e.wantDepth {
		what = "it does not name the nearest compaction on its path"
	}
	return c.mend(history.Problem{Conversation: v.ID, Entry: e.id, What: what}, func(t *tx) error {
		_, err := t.exec(`UPDATE entry SET depth = ?2, last_compaction = ?3 WHERE n = ?1`, e.n, e.wantDepth, numberOrNull(e.wantCompaction))
		return err
	})
}

// conversation compares what the conversation says of its tree with the tree.
func (c *checker) conversation(v *conversation, order []*checkedEntry, entries map[int64]*checkedEntry) error {
	if v.tip != 0 && entries[v.tip] == nil {
		var newest int64 // has no children: theirs would be newer
		if len(order) > 0 {
			newest = order[len(order)-1].n
		}
		if err := c.mend(history.Problem{Conversation: v.ID, What: "the tip is none of its entries; the newest entry takes its place"}, func(t *tx) error {
			_, err := t.exec(`UPDATE conversation SET tip = ?2 WHERE n = ?1`, v.n, numberOrNull(newest))
			return err
		}); err != nil {
			return err
		}
	}
	if v.importedTip != 0 && entries[v.importedTip] == nil {
		if err := c.mend(history.Problem{Conversation: v.ID, What: "where the last import put the tip is none of its entries; imports leave the tip alone from now on"}, func(t *tx) error {
			_, err := t.exec(`UPDATE conversation SET imported_tip = NULL WHERE n = ?1`, v.n)
			return err
		}); err != nil {
			return err
		}
	}
	if v.Entries == len(order) {
		return nil
	}
	return c.mend(history.Problem{Conversation: v.ID, What: fmt.Sprintf("it says that it has %d entries, and has %d", v.Entries, len(order))}, func(t *tx) error {
		_, err := t.exec(`UPDATE conversation SET entries = (SELECT count(*) FROM entry WHERE conversation = ?1) WHERE n = ?1`, v.n)
		return err
	})
}
