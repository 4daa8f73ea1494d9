package formats_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/formats"
)

// conversationOf imports a sample and returns its first conversation.
func conversationOf(t *testing.T, store history.Store, name string) history.Conversation {
	t.Helper()
	report := importFile(t, store, filepath.Join(samples, name))
	if len(report.Conversations) == 0 {
		t.Fatalf("%s: no conversation", name)
	}
	c, err := store.Conversation(t.Context(), report.Conversations[0].Conversation)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCallsOfTheSamplesAreAnsweredAsInTheFiles(t *testing.T) {
	for _, test := range []struct {
		name                        string
		calls, unanswered, orphaned int
	}{
		{"claude-code/spotter_ae4a77f8.jsonl", 242, 0, 0},
		{"claude-code/spotter_ae4a77f8_subagents/agent-aac57f5.jsonl", 12, 0, 0},
		{"claude-code/spotter_short.jsonl", 2, 0, 0},
		{"claude-code/spotter_tool_heavy.jsonl", 6, 0, 0},
		{"pi/before-compaction.jsonl", 454, 6, 0},
		{"cline/session.messages.json", 11, 0, 0},
	} {
		store := newStore(t)
		pairing := pairingOf(t, store, conversationOf(t, store, test.name).ID)
		unanswered := 0
		for _, c := range pairing.Calls {
			if c.State != message.Answered {
				unanswered++
			}
		}
		if len(pairing.Calls) != test.calls || unanswered != test.unanswered || len(pairing.Orphans) != test.orphaned {
			t.Errorf("%s: %d calls, %d unanswered, %d orphaned; want %+v", test.name, len(pairing.Calls), unanswered, len(pairing.Orphans), test)
		}
	}
}

func TestTheCompactedSessionIsOneTreeWithItsSubAgents(t *testing.T) {
	store := newStore(t)
	c := conversationOf(t, store, "claude-code/spotter_ae4a77f8.jsonl")
	path, err := history.Collect(store.Path(t.Context(), history.PathQuery{Conversation: c.ID}))
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(path, func(e history.Entry) bool { return e.Compaction != nil })
	if at < 0 || path[0].Parent != (history.ID{}) || len(path) != 468 {
		t.Fatalf("path of %d, compaction at %d", len(path), at)
	}
	if treatment := path[at].Compaction.Treatments[0]; treatment.From.Depth != 1 || treatment.To.Depth != at || path[at].Compaction.Reason.Before != 142431 {
		t.Errorf("compaction %+v", path[at].Compaction)
	}
	agents := 0
	for other, err := range store.List(t.Context(), history.ListQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		if other.SpawnedBy.Conversation != c.ID {
			continue
		}
		agents++
		e, err := store.Entry(t.Context(), c.ID, other.SpawnedBy.Entry)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(other.Source.ID, "/aac57f5") {
			called := false
			for _, call := range e.Message.Calls {
				called = called || call.Name == "Task"
			}
			if !called {
				t.Errorf("%s is linked to entry %v, which calls no Task", other.Source.ID, e.Handle())
			}
		}
	}
	if agents != 2 {
		t.Errorf("%d sub-agents", agents)
	}
}

func TestImportingSamplesAgainAddsNothing(t *testing.T) {
	store := newStore(t)
	var before []string
	for range 2 {
		added := 0
		var trees []string
		for _, name := range sampleFiles(t) {
			report, err := tryImport(t, store, filepath.Join(samples, name))
			if err != nil {
				continue // a note beside a session
			}
			for _, c := range report.Conversations {
				added += c.Added
				trees = append(trees, c.Conversation.String()+" "+c.Tip.String())
			}
		}
		if before == nil {
			before = trees
			continue
		}
		if added != 0 || !slices.Equal(before, trees) {
			t.Errorf("%d entries were added by importing again", added)
		}
	}
}

func TestAFileImportedWhileItGrowsComesToTheSamePath(t *testing.T) {
	for _, name := range sampleFiles(t) {
		content, err := os.ReadFile(filepath.Join(samples, name))
		if err != nil || !strings.HasSuffix(name, ".jsonl") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, filepath.Base(name))
			sources := func(store history.Store, content []byte) []string {
				if err := os.WriteFile(path, content, 0o600); err != nil {
					t.Fatal(err)
				}
				report, err := tryImport(t, store, path)
				if err != nil || len(report.Conversations) == 0 {
					return nil
				}
				entries, err := history.Collect(store.Path(t.Context(), history.PathQuery{Conversation: report.Conversations[0].Conversation}))
				if err != nil {
					t.Fatal(err)
				}
				var ids []string
				for _, e := range entries {
					ids = append(ids, e.Source)
				}
				return ids
			}
			want := sources(newStore(t), content)
			lines := bytes.SplitAfter(content, []byte("\n"))
			growing := newStore(t)
			var got []string
			for _, share := range []int{4, 3, 2, 1} { // a quarter, a third, half, all
				got = sources(growing, bytes.Join(lines[:len(lines)/share], nil))
			}
			if !slices.Equal(got, want) {
				t.Errorf("path of %d entries, want %d", len(got), len(want))
			}
		})
	}
}

