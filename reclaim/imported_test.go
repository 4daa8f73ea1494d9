package reclaim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/tokens"
)

// TestP4WhatAnotherToolHidIsReached: its words stand in the view, and behind them
// how to recall what they stand for. The entry keeps the words alone.
func TestP4WhatAnotherToolHidIsReached(t *testing.T) {
	var s session
	s.add(message.Prompt("the task"))
	s.call("read", `{"path":"a.go"}`, strings.Repeat("package a\n", 50))
	s.add(message.Prompt("and then"))
	s.call("read", `{"path":"b.go"}`, strings.Repeat("package b\n", 50))
	result := history.Handle{Depth: len(s.path), Part: 1}
	c := history.Compaction{Reason: history.Reason{Trigger: history.ByImport}, Treatments: []history.Treatment{
		{From: s.path[1].Handle(), To: s.path[2].Handle(), As: history.AsSummary, Text: "They read a.go."},
		{From: result, To: result, As: history.AsStub, Text: "[Old tool result content cleared]"},
	}}
	s.path = append(s.path, history.Entry{ID: history.NewID(), Depth: len(s.path) + 1, Compaction: &c})

	v := view(t, s.path)
	if got, want := v.Messages[1].PlainText(), "They read a.go.\n[This stands for entries 2 to 3. To get an original back: recall its number.]"; got != want {
		t.Errorf("the view says\n%s\nwant\n%s", got, want)
	}
	cleared := v.Messages[len(v.Messages)-1].Parts[0].(message.ToolResult).PlainText()
	if want := fmt.Sprintf("[Old tool result content cleared]\n[To get the original back: recall %v]", result); cleared != want {
		t.Errorf("the view says\n%s\nwant\n%s", cleared, want)
	}
	sent := tokens.Cost{}
	for i := range v.Messages {
		sent = sent.Add(tokens.Meter{}.Message(&v.Messages[i].Message))
	}
	if cost := CostOf(Problem{Path: s.path}); cost != sent {
		t.Errorf("priced at %v, what is sent costs %v", cost, sent)
	}
	if c.Treatments[0].Text != "They read a.go." {
		t.Errorf("the entry has become %q", c.Treatments[0].Text)
	}
}
