package cline

import (
	"context"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/transcript"
)

// Name is the format's name in sources and opaque parts.
const Name = "cline"

// Format implements [transcript.Format].
type Format struct{}

var _ transcript.Format = Format{}

// Name implements [transcript.Format].
func (Format) Name() string { return Name }

// Places implements [transcript.Format].
func (Format) Places(m transcript.Machine) []string {
	var patterns []string
	if dir := m.Dir("CLINE_DIR", ".cline"); dir != "" {
		patterns = append(patterns,
			filepath.Join(dir, "data", "sessions", "*", "*.messages.json"),
			filepath.Join(dir, "data", "tasks", "*", "api_conversation_history.json"))
	}
	if m.Home == "" {
		return patterns
	}
	config := filepath.Join(m.Home, ".config")
	switch runtime.GOOS {
	case "darwin":
		config = filepath.Join(m.Home, "Library", "Application Support")
	case "windows":
		config = filepath.Join(m.Home, "AppData", "Roaming")
	}
	for _, editor := range []string{"Code", "Code - Insiders", "Cursor", "VSCodium", "Windsurf"} {
		patterns = append(patterns, filepath.Join(config, editor, "User", "globalStorage", "saoudrizwan.claude-dev", "tasks", "*", "api_conversation_history.json"))
	}
	return patterns
}

// Detect implements [transcript.Format].
func (Format) Detect(f *transcript.File) bool {
	document := f.Document()
	if len(document) > 0 && document[0] == '[' {
		return isTask(document)
	}
	var session, agent, messages bool
	for key, value := range transcript.Peek(document) {
		switch key {
		case "sessionId":
			session = true
		case "agent", "updated_at":
			agent = true
		case "messages":
			messages = len(value) > 0 && value[0] == '['
		}
	}
	return session && agent && messages
}

// isTask reports whether an array of messages begins as the extension begins a
// task.
func isTask(document []byte) bool {
	for first := range transcript.PeekElements(document) {
		if rawjson.Text(transcript.PeekMember(first, "role")) != "user" {
			return false
		}
		for block := range transcript.PeekElements(transcript.PeekMember(first, "content")) {
			for key, value := range transcript.Peek(block) {
				if key == "text" {
					return strings.HasPrefix(string(value), `"<task>`)
				}
			}
			return false
		}
		return false
	}
	return false
}

// Read implements [transcript.Format]. What a session was compacted to stands
// in files beside it; whichever of them is read, all are.
func (Format) Read(ctx context.Context, f *transcript.File, sink transcript.Sink) error {
	s, err := survey(ctx, f)
	if err != nil {
		return err
	}
	defer s.close()
	r := &reader{session: s, sink: sink}
	return r.read(ctx)
}
