package reclaim

import (
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// TestAToolsOwnWordCounts: results of tools that are not known go last, unless
// the tool itself said that they decided nothing.
func TestAToolsOwnWordCounts(t *testing.T) {
	ask := message.Message{Role: message.Assistant, Author: message.ByModel, Parts: []message.Part{
		message.ToolCall{ID: "a", Name: "mcp__weather__today", Arguments: []byte(`{}`)},
		message.ToolCall{ID: "b", Name: "mcp__weather__today", Arguments: []byte(`{}`)},
		message.ToolCall{ID: "c", Name: "write", Arguments: []byte(`{}`)},
	}}
	answer := message.Results(
		message.ToolResult{CallID: "a", Uneventful: true}, message.ToolResult{CallID: "b"}, message.ToolResult{CallID: "c", Uneventful: true})
	calls := callsOf([]history.Entry{{Depth: 1, Message: &ask}, {Depth: 2, Message: &answer}})
	for i, want := range []rank{output, unknown, keep} {
		if got := uneventful(&calls[i], ""); got != want {
			t.Errorf("call %d has rank %d, wanted %d", i, got, want)
		}
	}
}
