package pi

import (
	"context"
	"path/filepath"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/transcript"
)

// Name is the format's name in sources and opaque parts.
const Name = "pi"

// Format implements [transcript.Format].
type Format struct{}

var _ transcript.Format = Format{}

// Name implements [transcript.Format].
func (Format) Name() string { return Name }

// Places implements [transcript.Format].
func (Format) Places(m transcript.Machine) []string {
	var patterns []string
	if m.Getenv != nil {
		if dir := m.Getenv("PI_CODING_AGENT_SESSION_DIR"); dir != "" {
			patterns = append(patterns, filepath.Join(dir, "*.jsonl"), filepath.Join(dir, "*", "*.jsonl"))
		}
	}
	dirs := []string{m.Dir("PI_CODING_AGENT_DIR", ".pi", "agent")}
	if m.Home != "" {
		dirs = append(dirs, filepath.Join(m.Home, ".omp", "agent")) // oh-my-pi
	}
	for _, dir := range dirs {
		if dir != "" {
			patterns = append(patterns, filepath.Join(dir, "sessions", "*", "*.jsonl"))
		}
	}
	return patterns
}

// Detect implements [transcript.Format]. A file whose header was lost is known
// by its first message.
func (Format) Detect(f *transcript.File) bool {
	looked := 0
	for line := range f.HeadLines() {
		if looked++; looked > 20 {
			break
		}
		switch rawjson.Text(transcript.PeekMember(line, "type")) {
		case "session":
			return transcript.PeekMember(line, "timestamp") != nil && transcript.PeekMember(line, "id") != nil
		case "message":
			role := rawjson.Text(transcript.PeekMember(transcript.PeekMember(line, "message"), "role"))
			return role != "" && transcript.PeekMember(line, "timestamp") != nil
		case "model_change", "thinking_level_change", "compaction", "custom", "session_info":
		default:
			return false
		}
	}
	return false
}

// Read implements [transcript.Format].
func (Format) Read(ctx context.Context, f *transcript.File, sink transcript.Sink) error {
	about, err := survey(ctx, f)
	if err != nil {
		return err
	}
	r := reader{
		file: f, sink: sink, about: about,
		at: map[string]string{}, before: map[string]string{}, up: map[string]string{},
	}
	for o, err := range transcript.Objects(ctx, f, sink.Problem) {
		if err == nil {
			err = r.entry(o)
		}
		if err != nil {
			return err
		}
		sink.Progress(o.Offset + int64(o.Size))
	}
	return r.finish()
}
