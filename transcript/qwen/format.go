// Package qwen reads the sessions of qwen-code: JSON Lines of records that name
// their parent.
//
// A record holds a content of the Gemini API, whatever model answered. A rewind
// continues from an earlier record, and so is a branch already. Facts are from
// qwen-code's source (QwenLM/qwen-code, 2025-10 to 2026-11).
package qwen

import (
	"path/filepath"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/transcript"
)

// tool is the name of the format, and of the opaque parts it leaves.
const tool = "qwen-code"

// Format is the session files of qwen-code.
type Format struct{}

var _ transcript.Format = Format{}

// Name implements [transcript.Format].
func (Format) Name() string { return tool }

// Detect implements [transcript.Format].
func (Format) Detect(f *transcript.File) bool {
	n := 0
	for line := range f.HeadLines() {
		if isRecord(line) {
			return true
		}
		if n++; n == 50 {
			break
		}
	}
	return false
}

// isRecord tells a record of qwen-code from one of Claude Code, which has the
// same members around a message of another form.
func isRecord(line []byte) bool {
	var named, session, content bool
	for key, value := range transcript.Peek(line) {
		switch key {
		case "uuid":
			named = true
		case "sessionId":
			session = true
		case "message":
			content = transcript.PeekMember(value, "parts") != nil
		case "systemPayload":
			content = content || !rawjson.IsNull(value)
		}
	}
	return named && session && content
}

// Places implements [transcript.Format].
func (Format) Places(m transcript.Machine) []string {
	home := m.Dir("QWEN_HOME", ".qwen")
	if home == "" {
		return nil
	}
	var places []string
	for _, pattern := range []string{"projects/*/chats/*.jsonl", "projects/*/chats/archive/*.jsonl", "tmp/*/chats/*.jsonl"} {
		places = append(places, filepath.Join(home, filepath.FromSlash(pattern)))
	}
	return places
}
