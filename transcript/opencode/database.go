package opencode

import (
	"context"
	"errors"
	"fmt"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/internal/sqlitefile"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/native"
)

// readDatabase reads all sessions of a database, parents before the children
// they spawned. One that cannot be read is reported, and the next one read.
func readDatabase(ctx context.Context, f *transcript.File, sink transcript.Sink) (err error) {
	db, err := sqlitefile.Open(ctx, f.Path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	sessions, err := listSessions(ctx, db)
	if err != nil {
		return fmt.Errorf("read the sessions: %w", err)
	}
	spawned := map[string]transcript.Link{}
	for i, s := range sessions {
		err := readSession(ctx, db, newTeller(sink, s, spawned))
		if damage := (*sqlitefile.ReadError)(nil); errors.As(err, &damage) {
			sink.Problem(transcript.Problem{Record: s.ID, What: fmt.Sprintf("the rest of the session is not read: %v", err)})
		} else if err != nil {
			return err
		}
		sink.Progress(f.Size * int64(i+1) / int64(len(sessions)))
	}
	return nil
}

func listSessions(ctx context.Context, db *sqlitefile.DB) ([]session, error) {
	var sessions []session
	for row, err := range db.Select(ctx, sqlitefile.Query{
		Table:   "session",
		Columns: []string{"id", "parent_id", "directory", "title", "revert", "model", "time_created"},
		OrderBy: "time_created, id",
	}) {
		if err != nil {
			return nil, err
		}
		var s session
		s.ID, s.Title, s.Directory = row.Text("id"), row.Text("title"), row.Text("directory")
		s.Created = native.Time(row.Int("time_created"))
		s.SpawnedBy.Conversation = row.Text("parent_id")
		s.Model = rawjson.Text(rawjson.Get([]byte(row.Text("model")), "id"))
		s.setRevert([]byte(row.Text("revert")))
		if s.ID != "" {
			sessions = append(sessions, s)
		}
	}
	return sessions, nil
}

// readSession reads the messages of a session, which are small, and then the
// parts of all of them in one pass.
func readSession(ctx context.Context, db *sqlitefile.DB, t *teller) error {
	entries, err := listEntries(ctx, db, t)
	if err != nil {
		return err
	}
	place := map[string]int{}
	for i, e := range entries {
		place[e.id] = i
	}
	next := 0
	tell := func(until int) error {
		for ; next < until; next++ {
			if err := t.entry(entries[next]); err != nil {
				return err
			}
			entries[next] = nil
		}
		return nil
	}
	for row, err := range db.Rows(ctx, `SELECT p.id, p.message_id, p.data FROM message m JOIN part p ON p.message_id = m.id
		WHERE m.session_id = ? ORDER BY m.time_created, m.id, p.id`, t.session.ID) {
		if err != nil {
			return err
		}
		at, known := place[row.Text("message_id")]
		if !known || at < next { // its message was skipped
			continue
		}
		if err := tell(at); err != nil {
			return err
		}
		p, err := newPart(row.Text("id"), []byte(row.Text("data")))
		if err != nil {
			t.sink.Problem(transcript.Problem{Record: p.id, What: fmt.Sprintf("the part is not understood, it is kept as it stands: %v", err)})
		}
		entries[at].parts = append(entries[at].parts, p)
	}
	if err := tell(len(entries)); err != nil {
		return err
	}
	return t.end()
}

// listEntries returns the messages of a session without their parts, and tells
// the session the model that it used last.
func listEntries(ctx context.Context, db *sqlitefile.DB, t *teller) ([]*entry, error) {
	var entries []*entry
	for row, err := range db.Select(ctx, sqlitefile.Query{
		Table:   "message",
		Columns: []string{"id", "data", "time_created"},
		Where:   "session_id = ?",
		OrderBy: "time_created, id",
		Args:    []any{t.session.ID},
	}) {
		if err != nil {
			return nil, err
		}
		e := &entry{id: row.Text("id")}
		if e.info, err = native.ReadObject([]byte(row.Text("data"))); err != nil || e.id == "" {
			t.sink.Problem(transcript.Problem{Record: e.id, What: fmt.Sprintf("the message is not understood; it is skipped: %v", err)})
			continue
		}
		entries = append(entries, e)
		if m := e.model(); m != "" {
			t.session.Model = m
		}
	}
	return entries, nil
}
