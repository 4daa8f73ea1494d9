// Package opencode reads the sessions of opencode: its SQLite database, the
// JSON that `opencode export` writes, and logs of its event stream.
//
// In all of them a session is messages with parts, and one tool part is both
// the call and its result. Facts are from opencode's source (sst/opencode,
// 2025-06 to 2026-11) and from recorded event streams. The tree of small JSON
// files that versions before 2026 kept is not one file, and is not read:
// `opencode export` makes one of it.
package opencode

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/internal/sqlitefile"
	"github.com/stemma-history/stemma/transcript"
)

// tool is the name of the format, and of the opaque parts it leaves.
const tool = "opencode"

// Format is the three kinds of files of opencode.
type Format struct{}

var _ transcript.Format = Format{}

// Name implements [transcript.Format].
func (Format) Name() string { return tool }

// Detect implements [transcript.Format].
func (Format) Detect(f *transcript.File) bool { return kindOf(f) != nil }

// Read implements [transcript.Format].
func (Format) Read(ctx context.Context, f *transcript.File, sink transcript.Sink) error {
	read := kindOf(f)
	if read == nil {
		read = readEvents
	}
	return read(ctx, f, sink)
}

// Places implements [transcript.Format].
func (Format) Places(m transcript.Machine) []string {
	var places []string
	if m.Getenv != nil {
		if db := m.Getenv("OPENCODE_DB"); db != "" {
			places = append(places, db)
		}
	}
	if dir := m.Dir("XDG_DATA_HOME", ".local", "share"); dir != "" {
		// A release channel other than the usual one adds its name.
		places = append(places, filepath.Join(dir, "opencode", "opencode*.db"))
	}
	return places
}

// kindOf returns what reads a file, or nil where it is none of opencode's.
func kindOf(f *transcript.File) func(context.Context, *transcript.File, transcript.Sink) error {
	switch {
	case sqlitefile.Is(f.Head):
		schema, err := sqlitefile.SchemaOf(context.Background(), f.Path)
		if err == nil && schema.Has("session", "id", "directory") && schema.Has("message", "session_id", "data") && schema.Has("part", "message_id", "data") {
			return readDatabase
		}
	case isExport(f.Document()):
		return readExport
	case isEvents(f):
		return readEvents
	}
	return nil
}

func isExport(document []byte) bool {
	info := transcript.PeekMember(document, "info")
	if !strings.HasPrefix(rawjson.Text(transcript.PeekMember(info, "id")), "ses") {
		return false
	}
	return transcript.PeekMember(document, "messages") != nil
}

// isEvents looks for an event in the first lines: a log may begin anywhere.
func isEvents(f *transcript.File) bool {
	lines := 0
	for line := range f.HeadLines() {
		if kind, _ := event(line); strings.HasPrefix(kind, "session.") || strings.HasPrefix(kind, "message.") {
			return true
		}
		if lines++; lines == 20 {
			break
		}
	}
	return false
}
