package claudecode

import (
	"context"
	"path/filepath"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/transcript"
)

// Name is the format's name in sources and opaque parts.
const Name = "claude-code"

// Format implements [transcript.Format].
type Format struct{}

var _ transcript.Format = Format{}

// Name implements [transcript.Format].
func (Format) Name() string { return Name }

// Places implements [transcript.Format]. Sub-agents are found by the sessions
// they belong to.
func (Format) Places(m transcript.Machine) []string {
	dir := m.Dir("CLAUDE_CONFIG_DIR", ".claude")
	if dir == "" {
		return nil
	}
	return []string{filepath.Join(dir, "projects", "*", "*.jsonl")}
}

// Detect implements [transcript.Format].
func (Format) Detect(f *transcript.File) bool {
	if isWebExport(f) {
		return true
	}
	looked := 0
	for line := range f.HeadLines() {
		if looked++; looked > 50 {
			break
		}
		if is, sure := isRecord(line); sure {
			return is
		}
	}
	return false
}

// isRecord judges one line, which may be cut. It is not sure of lines of kinds
// that other tools have too.
func isRecord(line []byte) (is, sure bool) {
	kind := rawjson.Text(transcript.PeekMember(line, "type"))
	switch kind {
	case "summary":
		return transcript.PeekMember(line, "leafUuid") != nil, true
	case "file-history-snapshot", "queue-operation", "last-prompt", "custom-title", "ai-title":
		return true, true
	case "user", "assistant", "system", "progress", "attachment", "":
	default:
		return false, false
	}
	var envelope, message, parts bool
	for key, value := range transcript.Peek(line) {
		switch key {
		case "parentUuid", "isSidechain", "sessionId", "requestId", "cwd":
			envelope = true
		case "message":
			message = len(value) > 0 && value[0] == '{'
			for key := range transcript.Peek(value) {
				parts = parts || key == "parts" // qwen-code has the same envelope
			}
		case "payload", "messages":
			return false, true
		}
	}
	switch {
	case parts:
		return false, true
	case kind == "system" || kind == "progress" || kind == "attachment":
		return envelope, envelope
	}
	return message && envelope, message
}

// Read implements [transcript.Format]. The sub-agents that stand in files of
// their own come along.
func (Format) Read(ctx context.Context, f *transcript.File, sink transcript.Sink) error {
	s, err := scan(ctx, f, sink.Problem)
	if err != nil {
		return err
	}
	sink.Progress(f.Size / 2) // of the two passes, one is done
	agents, err := s.agents(ctx, sink)
	if err != nil {
		return err
	}
	links := linksOf(append([]*session{s}, agents...))
	if err := s.emit(ctx, sink, links); err != nil {
		return err
	}
	for _, agent := range agents {
		if err := agent.reopen(func() error { return agent.emit(ctx, quiet{sink}, links) }); err != nil {
			return err
		}
	}
	sink.Progress(f.Size)
	return nil
}