// TestWhatProvidersCheckStandsInTheFileByteForByte looks the bytes up in the
// raw file.
func TestWhatProvidersCheckStandsInTheFileByteForByte(t *testing.T) {
	checked := 0
	for _, name := range sampleFiles(t) {
		tool, _, _ := strings.Cut(name, "/")
		content, err := os.ReadFile(filepath.Join(samples, name))
		if err != nil {
			t.Fatal(err)
		}
		switch tool {
		case "claude-code", "codex", "pi", "cline":
		default:
			continue
		}
		if strings.HasSuffix(name, ".compaction.json") {
			continue // what it brings stands in another file
		}
		store := newStore(t)
		report, err := tryImport(t, store, filepath.Join(samples, name))
		if err != nil || len(report.Conversations) == 0 {
			continue
		}
		conversation := report.Conversations[0].Conversation
		for n, err := range store.Nodes(t.Context(), conversation) {
			if err != nil {
				t.Fatal(err)
			}
			e, err := store.Entry(t.Context(), conversation, n.ID)
			if err != nil {
				t.Fatal(err)
			}
			for _, piece := range checkedBytes(&e) {
				checked++
				if !bytes.Contains(content, piece) && !bytes.Contains(content, bytes.Trim(rawjson.AppendString(nil, string(piece)), `"`)) {
					t.Fatalf("%s: entry %v: %.80s does not stand in the file", name, e.Handle(), piece)
				}
			}
		}
	}
	if checked < 700 {
		t.Errorf("only %d pieces were checked", checked)
	}
}

// checkedBytes returns what of an entry must not have changed.
func checkedBytes(e *history.Entry) (pieces [][]byte) {
	if e.Message == nil {
		return nil
	}
	for _, p := range e.Message.Parts {
		switch p := p.(type) {
		case message.Thinking:
			pieces = append(pieces, []byte(p.Signature), p.Raw)
		case message.RedactedThinking:
			pieces = append(pieces, []byte(p.Data))
		case message.ToolCall:
			pieces = append(pieces, p.Arguments)
		}
	}
	return pieces
}

func TestNoToolTakesTheFilesOfAnother(t *testing.T) {
	for _, name := range sampleFiles(t) {
		f, closer, err := transcript.Open(filepath.Join(samples, name))
		if err != nil {
			t.Fatal(err)
		}
		tool, _, _ := strings.Cut(name, "/")
		for _, format := range formats.All() {
			general := strings.HasSuffix(format.Name(), "-json") // asked last, for any program's files
			if format.Detect(f) && !general && !strings.HasPrefix(format.Name(), tool) {
				t.Errorf("%s is recognised as %s", name, format.Name())
			}
		}
		closer.Close()
	}
}
