// Package gemini reads the sessions of gemini-cli: its JSON Lines files, the
// JSON files of before 2026, and the checkpoints that /chat save writes.
//
// A line of a session is a message, or changes what earlier lines said: the
// same id again replaces a message, $rewindTo drops it and what follows, $set
// may replace all of them. What is dropped stands as a branch, and what is
// replaced as a compaction. Facts are from gemini-cli's source
// (google-gemini/gemini-cli, 2025-08 to 2026-11) and from recorded sessions.
package gemini

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/transcript"
)

// tool is the name of the format, and of the opaque parts it leaves.
const tool = "gemini-cli"

// Format is the files of gemini-cli.
type Format struct{}

var _ transcript.Format = Format{}

// Name implements [transcript.Format].
func (Format) Name() string { return tool }

// Detect implements [transcript.Format].
func (Format) Detect(f *transcript.File) bool { return kindOf(f) != unknown }

// Read implements [transcript.Format].
func (Format) Read(ctx context.Context, f *transcript.File, sink transcript.Sink) error {
	switch kindOf(f) {
	case document:
		return readDocument(ctx, f, sink)
	case checkpoint:
		return readCheckpoint(ctx, f, sink)
	default:
		return readLines(ctx, f, sink)
	}
}

// Places implements [transcript.Format].
func (Format) Places(m transcript.Machine) []string {
	home := m.Dir("GEMINI_CLI_HOME")
	if home == "" {
		return nil
	}
	var places []string
	for _, pattern := range []string{"chats/*.json", "chats/*.jsonl", "chats/*/*.jsonl", "checkpoint-*.json"} {
		places = append(places, filepath.Join(home, ".gemini", "tmp", "*", filepath.FromSlash(pattern)))
	}
	return places
}

type kind int

const (
	unknown kind = iota
	lines
	document
	checkpoint
)

func kindOf(f *transcript.File) kind {
	begin := f.Document()
	switch {
	case isHeader(begin) && transcript.PeekMember(begin, "messages") == nil:
		return lines
	case isHeader(begin), isMessage(first(transcript.PeekMember(begin, "messages"))):
		return document
	case isContent(first(contents(begin))):
		return checkpoint
	}
	n := 0
	for line := range f.HeadLines() { // the header may be damaged
		if n++; n > 1 && isHeader(line) {
			return lines
		}
		if n == 20 {
			break
		}
	}
	return unknown
}

// isHeader reports whether a session begins with that object.
func isHeader(object []byte) bool {
	return rawjson.Text(transcript.PeekMember(object, "sessionId")) != "" && rawjson.Text(transcript.PeekMember(object, "projectHash")) != ""
}

func isMessage(object []byte) bool {
	switch rawjson.Text(transcript.PeekMember(object, "type")) {
	case "user", "gemini", "info", "warning", "error":
		return rawjson.Text(transcript.PeekMember(object, "timestamp")) != "" && transcript.PeekMember(object, "content") != nil
	}
	return false
}

// isContent reports whether an object is one of the API's contents.
func isContent(object []byte) bool {
	role := rawjson.Text(transcript.PeekMember(object, "role"))
	return (role == "user" || role == "model") && len(transcript.PeekMember(object, "parts")) > 0
}

// first returns the first element of an array.
func first(array []byte) []byte {
	for v := range transcript.PeekElements(array) {
		return v
	}
	return nil
}

// contents returns the array of a checkpoint: the file itself was that
// once.
func contents(begin []byte) []byte {
	if len(begin) > 0 && begin[0] == '[' {
		return begin
	}
	for _, key := range []string{"clientHistory", "history"} {
		if v := transcript.PeekMember(begin, key); len(v) > 0 && v[0] == '[' {
			return v
		}
	}
	return nil
}

// directoryOf returns the project's directory: sessions do not hold it, a file
// beside the folder they are in does.
func directoryOf(path string) string {
	dir := filepath.Dir(path)
	for filepath.Base(dir) != "chats" {
		if next := filepath.Dir(dir); next != dir && filepath.Base(next) == "chats" {
			dir = next
			continue
		}
		return ""
	}
	root, err := os.ReadFile(filepath.Join(filepath.Dir(dir), ".project_root"))
	if err != nil { // older versions write none
		return ""
	}
	return strings.TrimSpace(string(root))
}
