package export

import (
	"context"
	"io"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/transcript/stemmajsonl"
)

// Options select what [Markdown] and [HTML] show.
type Options struct {
	// All shows the whole tree. Default: one path.
	All bool
	// Tip is the end of the path. Default: the tip of the conversation.
	Tip history.ID
}

// An IncompleteError says that the export is whole but for what the store
// could not read. Where that was, the export says so.
type IncompleteError = stemmajsonl.IncompleteError

// JSONL writes the whole tree in Stemma's own format; see
// [stemmajsonl.Write].
func JSONL(ctx context.Context, store history.Store, conversation history.ID, w io.Writer) error {
	return stemmajsonl.Write(ctx, store, conversation, w)
}
