// Package chatgpt reads data exports of ChatGPT: conversations.json, or the ZIP
// that holds it and the files people shared.
//
// A conversation is a tree of nodes, and comes with all its branches. Facts are
// from third-party readers of exports (2023 to 2026) and from exports.
package chatgpt

import (
	"context"
	"strings"

	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/exportfile"
)

// tool is the name of the format, and of the opaque parts it leaves.
const tool = "chatgpt"

// Format is the export of ChatGPT.
type Format struct{}

var _ transcript.Format = Format{}

// Name implements [transcript.Format].
func (Format) Name() string { return tool }

// Detect implements [transcript.Format].
func (Format) Detect(f *transcript.File) bool {
	e, err := exportfile.Open(f)
	if err != nil {
		return false
	}
	mapping := transcript.PeekMember(e.First(), "mapping")
	for _, node := range transcript.Peek(mapping) {
		for key := range transcript.Peek(node) {
			switch key {
			case "id", "message", "parent", "children":
				return true
			}
			return false
		}
	}
	return strings.HasPrefix(string(mapping), "{}")
}

// Places implements [transcript.Format]. An export is wherever it was saved.
func (Format) Places(transcript.Machine) []string { return nil }

// Read implements [transcript.Format].
func (Format) Read(ctx context.Context, f *transcript.File, sink transcript.Sink) error {
	e, err := exportfile.Open(f)
	if err != nil {
		return err
	}
	return e.Conversations(ctx, sink, func(data []byte) error {
		t, err := parse(data)
		if err != nil {
			return &exportfile.UnreadableError{Err: err}
		}
		t.files = e
		return t.tell(sink)
	})
}
