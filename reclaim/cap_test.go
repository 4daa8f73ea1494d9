package reclaim_test

import (
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/tokens"
)

func TestLongResultsAreShownByBeginningAndEnd(t *testing.T) {
	long := "first line\n" + strings.Repeat("some words in the middle\n", 5000) + "last line"
	call := message.Message{Role: message.Assistant, Author: message.ByModel, Parts: []message.Part{
		message.ToolCall{ID: "a", Name: "bash", Arguments: []byte(`{}`)}, message.ToolCall{ID: "b", Name: "bash", Arguments: []byte(`{}`)},
	}}
	results := message.Results(
		message.ToolResult{CallID: "a", Content: []message.Content{message.Text{Text: "short"}}},
		message.ToolResult{CallID: "b", Outcome: message.Failed, Content: []message.Content{message.Text{Text: long}}})
	path := []history.Entry{{ID: history.NewID(), Depth: 1, Message: &call}, {ID: history.NewID(), Depth: 2, Message: &results}}
	c := reclaim.Cap(path, tokens.Meter{}, 1000)
	if c == nil || len(c.Treatments) != 1 {
		t.Fatalf("%+v", c)
	}
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	view, err := reclaim.View(append(path, history.Entry{ID: history.NewID(), Depth: 3, Compaction: c}), nil)
	if err != nil {
		t.Fatal(err)
	}
	shown := view.Messages[1].Parts[1].(message.ToolResult)
	text := shown.PlainText()
	if !strings.HasPrefix(text, "first line\n") || !strings.HasSuffix(text, "last line") || !strings.Contains(text, "recall 2.2") || shown.Outcome != message.Failed {
		t.Errorf("%q … %q", text[:40], text[len(text)-40:])
	}
	if n := tokens.Text(text); n > 1000 || n < 400 {
		t.Errorf("%d tokens", n)
	}
	if reclaim.Cap(path[:1], tokens.Meter{}, 1000) != nil || reclaim.Cap(path, tokens.Meter{}, 1_000_000) != nil {
		t.Error("nothing is too long here")
	}
}
