package reclaim_test

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/memory"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/formats"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/wires"
	"github.com/stemma-history/stemma/wire/wiretest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestP2P3P4EverySampleIsSent sends the longest conversation of each file of
// other tools, in small and large windows, over every wire: it fits, the
// provider's checker takes it, and whatever is left out is behind a line that
// says so. What the ladder did is in testdata/samples.golden: a change of the
// ladder shows in its diff.
func TestP2P3P4EverySampleIsSent(t *testing.T) {
	var table bytes.Buffer
	rows := tabwriter.NewWriter(&table, 0, 1, 2, ' ', 0)
	fmt.Fprintln(rows, "file\twindow\twire\tentries\tpath\tbefore\tafter\ttreatments\tblocks")
	for _, file := range sampleFiles(t) {
		path, blobs := longestOf(t, file)
		if len(path) == 0 {
			continue
		}
		for _, window := range []int{8000, 32_000, 100_000, 200_000} {
			for _, to := range []struct {
				model string
				wires []string
			}{{"claude-opus-5", []string{"anthropic"}}, {"gpt-6.2-sol", []string{"openai-chat", "openai-responses"}}, {"gemini-4-argon", []string{"gemini"}}} {
				if raceEnabled && (window != 32_000 || len(path) > 300 && to.model != "claude-opus-5") {
					continue
				}
				sent := sendSample(t, file, path, window, to.model, blobs)
				for _, name := range to.wires {
					sent.write(t, rows, name)
				}
			}
		}
	}
	if raceEnabled {
		return // it has not seen all
	}
	if err := rows.Flush(); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "samples.golden")
	if *update {
		if err := os.WriteFile(golden, table.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	wantLines, gotLines := strings.Split(string(want), "\n"), strings.Split(table.String(), "\n")
	for i := range max(len(wantLines), len(gotLines)) {
		if i >= len(wantLines) || i >= len(gotLines) || wantLines[i] != gotLines[i] {
			t.Fatalf("line %d differs from %s (-update rewrites it):\n%s", i+1, golden, strings.Join(gotLines[min(i, len(gotLines)):min(i+3, len(gotLines))], "\n"))
		}
	}
}

const samples = "../testdata/samples"

func sampleFiles(t *testing.T) []string {
	var files []string
	err := filepath.WalkDir(samples, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasSuffix(path, "NOTICE.md") && !strings.Contains(path, "_subagents") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// longestOf returns the path of the conversation of a file with the most
// entries, and a prompt that goes on with it; none where the file is no
// conversation.
func longestOf(t *testing.T, file string) ([]history.Entry, history.Blobs) {
	ctx := context.Background()
	store := memory.New(memory.Options{})
	f, closer, err := transcript.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	format, err := transcript.Detect(formats.All(), f)
	if err != nil {
		t.Logf("%v", err)
		return nil, nil
	}
	report, err := transcript.Import(ctx, store, format, f, transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Conversations) == 0 {
		return nil, nil
	}
	longest := slices.MaxFunc(report.Conversations, func(a, b transcript.Imported) int { return cmp.Compare(a.Records, b.Records) })
	path, err := history.Collect(store.Path(ctx, history.PathQuery{Conversation: longest.Conversation}))
	if err != nil {
		t.Fatal(err)
	}
	next := message.Prompt("Go on.")
	return append(path, history.Entry{ID: history.NewID(), Depth: len(path) + 1, Message: &next}), store
}

// A sentSample is a conversation as it is sent to a model.
type sentSample struct {
	file    string
	problem reclaim.Problem // its path has the compaction that was due
	model   catalog.Model
	plan    *reclaim.Plan
	view    wire.View
	blobs   history.Blobs
}

func sendSample(t *testing.T, file string, path []history.Entry, window int, name string, blobs history.Blobs) sentSample {
	model, exact, _ := catalog.Default().Find(name)
	if !exact {
		t.Fatalf("%s is not in the catalogue", name)
	}
	s := sentSample{file: strings.TrimPrefix(file, samples+"/"), model: model, blobs: blobs}
	s.problem = reclaim.ProblemFor(model, wire.Frame{Model: name, System: []string{"Be brief."}}, path, nil, window)
	var err error
	if s.problem.Path, s.plan, err = reclaim.Ready(s.problem); err != nil {
		t.Fatalf("%s in %d tokens of %s: %v", file, window, name, err)
	}
	if size := reclaim.Context(s.problem).Total; size > s.problem.Budget.Limit() {
		t.Fatalf("%s in %d tokens of %s: the view has %d", file, window, name, size)
	}
	if s.view, err = reclaim.View(s.problem.Path, reclaim.DrawPage); err != nil {
		t.Fatal(err)
	}
	if err := covers(s.view, s.problem.Path); err != nil {
		t.Fatalf("%s in %d tokens of %s: %v", file, window, name, err)
	}
	return s
}

// write encodes the sample for a wire and adds a line on it to the table.
func (s *sentSample) write(t *testing.T, table *tabwriter.Writer, name string) {
	w, err := wires.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	frame := s.problem.Frame
	frame.Wire = name
	body, err := w.Encode(wire.Request{Frame: frame, View: s.view, MaxOutput: 1000, ChecksThinking: s.model.ChecksThinking,
		Blob: func(h message.Hash) (message.Blob, error) { return s.blobs.Blob(context.Background(), h) }})
	if err != nil {
		t.Fatalf("%s in %d tokens over %s: %v", s.file, s.problem.Budget.Window, name, err)
	}
	blocks, err := wiretest.Blocks(body.JSON)
	if err != nil {
		t.Fatal(err)
	}
	after, treatments := reclaim.Context(s.problem).Total, "-"
	whole, before := after, after
	if s.plan != nil {
		whole, before = s.plan.Path, s.plan.Before
		if s.plan.Compaction != nil {
			treatments = strings.ReplaceAll(treatmentsOf(s.plan.Compaction), " ", ",")
		}
	}
	fmt.Fprintf(table, "%s\t%d\t%s\t%d\t%d\t%d\t%d\t%s\t%d\n", s.file, s.problem.Budget.Window, name, len(s.problem.Path), whole, before, after, treatments, len(blocks))
}

// treatmentsOf counts the treatments of a compaction, and its pages.
func treatmentsOf(c *history.Compaction) string {
	counts := map[history.As]int{}
	pages := 0
	for _, t := range c.Treatments {
		counts[t.As]++
		if t.Pages != nil {
			pages += len(t.Pages.Pages)
		}
	}
	var words []string
	for _, as := range []history.As{history.AsWhole, history.AsStub, history.AsImages, history.AsPages, history.AsOutline} {
		if n := counts[as]; n > 0 && as == history.AsPages {
			words = append(words, fmt.Sprintf("%d:%s(%d)", n, as, pages))
		} else if n > 0 {
			words = append(words, fmt.Sprintf("%d:%s", n, as))
		}
	}
	return strings.Join(words, " ")
}
