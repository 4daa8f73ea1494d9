package claudecode

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/memory"
	"github.com/stemma-history/stemma/history/sqlite"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/transcript"
)

// generate returns a session of about size bytes with the mix of a real one:
// two thirds of the lines are progress, most bytes are results that stand
// twice, and answers are spread over several lines. It is the same each time.
func generate(size int) []byte {
	g := generator{rand: rand.New(rand.NewPCG(1, 2)), at: time.Date(2026, 2, 12, 14, 0, 0, 0, time.UTC)}
	for g.out.Len() < size {
		g.exchange()
	}
	return g.out.Bytes()
}

type generator struct {
	out    bytes.Buffer
	rand   *rand.Rand
	at     time.Time
	n      int
	parent string
}

var words = strings.Fields("the store keeps each entry under its parent and never rewrites what was said func return error path line \"quoted\" tab\t über 日本語 => {} [] // note 0x1f 42 config retry budget window")

// text returns text of about size bytes as a JSON string.
func (g *generator) text(size int) []byte {
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(words[g.rand.IntN(len(words))])
		b.WriteByte(" \n"[min(1, g.rand.IntN(9)/8)])
	}
	return rawjson.AppendString(nil, b.String())
}

// line writes one line that continues from the latest.
func (g *generator) line(kind, format string, args ...any) string {
	g.n++
	g.at = g.at.Add(700 * time.Millisecond)
	id := fmt.Sprintf("%08x-0000-4000-8000-%012x", g.n, g.n)
	parent := "null"
	if g.parent != "" {
		parent = `"` + g.parent + `"`
	}
	fmt.Fprintf(&g.out, `{"parentUuid":%s,"isSidechain":false,"userType":"external","cwd":"/home/u/p","sessionId":"s","version":"2.1.39","gitBranch":"main","type":"%s",`, parent, kind)
	fmt.Fprintf(&g.out, format, args...)
	fmt.Fprintf(&g.out, `,"uuid":"%s","timestamp":"%s"}`+"\n", id, g.at.Format(time.RFC3339Nano))
	g.parent = id
	return id
}

// size returns a size with many small and few large values.
func (g *generator) size(most int) int { return 40 + most>>g.rand.IntN(8) }

func (g *generator) exchange() {
	g.line("user", `"message":{"role":"user","content":%s}`, g.text(g.size(1000)))
	for range 3 + g.rand.IntN(20) {
		g.turn()
	}
}

func (g *generator) turn() {
	id := g.n
	part := func(block string, args ...any) {
		g.line("assistant", `"message":{"model":"claude-opus-4-6","id":"msg_%d","type":"message","role":"assistant","content":[`+block+`],"stop_reason":null,"usage":{"input_tokens":3,"cache_creation_input_tokens":900,"cache_read_input_tokens":90000,"output_tokens":300}}`, append([]any{id}, args...)...)
	}
	if g.rand.IntN(3) == 0 {
		part(`{"type":"thinking","thinking":%s,"signature":"%s"}`, g.text(g.size(3000)), strings.Repeat("Ab3/", 100))
	}
	part(`{"type":"text","text":%s}`, g.text(g.size(800)))
	calls := 1 + g.rand.IntN(3)
	for k := range calls {
		part(`{"type":"tool_use","id":"toolu_%d_%d","name":"Read","input":{"file_path":%s}}`, id, k, g.text(60))
		for range 3 {
			g.line("progress", `"data":{"type":"hook_progress","hookEvent":"PreToolUse","command":%s},"parentToolUseID":"toolu_%d_%d","toolUseID":"toolu_%d_%d"`, g.text(80), id, k, id, k)
		}
	}
	for k := range calls {
		content := g.text(g.size(16_000))
		g.line("user", `"message":{"role":"user","content":[{"tool_use_id":"toolu_%d_%d","type":"tool_result","content":%s}]},"toolUseResult":{"type":"text","file":{"content":%s}}`, id, k, content, content)
	}
}

// nowhere is a sink that drops everything.
type nowhere struct{}

func (nowhere) Conversation(transcript.Conversation) error { return nil }
func (nowhere) Record(transcript.Record) error             { return nil }
func (nowhere) Label(transcript.Label) error               { return nil }
func (nowhere) Tip(string) error                           { return nil }
func (nowhere) Problem(transcript.Problem)                 {}
func (nowhere) Progress(int64)                             {}

func BenchmarkImport(b *testing.B) {
	path := filepath.Join(b.TempDir(), "session.jsonl")
	data := generate(50 << 20)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		b.Fatal(err)
	}
	stores := map[string]func(*testing.B) history.Store{
		"memory": func(*testing.B) history.Store { return memory.New(memory.Options{}) },
		"sqlite": func(b *testing.B) history.Store {
			s, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "store.db"), sqlite.Options{})
			if err != nil {
				b.Fatal(err)
			}
			return s
		},
	}
	run := func(b *testing.B, read func(b *testing.B, f *transcript.File) error) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			f, closer, err := transcript.Open(path)
			if err != nil {
				b.Fatal(err)
			}
			if err := read(b, f); err != nil {
				b.Fatal(err)
			}
			closer.Close()
		}
	}
	b.Run("parse", func(b *testing.B) {
		run(b, func(b *testing.B, f *transcript.File) error { return Format{}.Read(b.Context(), f, nowhere{}) })
	})
	for name, open := range stores {
		b.Run(name, func(b *testing.B) {
			run(b, func(b *testing.B, f *transcript.File) error {
				b.StopTimer()
				store := open(b)
				b.StartTimer()
				_, err := transcript.Import(b.Context(), store, Format{}, f, transcript.Options{})
				b.StopTimer()
				defer b.StartTimer()
				return errors.Join(err, store.Close())
			})
		})
	}
}
