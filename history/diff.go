package history

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/stemma-history/stemma/message"
)

// A Difference is where the paths to two entries part, and what each did since.
type Difference struct {
	Parting
	A, B Work
}

// Work is what was done along a part of a path.
type Work struct {
	Tip     ID
	Entries int
	Prompts []Quote
	Replies []Quote // the texts of answers that call no tool: what work came to
	Calls   []Tally // by tool, the most frequent first
	Files   []Tally // changed, the most frequent first
	// Answers is how many answers of a model there are, Billed of how many the
	// usage is known, and Usage the sum of that.
	Answers, Billed int
	Usage           Usage
	// Bytes is the size of all texts: what there is to estimate from where
	// nothing was billed.
	Bytes int64
}

// A Quote is someone's words at a place.
type Quote struct {
	At   Handle
	Text string
}

// A Tally is how often something happened.
type Tally struct {
	Name   string
	Count  int
	Failed int // how many of them ended in an error
}

// Diff compares the paths to two entries of a conversation. changes returns
// the file that a call changes, or "". Of the part that both paths share
// nothing but the nodes is read.
func Diff(ctx context.Context, s Entries, conversation, a, b ID, changes func(message.ToolCall) string) (Difference, error) {
	p, err := Part(ctx, s, conversation, a, b)
	if err != nil {
		return Difference{}, err
	}
	d := Difference{Parting: p, A: Work{Tip: a}, B: Work{Tip: b}}
	for _, side := range []struct {
		work  *Work
		depth int
	}{{&d.A, p.ADepth}, {&d.B, p.BDepth}} {
		if side.depth == p.Depth {
			continue // the path ends where they part
		}
		query := PathQuery{Conversation: conversation, Tip: side.work.Tip, Newest: side.depth - p.Depth}
		path, err := Collect(s.Path(ctx, query))
		if err != nil {
			return Difference{}, err
		}
		*side.work = WorkOf(path, changes)
		side.work.Tip = query.Tip
	}
	return d, nil
}

// WorkOf sums up what was done along a path or a part of one.
func WorkOf(path []Entry, changes func(message.ToolCall) string) Work {
	w := Work{Entries: len(path)}
	var said []*message.Message // as the pairing counts them
	for i := range path {
		e := &path[i]
		m := e.Message
		if m == nil {
			continue
		}
		said = append(said, m)
		for _, p := range m.Parts {
			w.Bytes += textSize(p)
		}
		if m.IsPrompt() {
			w.Prompts = append(w.Prompts, Quote{At: e.Handle(), Text: m.PlainText()})
		}
		if m.Role == message.Assistant {
			w.Answers++
			if text := m.PlainText(); text != "" && !callsTools(m) {
				w.Replies = append(w.Replies, Quote{At: e.Handle(), Text: text})
			}
		}
		if e.Usage != nil {
			w.Billed++
			w.Usage.Add(*e.Usage)
		}
	}
	pairing := message.Pair(slices.Values(said))
	calls, files := map[string]Tally{}, map[string]Tally{}
	for _, c := range pairing.Calls {
		failed := false
		if c.State == message.Answered {
			failed = said[c.Result.Message].Parts[c.Result.Part].(message.ToolResult).IsError()
		}
		tally(calls, c.Name, failed)
		if file := changes(c.ToolCall); file != "" && !failed {
			tally(files, file, false)
		}
	}
	w.Calls, w.Files = mostFirst(calls), mostFirst(files)
	return w
}

func callsTools(m *message.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p message.Part) bool {
		_, ok := p.(message.ToolCall)
		return ok
	})
}

func tally(tallies map[string]Tally, name string, failed bool) {
	t := tallies[name]
	t.Name = name
	t.Count++
	if failed {
		t.Failed++
	}
	tallies[name] = t
}

func mostFirst(tallies map[string]Tally) []Tally {
	return slices.SortedFunc(maps.Values(tallies), func(a, b Tally) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Name, b.Name))
	})
}

// textSize is how many bytes of text a model reads of a part.
func textSize(p message.Part) int64 {
	switch p := p.(type) {
	case message.Text:
		return int64(len(p.Text))
	case message.Thinking:
		return int64(len(p.Text))
	case message.ToolCall:
		return int64(len(p.Name) + len(p.Arguments))
	case message.ToolResult:
		return int64(len(p.PlainText()))
	}
	return 0
}
