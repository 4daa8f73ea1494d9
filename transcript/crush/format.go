// Package crush reads the sessions of Crush: the SQLite database that it keeps
// in a project as .crush/crush.db.
//
// A message's parts are a JSON array of {type, data}. Facts about the format
// are from Crush's source (charmbracelet/crush, 2025-08 to 2026-11) and from
// databases of 2025 and 2026.
package crush

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/stemma-history/stemma/internal/sqlitefile"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/native"
)

// tool is the name of the format, and of the opaque parts it leaves.
const tool = "crush"

// Format is the database of Crush.
type Format struct{}

var _ transcript.Format = Format{}

// Name implements [transcript.Format].
func (Format) Name() string { return tool }

// Detect implements [transcript.Format].
func (Format) Detect(f *transcript.File) bool {
	if !sqlitefile.Is(f.Head) {
		return false
	}
	schema, err := sqlitefile.SchemaOf(context.Background(), f.Path)
	return err == nil &&
		schema.Has("sessions", "id", "parent_session_id", "title", "created_at") &&
		schema.Has("messages", "id", "session_id", "role", "parts")
}

// directory is where Crush keeps its database in a project.
const directory = ".crush"

// Places implements [transcript.Format].
func (Format) Places(m transcript.Machine) []string {
	return []string{filepath.Join(m.Directory, directory, "crush.db")}
}

// Read implements [transcript.Format]. A session that cannot be read is
// reported, and the next one read.
func (Format) Read(ctx context.Context, f *transcript.File, sink transcript.Sink) (err error) {
	db, err := sqlitefile.Open(ctx, f.Path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	sessions, err := readSessions(ctx, db)
	if err != nil {
		return fmt.Errorf("read the sessions: %w", err)
	}
	for i, s := range sessions {
		if at := native.Directory(f.Path); filepath.Base(at) == directory {
			s.Directory = filepath.Dir(at)
		}
		r := reader{db: db, sink: sink, session: s}
		if err := r.read(ctx); err != nil {
			return err
		}
		sink.Progress(f.Size * int64(i+1) / int64(len(sessions)))
	}
	return nil
}

// session is a row of the table sessions.
type session struct {
	transcript.Conversation
	summary string // id of the summary that the session continues from
}

// readSessions returns the sessions, parents before the children they spawned.
func readSessions(ctx context.Context, db *sqlitefile.DB) ([]session, error) {
	var sessions []session
	for row, err := range db.Select(ctx, sqlitefile.Query{
		Table:   "sessions",
		Columns: []string{"id", "parent_session_id", "title", "summary_message_id", "created_at"},
		OrderBy: "created_at, rowid",
	}) {
		if err != nil {
			return nil, err
		}
		s := session{summary: row.Text("summary_message_id")}
		s.ID, s.Title = row.Text("id"), row.Text("title")
		s.Created = native.Time(row.Int("created_at"))
		s.SpawnedBy.Conversation = row.Text("parent_session_id")
		// The session of a sub-agent is named after the message that called it
		// and the call's id.
		if caller, _, ok := strings.Cut(s.ID, "$$"); ok && s.SpawnedBy.Conversation != "" {
			s.SpawnedBy.Record = caller
		}
		if s.ID != "" {
			sessions = append(sessions, s)
		}
	}
	return sessions, nil
}
