package goose

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/internal/sqlitefile"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/native"
)

// readDatabase reads all sessions, parents before the children they spawned.
// One that cannot be read is reported, and the next one read.
func readDatabase(ctx context.Context, f *transcript.File, sink transcript.Sink) (err error) {
	db, err := sqlitefile.Open(ctx, f.Path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	sessions, err := listSessions(ctx, db, sink)
	if err != nil {
		return fmt.Errorf("read the sessions: %w", err)
	}
	for i, s := range sessions {
		err := readSession(ctx, db, s)
		if damage := (*sqlitefile.ReadError)(nil); errors.As(err, &damage) {
			sink.Problem(transcript.Problem{Record: s.ID, What: fmt.Sprintf("the rest of the session is not read: %v", err)})
		} else if err != nil {
			return err
		}
		sink.Progress(f.Size * int64(i+1) / int64(len(sessions)))
	}
	return nil
}

func listSessions(ctx context.Context, db *sqlitefile.DB, sink transcript.Sink) ([]*session, error) {
	var sessions []*session
	for row, err := range db.Select(ctx, sqlitefile.Query{
		Table:   "sessions",
		Columns: []string{"id", "name", "description", "working_dir", "created_at", "provider_name", "model_config_json", "parent_session_id"},
		OrderBy: "created_at, rowid",
	}) {
		if err != nil {
			return nil, err
		}
		s := &session{sink: sink, provider: row.Text("provider_name")}
		s.ID, s.Directory = row.Text("id"), row.Text("working_dir")
		if s.Title = row.Text("name"); s.Title == "" {
			s.Title = row.Text("description")
		}
		s.Created = native.ParseTime(row.Text("created_at"))
		s.Model = rawjson.Text(rawjson.Get([]byte(row.Text("model_config_json")), "model_name"))
		s.SpawnedBy.Conversation = row.Text("parent_session_id")
		if s.ID != "" {
			sessions = append(sessions, s)
		}
	}
	return sessions, nil
}

func readSession(ctx context.Context, db *sqlitefile.DB, s *session) error {
	for row, err := range db.Select(ctx, sqlitefile.Query{
		Table:   "messages",
		Columns: []string{"message_id", "role", "content_json", "created_timestamp", "metadata_json"},
		Where:   "session_id = ?",
		OrderBy: "rowid", // times are in seconds, and a compaction keeps those of the originals
		Args:    []any{s.ID},
	}) {
		if err != nil {
			return err
		}
		m := said{
			id: row.Text("message_id"), role: row.Text("role"), content: []byte(row.Text("content_json")),
			created: native.Time(row.Int("created_timestamp")),
		}
		m.visibility([]byte(row.Text("metadata_json")))
		if err := s.message(m); err != nil {
			return err
		}
	}
	return s.end()
}

// readLines reads a file of lines: the session, then its messages. The
// session's id is the file's name.
func readLines(ctx context.Context, f *transcript.File, sink transcript.Sink) error {
	s := &session{sink: sink}
	s.ID = strings.TrimSuffix(filepath.Base(f.Path), ".jsonl")
	for o, err := range transcript.Objects(ctx, f, sink.Problem) {
		if err != nil {
			return err
		}
		object, err := native.ReadObject(o.Keep())
		if err != nil {
			sink.Problem(transcript.Problem{Line: o.Line, What: fmt.Sprintf("not understood; it is skipped: %v", err)})
			continue
		}
		sink.Progress(o.Offset)
		if object.Text("role") == "" {
			if object.Raw("working_dir") != nil {
				s.Title, s.Directory = object.Text("description"), object.Text("working_dir")
			}
			continue
		}
		m := said{id: object.Text("id"), role: object.Text("role"), content: object.Raw("content"), created: native.Time(object.Int("created")), line: o.Line}
		m.visibility(object.Raw("metadata"))
		if err := s.message(m); err != nil {
			return err
		}
	}
	return s.end()
}
