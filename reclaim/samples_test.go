package reclaim_test

import (
	"context"
	"testing"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/memory"
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/claudecode"
	"github.com/stemma-history/stemma/transcript/pi"
	"github.com/stemma-history/stemma/wire"
)

// importSample returns the path of the main conversation of a file, without
// the compactions of the tool that wrote it.
func importSample(t *testing.T, format transcript.Format, file string) []history.Entry {
	t.Helper()
	ctx := context.Background()
	store := memory.New(memory.Options{})
	f, closer, err := transcript.Open("../testdata/samples/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	report, err := transcript.Import(ctx, store, format, f, transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	path, err := history.Collect(store.Path(ctx, history.PathQuery{Conversation: report.Conversations[0].Conversation}))
	if err != nil {
		t.Fatal(err)
	}
	for i := range path {
		if path[i].Compaction != nil {
			path[i].Compaction = &history.Compaction{}
		}
	}
	return path
}

// TestRealSessionsShrink holds the free rungs to what they promise on real
// sessions: the view at most a third of the path for a reader of large pages,
// a fifth where every page costs the same.
func TestRealSessionsShrink(t *testing.T) {
	for _, sample := range []struct {
		name   string
		format transcript.Format
		file   string
	}{
		{"pi", pi.Format{}, "pi/before-compaction.jsonl"},
		{"claude-code", claudecode.Format{}, "claude-code/spotter_ae4a77f8.jsonl"},
	} {
		for _, c := range []struct {
			model string
			part  float64 // the view at most this part of the path
			gain  float64 // of the imaged middle alone, at least
		}{{"claude-opus-5", 1. / 3, 2.4}, {"gemini-4-argon", 1. / 5, 7}} {
			t.Run(sample.name+" "+c.model, func(t *testing.T) {
				path := importSample(t, sample.format, sample.file)
				model, _, _ := catalog.Default().Find(c.model)
				p := reclaim.ProblemFor(model, wire.Frame{Model: c.model}, path, nil, 0)
				p.Budget.Target = 0
				plan, err := reclaim.Make(p)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range plan.Steps {
					t.Logf("%-8s %7d -> %7d tokens, %d items: %s", s.Rung, s.Before, s.After, s.Items, s.Why)
				}
				if part := float64(plan.After) / float64(plan.Path); part > c.part {
					t.Errorf("the view has %d of %d tokens, %.0f %%", plan.After, plan.Path, 100*part)
				}
				p.Rungs = []reclaim.Rung{reclaim.Pages}
				alone, err := reclaim.Make(p)
				if err != nil {
					t.Fatal(err)
				}
				p.Path = append(path[:len(path):len(path)], history.Entry{Depth: len(path) + 1, Compaction: alone.Compaction})
				account := reclaim.Context(p)
				pages := account.Of("pages").Tokens
				gain := float64(alone.Before-(alone.After-pages)) / float64(pages)
				t.Logf("pages alone: %d -> %d tokens, the middle %.1f times smaller", alone.Before, alone.After, gain)
				if gain < c.gain {
					t.Errorf("the middle is %.2f times smaller, want %.1f", gain, c.gain)
				}
			})
		}
	}
}
