package codex

import (
	"context"
	"hash/maphash"
	"path/filepath"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/transcript"
)

// Name is the format's name in sources and opaque parts.
const Name = "codex"

// Format implements [transcript.Format].
type Format struct{}

var _ transcript.Format = Format{}

// Name implements [transcript.Format].
func (Format) Name() string { return Name }

// Places implements [transcript.Format].
func (Format) Places(m transcript.Machine) []string {
	dir := m.Dir("CODEX_HOME", ".codex")
	if dir == "" {
		return nil
	}
	return []string{
		filepath.Join(dir, "sessions", "*", "*", "*", "rollout-*.jsonl"),
		filepath.Join(dir, "sessions", "rollout-*.jsonl"),
		filepath.Join(dir, "archived_sessions", "rollout-*.jsonl"),
	}
}

// Detect implements [transcript.Format].
func (Format) Detect(f *transcript.File) bool {
	for line := range f.HeadLines() {
		switch rawjson.Text(transcript.PeekMember(line, "type")) {
		case "session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state":
			return transcript.PeekMember(line, "payload") != nil
		case "":
			return isBareHeader(line)
		}
		return false
	}
	return false
}

// isBareHeader reports whether a line is the header that files of 2025 begin
// with: the session, outside of any envelope.
func isBareHeader(line []byte) bool {
	var id, timestamp, about bool
	for key := range transcript.Peek(line) {
		switch key {
		case "id":
			id = true
		case "timestamp":
			timestamp = true
		case "instructions", "git":
			about = true
		}
	}
	return id && timestamp && about
}

// Read implements [transcript.Format].
func (Format) Read(ctx context.Context, f *transcript.File, sink transcript.Sink) error {
	inEvents, err := saidInEvents(ctx, f)
	if err != nil {
		return err
	}
	s := &session{file: f, sink: sink, at: -1, hasEvents: inEvents, seed: maphash.MakeSeed()}
	for o, err := range transcript.Objects(ctx, f, sink.Problem) {
		if err != nil {
			return err
		}
		s.add(o)
		sink.Progress((o.Offset + int64(o.Size)) / 2) // of the two passes, one
	}
	return s.emit(ctx)
}
