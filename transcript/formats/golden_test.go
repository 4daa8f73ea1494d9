package formats_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/memory"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/formats"
)

var update = flag.Bool("update", false, "write the golden files anew")

const samples = "../../testdata/samples"

// sampleFiles lists the samples below their directory.
func sampleFiles(tb testing.TB) []string {
	tb.Helper()
	var files []string
	err := filepath.WalkDir(samples, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Base(path) != "NOTICE.md" {
			name, _ := filepath.Rel(samples, path)
			files = append(files, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil || len(files) == 0 {
		tb.Fatalf("%d samples, %v", len(files), err)
	}
	return files
}

func newStore(tb testing.TB) *memory.Store {
	tb.Helper()
	s := memory.New(memory.Options{})
	tb.Cleanup(func() { s.Close() })
	return s
}

// importFile imports a file that a format must know.
func importFile(tb testing.TB, store history.Store, path string) transcript.Report {
	tb.Helper()
	report, err := tryImport(tb, store, path)
	if err != nil {
		tb.Fatal(err)
	}
	return report
}

func tryImport(tb testing.TB, store history.Store, path string) (transcript.Report, error) {
	tb.Helper()
	f, closer, err := transcript.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer closer.Close()
	format, err := transcript.Detect(formats.All(), f)
	if err != nil {
		return transcript.Report{}, err
	}
	return transcript.Import(tb.Context(), store, format, f, transcript.Options{})
}

func TestSamplesComeToTheTreesTheyHold(t *testing.T) {
	for _, name := range sampleFiles(t) {
		t.Run(name, func(t *testing.T) {
			store := newStore(t)
			report, err := tryImport(t, store, filepath.Join(samples, name))
			got := render(t, store, report)
			if errors.Is(err, transcript.ErrUnknownFormat) {
				got = "no conversation\n"
			} else if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", "golden", name+".txt")
			if *update {
				if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("it differs from %s (go test -update writes it anew):\n%s", golden, firstDifference(got, string(want)))
			}
		})
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			return fmt.Sprintf("line %d\n got %s\nwant %s", i+1, g[i], strings.Join(w[min(i, len(w)):min(i+1, len(w))], ""))
		}
	}
	return fmt.Sprintf("line %d\n got the end\nwant %s", len(g)+1, w[len(g)])
}

// render writes what an import brought as text: a line an entry, branches
// indented, the tip marked with a star.
func render(tb testing.TB, store history.Store, report transcript.Report) string {
	tb.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "format %s\n", report.Format)
	for _, imported := range report.Conversations {
		c, err := store.Conversation(tb.Context(), imported.Conversation)
		if err != nil {
			tb.Fatal(err)
		}
		fmt.Fprintf(&b, "\nconversation %s\n", c.Source.ID)
		for _, about := range [][2]string{{"title", c.Title}, {"model", c.Model}, {"directory", c.Directory}, {"spawned by", sourceOf(tb, store, c.SpawnedBy)}, {"forked from", sourceOf(tb, store, c.ForkedFrom)}} {
			if about[1] != "" {
				fmt.Fprintf(&b, "%s: %s\n", about[0], about[1])
			}
		}
		renderTree(tb, &b, store, c)
	}
	for _, p := range report.Problems {
		fmt.Fprintf(&b, "\nproblem: line %d, record %q: %s", p.Line, p.Record, p.What)
	}
	if report.ProblemCount > 0 {
		fmt.Fprintf(&b, "\n%d problems\n", report.ProblemCount)
	}
	return b.String()
}

func sourceOf(tb testing.TB, store history.Store, l history.Link) string {
	if l == (history.Link{}) {
		return ""
	}
	c, err := store.Conversation(tb.Context(), l.Conversation)
	if err != nil {
		tb.Fatal(err)
	}
	if l.Entry == (history.ID{}) {
		return c.Source.ID
	}
	e, err := store.Entry(tb.Context(), l.Conversation, l.Entry)
	if err != nil {
		tb.Fatal(err)
	}
	return fmt.Sprintf("%s at %v", c.Source.ID, e.Handle())
}

func renderTree(tb testing.TB, b *strings.Builder, store history.Store, c history.Conversation) {
	nodes, err := history.Collect(store.Nodes(tb.Context(), c.ID))
	if err != nil {
		tb.Fatal(err)
	}
	pairing := pairingOf(tb, store, c.ID)
	answered := 0
	for _, call := range pairing.Calls {
		if call.State == message.Answered {
			answered++
		}
	}
	fmt.Fprintf(b, "%d entries; on the path to the tip %d calls, %d unanswered, %d orphaned results\n", len(nodes), len(pairing.Calls), len(pairing.Calls)-answered, len(pairing.Orphans))
	for _, line := range history.ArrangeTree(nodes, c.Tip, nil) {
		e, err := store.Entry(tb.Context(), c.ID, line.ID)
		if err != nil {
			tb.Fatal(err)
		}
		star := ' '
		if e.ID == c.Tip {
			star = '*'
		}
		fmt.Fprintf(b, "%s%c%v %s\n", strings.Repeat("| ", line.Level), star, e.Handle(), describe(&e))
	}
}

func pairingOf(tb testing.TB, store history.Store, conversation history.ID) message.Pairing {
	tb.Helper()
	path, err := history.Collect(store.Path(tb.Context(), history.PathQuery{Conversation: conversation}))
	if err != nil {
		tb.Fatal(err)
	}
	return message.Pair(func(yield func(*message.Message) bool) {
		for i := range path {
			if m := path[i].Message; m != nil && !yield(m) {
				return
			}
		}
	})
}

// describe writes an entry as one line.
func describe(e *history.Entry) string {
	if e.Compaction != nil {
		var ranges []string
		for _, t := range e.Compaction.Treatments {
			ranges = append(ranges, fmt.Sprintf("%v-%v %s %s", t.From, t.To, t.As, words(t.Text)))
		}
		return fmt.Sprintf("compaction (%s) %s", e.Compaction.Reason.Note, strings.Join(ranges, "; "))
	}
	m := e.Message
	parts := []string{fmt.Sprintf("%s/%s", m.Role, m.Author)}
	for _, p := range m.Parts {
		parts = append(parts, part(p))
	}
	if m.Stop != "" {
		parts = append(parts, "stop="+string(m.Stop))
	}
	if u := e.Usage; u != nil {
		parts = append(parts, fmt.Sprintf("usage=%d+%d+%d→%d", u.Input, u.CacheRead, u.CacheWrite, u.Output))
	}
	return strings.Join(parts, " ")
}

func part(p message.Part) string {
	switch p := p.(type) {
	case message.Text:
		return words(p.Text)
	case message.Thinking:
		return fmt.Sprintf("thinking(%s sig=%d)", words(p.Text), len(p.Signature))
	case message.RedactedThinking:
		return "redacted"
	case message.ToolCall:
		return fmt.Sprintf("call(%s #%s %d bytes)", p.Name, tail(p.ID), len(p.Arguments))
	case message.ToolResult:
		outcome := ""
		if p.Outcome != message.OK {
			outcome = " " + string(p.Outcome)
		}
		return fmt.Sprintf("result(#%s%s %s)", tail(p.CallID), outcome, words(p.PlainText()))
	case message.Image:
		return fmt.Sprintf("image(%s %dx%d)", p.Type, p.WidthPx, p.HeightPx)
	case message.Document:
		return fmt.Sprintf("document(%s %s)", p.Type, p.Name)
	case message.Opaque:
		return fmt.Sprintf("opaque(%s %d bytes)", p.Format, len(p.Raw))
	}
	return fmt.Sprintf("%T", p)
}

// words returns the first words of a text, quoted.
func words(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 40 {
		text = string(runes[:40]) + "…"
	}
	return fmt.Sprintf("%q", text)
}

// tail returns the end of an id: what tells it from its neighbours.
func tail(id string) string { return id[max(len(id)-6, 0):] }
