package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/sqlite"
	"github.com/stemma-history/stemma/message"
)

// text makes n bytes of words and numbers, which compress about as transcripts
// do.
func text(chance *rand.Rand, n int) string {
	words := strings.Fields(`return error func string range context append store entry path message tool result
		the of and to in is that it for on with as was at by this from file line test package value byte time none`)
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "%s%d ", words[chance.IntN(len(words))], chance.IntN(1000))
	}
	return b.String()[:n]
}

// turn is four messages of 8 KB in all: a prompt, a call, its result, an answer.
func turn(chance *rand.Rand) []history.Entry {
	prompt := message.Prompt(text(chance, 1000))
	call := message.Message{Role: message.Assistant, Author: message.ByModel, Wire: "anthropic", Model: "m", Parts: []message.Part{
		message.Text{Text: text(chance, 600)},
		message.ToolCall{ID: "toolu_01", Name: "bash", Arguments: []byte(`{"command":"` + text(chance, 300) + `"}`)},
	}}
	result := message.Results(message.ToolResult{CallID: "toolu_01", Content: []message.Content{message.Text{Text: text(chance, 3800)}}})
	answer := message.Message{Role: message.Assistant, Author: message.ByModel, Wire: "anthropic", Model: "m", Parts: []message.Part{
		message.Text{Text: text(chance, 2000)},
	}}
	return []history.Entry{{Message: &prompt}, {Message: &call}, {Message: &result}, {Message: &answer}}
}

// chain makes n entries in a row as an import brings them, and says how many
// bytes their bodies have.
func chain(chance *rand.Rand, n int) (entries []history.Entry, bytes int) {
	var parent history.ID
	for len(entries) < n {
		for _, e := range turn(chance) {
			e.ID, e.Parent, e.Source, e.Created = history.NewID(), parent, history.NewID().String(), time.Now()
			bytes += len(body(e))
			entries, parent = append(entries, e), e.ID
		}
	}
	return entries, bytes
}

func body(e history.Entry) []byte {
	b, _ := message.Encode(*e.Message)
	return b
}

func bodiesOf(entries []history.Entry) [][]byte {
	var all [][]byte
	for _, e := range entries {
		all = append(all, body(e))
	}
	return all
}

func openStore(ctx context.Context, dir string) (*sqlite.Store, string, error) {
	path := filepath.Join(dir, "stemma.db")
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	return s, path, err
}

// importChain stores a chain as a conversation, in batches.
func importChain(ctx context.Context, s *sqlite.Store, entries []history.Entry) (history.ID, error) {
	r := history.ImportRequest{Conversation: history.Conversation{ID: history.NewID(), Source: history.Source{Tool: "bench", ID: "s"}}}
	return r.Conversation.ID, importAll(ctx, s, r, entries)
}

func importAll(ctx context.Context, s *sqlite.Store, r history.ImportRequest, entries []history.Entry) error {
	for len(entries) > 0 {
		n := min(4096, len(entries))
		r.Entries, r.Tip = entries[:n], entries[n-1].ID
		if _, err := s.Import(ctx, r); err != nil {
			return err
		}
		entries = entries[n:]
	}
	return nil
}

// best is the shortest of the runs it has measured.
type best time.Duration

func (b *best) measure(f func() error) error {
	start := time.Now()
	err := f()
	b.add(time.Since(start))
	return err
}

func (b *best) add(d time.Duration) {
	if *b == 0 || best(d) < *b {
		*b = best(d)
	}
}

func (b best) ms() float64 { return float64(b) / float64(time.Millisecond) }

func over(a, b best) float64 { return float64(a) / float64(b) }
