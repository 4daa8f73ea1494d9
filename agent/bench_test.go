package agent_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stemma-history/stemma/agent"
	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/memory"
	"github.com/stemma-history/stemma/history/sqlite"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/wire/wires"
)

// A parrot answers at once, in this process: each prompt with a call, and its
// result with a word.
type parrot struct{ wire wires.Wire }

func (p parrot) Name() string     { return "parrot" }
func (p parrot) Wire() wires.Wire { return p.wire }
func (p parrot) Send(_ context.Context, r provider.Request, show func(provider.Delta)) (provider.Answer, error) {
	a := provider.Answer{Message: message.Message{Role: message.Assistant, Author: message.ByModel, Wire: p.wire.Name, Model: r.Model}}
	a.Usage.Input, a.Usage.Output = int64(r.Estimate), 50
	if show != nil {
		show(provider.Delta{Text: "Looking."})
	}
	a.Message.Parts = []message.Part{message.Text{Text: "Looking."}, message.ToolCall{ID: "call_1", Name: "look", Arguments: []byte(`{"path":"a"}`)}}
	a.Message.Stop = message.StopTools
	return a, nil
}

// BenchmarkTurn is what the loop itself costs a turn of two messages, without
// network, model and disk, on paths of so many entries and a window of 200,000
// tokens. (Where the whole path is in the view, a turn costs what it takes to
// copy the body.)
func BenchmarkTurn(b *testing.B) {
	for _, entries := range []int{1_000, 10_000, 100_000} {
		for _, name := range []string{"anthropic", "openai-chat"} {
			b.Run(fmt.Sprintf("%d/%s", entries, name), func(b *testing.B) {
				w, err := wires.Named(name)
				if err != nil {
					b.Fatal(err)
				}
				store, id := memory.New(memory.Options{}), history.NewID()
				fill(b, store, id, w, entries)
				turns := 0
				look := &probe{name: "look", readOnly: true, do: func(context.Context, tool.Call) tool.Result {
					r := tool.Text("What is there, in a hundred bytes or so: a list of names that nobody reads again, and their sizes.")
					r.Uneventful = true
					return r
				}}
				run, _, err := agent.Open(b.Context(), agent.Config{
					Store: store, Conversation: id, Tools: []tool.Tool{look}, MaxTurns: b.N + 1,
					Model: agent.Model{Provider: parrot{w}, Name: "parrot-1", Known: catalog.Model{ID: "parrot-1"}, Window: 200_000},
				})
				if err != nil {
					b.Fatal(err)
				}
				ctx, stop := context.WithCancel(b.Context())
				defer stop()
				b.ReportAllocs()
				for e, err := range run.Prompt(ctx, message.Text{Text: "Go."}) {
					if err != nil {
						b.Fatal(err)
					}
					if saved, ok := e.(agent.Saved); ok && len(saved.Entries) == 2 {
						if turns++; turns == 1 {
							b.ResetTimer() // the first turn has looked at the whole path
						}
						if turns == b.N+1 {
							break
						}
					}
				}
			})
		}
	}
}

// fill stores a path of so many entries: prompts, calls, results, answers.
func fill(tb testing.TB, store history.Store, id history.ID, w wires.Wire, entries int) {
	tb.Helper()
	if err := store.Create(tb.Context(), history.Conversation{ID: id}); err != nil {
		tb.Fatal(err)
	}
	var parent history.ID
	for n := 0; n < entries; {
		call := message.ToolCall{ID: fmt.Sprintf("call_%d", n), Name: "look", Arguments: []byte(`{"path":"a"}`)}
		results := message.Results(message.ToolResult{CallID: call.ID, Name: "look", Content: []message.Content{message.Text{Text: fmt.Sprintf("result %d of a hundred bytes or so, as they are: short, many, and of no interest to anyone.", n)}}, Uneventful: true})
		asked := message.Prompt(fmt.Sprintf("Prompt %d: what is there?", n))
		answer := message.Message{Role: message.Assistant, Author: message.ByModel, Wire: w.Name, Model: "parrot-1", Parts: []message.Part{message.Text{Text: "I look."}, call}}
		done := message.Message{Role: message.Assistant, Author: message.ByModel, Wire: w.Name, Model: "parrot-1", Parts: []message.Part{message.Text{Text: "There it is."}}}
		saved, err := store.Append(tb.Context(), history.AppendRequest{Conversation: id, Parent: parent, ExpectedTip: parent,
			Entries: []history.Entry{{Message: &asked}, {Message: &answer}, {Message: &results}, {Message: &done}}})
		if err != nil {
			tb.Fatal(err)
		}
		parent = saved[len(saved)-1].ID
		n += len(saved)
	}
}

// BenchmarkResume opens a conversation of so many entries on disk for a run: the
// whole of it, and held to its newest 200.
func BenchmarkResume(b *testing.B) {
	w, err := wires.Named("anthropic")
	if err != nil {
		b.Fatal(err)
	}
	for _, entries := range []int{1_000, 10_000, 100_000} {
		store, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "store.db"), sqlite.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = store.Close() })
		id := history.NewID()
		fill(b, store, id, w, entries)
		for _, limit := range []int{0, 200} {
			b.Run(fmt.Sprintf("%d/%d", entries, limit), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, _, err := agent.Open(b.Context(), agent.Config{
						Store: store, Conversation: id, Limit: history.Limit{Entries: limit},
						Model: agent.Model{Provider: parrot{w}, Name: "parrot-1", Known: catalog.Model{ID: "parrot-1"}, Window: 200_000},
					}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
