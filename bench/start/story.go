package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/sqlite"
	"github.com/stemma-history/stemma/message"
)

// lastWords stand at the end of each conversation: where they are on the screen,
// the newest answer is.
const lastWords = "Everything-is-mended."

// tell stores a conversation of n entries, unless the store has it, and returns
// its id.
func tell(ctx context.Context, path string, n int) (id history.ID, err error) {
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return id, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	id = uuid.NewSHA1(uuid.Nil, fmt.Append(nil, n))
	if _, err := s.Conversation(ctx, id); !errors.Is(err, history.ErrNotFound) {
		return id, err
	}
	var tip history.ID
	created := time.Now().Add(-time.Duration(n) * time.Second)
	for at := 0; at < n; {
		r := history.ImportRequest{Conversation: history.Conversation{ID: id, Title: fmt.Sprintf("a story of %d entries", n), Created: created}}
		for len(r.Entries) < 4096 && at < n {
			for _, m := range turn(at, at+4 >= n) {
				e := history.Entry{ID: history.NewID(), Parent: tip, Created: created.Add(time.Duration(at) * time.Second), Message: &m}
				if m.Role == message.Assistant {
					e.Usage = &history.Usage{Input: 900, CacheRead: 90_000, Output: 400, CostUSD: 0.02}
				}
				r.Entries, tip, at = append(r.Entries, e), e.ID, at+1
			}
		}
		r.Tip = tip
		if _, err := s.Import(ctx, r); err != nil {
			return id, err
		}
	}
	return id, nil
}

// turn is a prompt, a call, its result and an answer as models write them: about
// 3 KB.
func turn(at int, last bool) []message.Message {
	call := message.ToolCall{ID: fmt.Sprintf("toolu_%d", at), Name: "bash", Arguments: fmt.Appendf(nil, `{"command":"go test ./internal/part%d/..."}`, at%90)}
	var printed, answer strings.Builder
	for i := range 20 {
		fmt.Fprintf(&printed, "=== RUN   TestPart%d/case_%d\n--- FAIL: TestPart%d (0.0%ds)\n", at, i, at, i)
	}
	fmt.Fprintf(&answer, "## Part %d\n\nThe test fails since `load` reads **before** the lock is held:\n\n", at)
	for i := range 4 {
		fmt.Fprintf(&answer, "- case %d expects what `Open` returned, and finds what stood there earlier\n", i)
	}
	fmt.Fprintf(&answer, "\n```go\nfunc (s *Store) load(id int) error {\n\ts.mu.Lock() // %d\n\tdefer s.mu.Unlock()\n\treturn s.read(id)\n}\n```\n\nThe next step is to run it again.", at)
	if last {
		answer.WriteString("\n\n" + lastWords)
	}
	model := func(parts ...message.Part) message.Message {
		return message.Message{Role: message.Assistant, Author: message.ByModel, Wire: "anthropic", Model: model, Parts: parts}
	}
	return []message.Message{
		message.Prompt(fmt.Sprintf("Mend part %d, please, and say what was wrong with it.", at)),
		model(message.Text{Text: fmt.Sprintf("I look at part %d first.", at)}, call),
		message.Results(message.ToolResult{CallID: call.ID, Name: "bash", Content: []message.Content{message.Text{Text: printed.String()}}}),
		model(message.Text{Text: answer.String()}),
	}
}

// model is known by the catalogue, and asked nothing.
const model = "claude-sonnet-5"
