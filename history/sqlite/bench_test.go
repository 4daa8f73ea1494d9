package sqlite_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/sqlite"
	"github.com/stemma-history/stemma/message"
)

// openForBenchmark opens a store with the options that people have.
func openForBenchmark(b *testing.B) *sqlite.Store {
	b.Helper()
	s, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "stemma.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}

var words = strings.Fields(`return error func string range context append store entry path message tool result
	the of and to in is that it for on with as was at by this from file line test package value byte time none`)

// fourMessages is a turn of 8 KB in four messages.
func fourMessages() []history.Entry {
	text := func(n int) string { // compresses about as transcripts do
		chance, b := rand.New(rand.NewPCG(1, uint64(n))), strings.Builder{}
		for b.Len() < n {
			fmt.Fprintf(&b, "%s%d ", words[chance.IntN(len(words))], chance.IntN(1000))
		}
		return b.String()[:n]
	}
	prompt := message.Prompt(text(1000))
	call := message.Message{Role: message.Assistant, Author: message.ByModel, Parts: []message.Part{
		message.Text{Text: text(700)},
		message.ToolCall{ID: "toolu_01", Name: "bash", Arguments: []byte(`{"command":"go test ./..."}`)},
	}}
	result := message.Results(message.ToolResult{CallID: "toolu_01", Content: []message.Content{message.Text{Text: text(3800)}}})
	answer := message.Message{Role: message.Assistant, Author: message.ByModel, Parts: []message.Part{message.Text{Text: text(2200)}}}
	return []history.Entry{{Message: &prompt}, {Message: &call}, {Message: &result}, {Message: &answer}}
}

// longConversation imports n entries in a row.
func longConversation(b *testing.B, s *sqlite.Store, n int) (history.ID, history.ID) {
	b.Helper()
	r := history.ImportRequest{Conversation: history.Conversation{ID: history.NewID()}}
	turn := fourMessages()
	for n > 0 {
		r.Entries = r.Entries[:0]
		for len(r.Entries) < min(n, 4096) {
			for _, e := range turn {
				e.ID, e.Parent, e.Source = history.NewID(), r.Tip, "record"
				r.Entries, r.Tip = append(r.Entries, e), e.ID
			}
		}
		n -= len(r.Entries)
		if _, err := s.Import(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
	return r.Conversation.ID, r.Tip
}

func BenchmarkAppend(b *testing.B) {
	s := openForBenchmark(b)
	id, tip := longConversation(b, s, 4)
	entries := fourMessages()
	b.ReportAllocs()
	for b.Loop() {
		stored, err := s.Append(b.Context(), history.AppendRequest{Conversation: id, Parent: tip, ExpectedTip: tip, Entries: entries})
		if err != nil {
			b.Fatal(err)
		}
		tip = stored[len(stored)-1].ID
	}
}

func BenchmarkImport(b *testing.B) {
	s := openForBenchmark(b)
	var entries []history.Entry
	size := 0
	for range 1000 {
		for _, e := range fourMessages() {
			body, _ := message.Encode(*e.Message)
			size += len(body)
			entries = append(entries, e)
		}
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		var tip history.ID
		for i := range entries {
			entries[i].ID, entries[i].Parent, entries[i].Source = history.NewID(), tip, "01a22ea0-000b-7417-9a27-5ab63cb48019"
			tip = entries[i].ID
		}
		r := history.ImportRequest{Conversation: history.Conversation{ID: history.NewID()}, Entries: entries, Tip: tip}
		if _, err := s.Import(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNewest200(b *testing.B) {
	s := openForBenchmark(b)
	id, _ := longConversation(b, s, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		path, err := history.Collect(s.Path(b.Context(), history.PathQuery{Conversation: id, Newest: 200}))
		if err != nil || len(path) != 200 {
			b.Fatal(len(path), err)
		}
	}
}

func BenchmarkNodes(b *testing.B) {
	s := openForBenchmark(b)
	const n = 20_480
	id, _ := longConversation(b, s, n)
	b.ReportAllocs()
	for b.Loop() {
		nodes, err := history.Collect(s.Nodes(b.Context(), id))
		if err != nil || len(nodes) != n {
			b.Fatal(len(nodes), err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/node")
}

func BenchmarkMoveTip(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := openForBenchmark(b)
			id, tip := longConversation(b, s, n)
			path, err := history.Collect(s.Path(b.Context(), history.PathQuery{Conversation: id, Newest: 5}))
			if err != nil {
				b.Fatal(err)
			}
			var ends [2]history.Boundary
			for i, e := range []history.ID{tip, path[0].ID} {
				if ends[i], err = history.BoundaryAt(b.Context(), s, id, e); err != nil {
					b.Fatal(err)
				}
			}
			if err := s.MoveTip(b.Context(), ends[0], history.ID{}); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if err := s.MoveTip(b.Context(), ends[(i+1)%2], ends[i%2].Entry()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFork(b *testing.B) {
	s := openForBenchmark(b)
	const n = 10_000
	id, tip := longConversation(b, s, n)
	at, err := history.BoundaryAt(b.Context(), s, id, tip)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Fork(b.Context(), history.ForkRequest{At: at}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/entry")
}

func BenchmarkSearch(b *testing.B) {
	s := openForBenchmark(b)
	longConversation(b, s, 4000)
	for left := 1; left > 0; {
		var err error
		if left, err = s.Index(b.Context(), 1000); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		result, err := s.Search(b.Context(), history.SearchQuery{Text: "context"})
		if err != nil || len(result.Hits) != 20 {
			b.Fatal(len(result.Hits), err)
		}
	}
}

func BenchmarkReadersAtOnce(b *testing.B) {
	s := openForBenchmark(b)
	id, _ := longConversation(b, s, 4096)
	b.ReportAllocs()
	b.SetParallelism(4)
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			if _, err := history.Collect(s.Path(b.Context(), history.PathQuery{Conversation: id, Newest: 8})); err != nil {
				b.Fatal(err)
			}
		}
	})
}
