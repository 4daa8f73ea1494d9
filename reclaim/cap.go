package reclaim

import (
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/tokens"
)

// Cap returns the compaction that shows results of a turn, each of more than
// limit tokens, by their beginning and end and how to recall the rest. It is
// appended behind the turn before any request has shown the results, so that no
// prefix changes. It is nil where all results are short enough.
//
// What failed is cut too: the end of a result, where commands say what went
// wrong, stays.
func Cap(turn []history.Entry, m tokens.Meter, limit int) *history.Compaction {
	c := &history.Compaction{Reason: history.Reason{Trigger: history.ByLength}}
	before, after := tokens.Cost{}, tokens.Cost{}
	for i := range turn {
		if turn[i].Message == nil {
			continue
		}
		for j, p := range turn[i].Message.Parts {
			result, ok := p.(message.ToolResult)
			if !ok {
				continue
			}
			whole := m.Text(result.PlainText())
			if m.Tokens(whole) <= limit {
				continue
			}
			at := history.Handle{Depth: turn[i].Depth, Part: j + 1}
			text := capped(m, result, at, limit)
			c.Treatments = append(c.Treatments, history.Treatment{From: at, To: at, As: history.AsStub, Text: text})
			before, after = before.Add(whole), after.Add(m.Text(text))
		}
	}
	if len(c.Treatments) == 0 {
		return nil
	}
	c.Reason.Before, c.Reason.After = int64(m.Tokens(before)), int64(m.Tokens(after))
	return c
}
