// Package goose reads the sessions of goose: its SQLite database, and the JSON
// Lines files of before 2025-10.
//
// When goose compacts a session, it marks the originals as invisible to the
// agent and adds a summary that only the agent sees; the import makes a
// compaction of the two. Facts are from goose's source (block/goose, 2025-03 to
// 2026-11).
package goose

import (
	"context"
	"path/filepath"

	"github.com/stemma-history/stemma/internal/sqlitefile"
	"github.com/stemma-history/stemma/transcript"
)

// tool is the name of the format, and of the opaque parts it leaves.
const tool = "goose"

// Format is the files of goose.
type Format struct{}

var _ transcript.Format = Format{}

// Name implements [transcript.Format].
func (Format) Name() string { return tool }

// Detect implements [transcript.Format].
func (Format) Detect(f *transcript.File) bool {
	if sqlitefile.Is(f.Head) {
		schema, err := sqlitefile.SchemaOf(context.Background(), f.Path)
		return err == nil && schema.Has("sessions", "id", "working_dir") && schema.Has("messages", "session_id", "role", "content_json")
	}
	for line := range f.HeadLines() {
		return isHeader(line)
	}
	return false
}

// isHeader reports whether a file of lines begins with that object.
func isHeader(object []byte) bool {
	directory, other := false, false
	for key := range transcript.Peek(object) {
		switch key {
		case "working_dir":
			directory = true
		case "description", "message_count", "total_tokens":
			other = true
		case "type", "role":
			return false
		}
	}
	return directory && other
}

// Places implements [transcript.Format].
func (Format) Places(m transcript.Machine) []string {
	var dirs []string
	if root := m.Getenv; root != nil && root("GOOSE_PATH_ROOT") != "" {
		dirs = append(dirs, filepath.Join(root("GOOSE_PATH_ROOT"), "data", "sessions"))
	}
	if data := m.Dir("XDG_DATA_HOME", ".local", "share"); data != "" {
		dirs = append(dirs, filepath.Join(data, "goose", "sessions"))
	}
	if data := m.Dir("APPDATA"); data != "" && data != m.Home {
		dirs = append(dirs, filepath.Join(data, "Block", "goose", "sessions"), filepath.Join(data, "Block", "goose", "data", "sessions"))
	}
	var places []string
	for _, dir := range dirs {
		places = append(places, filepath.Join(dir, "sessions.db"), filepath.Join(dir, "*.jsonl"))
	}
	return places
}

// Read implements [transcript.Format].
func (Format) Read(ctx context.Context, f *transcript.File, sink transcript.Sink) error {
	if sqlitefile.Is(f.Head) {
		return readDatabase(ctx, f, sink)
	}
	return readLines(ctx, f, sink)
}
