// Package claudeai reads data exports of claude.ai: conversations.json, or the
// ZIP that holds it.
//
// Where messages name their parent a conversation is a tree, else a list. Facts
// are from third-party readers of exports and of the site's own API (2024 to
// 2026), and from an export.
package claudeai

import (
	"context"

	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/exportfile"
)

// tool is the name of the format, and of the opaque parts it leaves.
const tool = "claude-ai"

// Format is the export of claude.ai.
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
	messages := transcript.PeekMember(e.First(), "chat_messages")
	return len(messages) > 0 && messages[0] == '['
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
		c, err := parse(data)
		if err != nil {
			return &exportfile.UnreadableError{Err: err}
		}
		return c.tell(sink)
	})
}
