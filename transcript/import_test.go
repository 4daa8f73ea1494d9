package transcript_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/memory"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
)

// script is a format whose files are what a function tells.
type script func(transcript.Sink) error

func (script) Name() string                       { return "script" }
func (script) Detect(*transcript.File) bool       { return true }
func (script) Places(transcript.Machine) []string { return nil }
func (s script) Read(_ context.Context, _ *transcript.File, sink transcript.Sink) error {
	return s(sink)
}

var (
	day   = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	about = transcript.Conversation{ID: "S", Title: "T", Model: "m", Directory: "/w", Created: day}
	file  = &transcript.File{Path: "script"}
)

func says(id, parent, text string) transcript.Record {
	m := message.Prompt(text)
	return transcript.Record{ID: id, Parent: parent, Created: day, Message: &m, Line: int64(len(id))}
}

// tells is a format that tells records of one conversation, and then a tip.
func tells(tip string, records ...transcript.Record) script {
	return func(sink transcript.Sink) error {
		if err := sink.Conversation(about); err != nil {
			return err
		}
		for _, r := range records {
			if err := sink.Record(r); err != nil {
				return err
			}
		}
		if tip == "" {
			return nil
		}
		return sink.Tip(tip)
	}
}

func newStore(t *testing.T) *memory.Store {
	t.Helper()
	s := memory.New(memory.Options{})
	t.Cleanup(func() { s.Close() })
	return s
}

func bring(t *testing.T, store history.Store, f script) transcript.Report {
	t.Helper()
	report, err := transcript.Import(t.Context(), store, f, file, transcript.Options{Owner: "me"})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// path describes the path to the tip: the sources of its entries.
func path(t *testing.T, store history.Store, conversation history.ID) string {
	t.Helper()
	entries, err := history.Collect(store.Path(t.Context(), history.PathQuery{Conversation: conversation}))
	if err != nil {
		t.Fatal(err)
	}
	var sources []string
	for _, e := range entries {
		sources = append(sources, e.Source)
	}
	return strings.Join(sources, " ")
}

// P1: an import changes nothing that is stored.
func TestImportingAgainAddsOnlyWhatIsNew(t *testing.T) {
	store := newStore(t)
	first := bring(t, store, tells("", says("a", "", "1"), says("b", "a", "2"))).Conversations[0]
	if !first.Created || first.Added != 2 || first.Records != 2 || !first.TipMoved {
		t.Errorf("first import %+v", first)
	}
	again := bring(t, store, tells("", says("a", "", "1"), says("b", "a", "2"))).Conversations[0]
	if again.Created || again.Added != 0 || again.Conversation != first.Conversation {
		t.Errorf("second import %+v", again)
	}
	grown := bring(t, store, tells("", says("a", "", "1"), says("b", "a", "2"), says("c", "b", "3"))).Conversations[0]
	if grown.Added != 1 || path(t, store, grown.Conversation) != "a b c" {
		t.Errorf("third import %+v: %s", grown, path(t, store, grown.Conversation))
	}
	c, err := store.Conversation(t.Context(), first.Conversation)
	if err != nil || c.Title != "T" || c.Model != "m" || c.Directory != "/w" || c.Owner != "me" || c.Source != (history.Source{Tool: "script", ID: "S"}) || !c.Created.Equal(day) {
		t.Errorf("conversation %+v, %v", c, err)
	}
}

// P6: what is new stands as a branch where someone moved the tip.
func TestTheTipMovesOnlyWhereNobodyElseMovedIt(t *testing.T) {
	store := newStore(t)
	made := bring(t, store, tells("b", says("a", "", "1"), says("b", "a", "2"), says("x", "a", "other"))).Conversations[0]
	if got := path(t, store, made.Conversation); got != "a b" {
		t.Fatalf("path %s", got)
	}
	x, err := store.EntryBySource(t.Context(), made.Conversation, "x")
	if err != nil {
		t.Fatal(err)
	}
	to, err := history.BoundaryAt(t.Context(), store, made.Conversation, x)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.MoveTip(t.Context(), to, made.Tip); err != nil {
		t.Fatal(err)
	}
	grown := bring(t, store, tells("c", says("a", "", "1"), says("b", "a", "2"), says("c", "b", "3"))).Conversations[0]
	if grown.TipMoved || grown.Added != 1 || path(t, store, made.Conversation) != "a x" {
		t.Errorf("import %+v: %s", grown, path(t, store, made.Conversation))
	}
}

func TestWhatDoesNotFitIsReportedAndTheRestIsKept(t *testing.T) {
	store := newStore(t)
	report := bring(t, store, func(sink transcript.Sink) error {
		err := tells("nowhere", says("a", "", "1"), says("b", "gone", "2"), says("b", "a", "again"), says("c", "b", "3"))(sink)
		return errors.Join(err, sink.Label(transcript.Label{Name: "n", Record: "gone"}))
	})
	if got := path(t, store, report.Conversations[0].Conversation); got != "a b c" {
		t.Errorf("path %s", got)
	}
	var what []string
	for _, p := range report.Problems {
		what = append(what, fmt.Sprintf("%d %s: %s", p.Line, p.Record, p.What))
	}
	want := []string{`1 b: it continues from "gone"`, "1 b: the id stands twice", "0 nowhere: the tool would continue", `0 gone: the label "n"`}
	for i, w := range want {
		if i >= len(what) || !strings.HasPrefix(what[i], w) {
			t.Fatalf("problems %q, want %q", what, want)
		}
	}
	many := bring(t, store, func(sink transcript.Sink) error {
		for range 1000 {
			sink.Problem(transcript.Problem{What: "x"})
		}
		return nil
	})
	if many.ProblemCount != 1000 || len(many.Problems) != 100 {
		t.Errorf("%d problems, %d listed", many.ProblemCount, len(many.Problems))
	}
}

func compacts(id, parent string, treatments ...transcript.Treatment) transcript.Record {
	return transcript.Record{ID: id, Parent: parent, Created: day, Compaction: &transcript.Compaction{Treatments: treatments}}
}

func TestACompactionNamesItsPathByHandles(t *testing.T) {
	store := newStore(t)
	made := bring(t, store, tells("",
		says("a", "", "1"), says("b", "a", "2"), says("x", "a", "other"), says("c", "b", "3"),
		compacts("k", "c",
			transcript.Treatment{As: history.AsSummary, Text: "what was"},
			transcript.Treatment{From: "b", To: "c", As: history.AsWhole},
			transcript.Treatment{From: "b", Part: 1, As: history.AsStub, Text: "s"}),
	)).Conversations[0]
	e, err := store.Entry(t.Context(), made.Conversation, made.Tip)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(e.Compaction.Treatments); got != "[{1 3 summary what was <nil>} {2 3 whole  <nil>} {2.1 2.1 stub s <nil>}]" || e.Compaction.Reason.Trigger != history.ByImport {
		t.Errorf("compaction %s", got)
	}
}

func TestACompactionThatCannotBeAppliedKeepsItsText(t *testing.T) {
	for name, records := range map[string][]transcript.Record{
		"nothing before it":     {compacts("k", "", transcript.Treatment{As: history.AsSummary, Text: "what was"})},
		"of another branch":     {says("a", "", "1"), says("x", "a", "2"), says("b", "a", "3"), compacts("k", "b", transcript.Treatment{To: "x", As: history.AsSummary, Text: "what was"})},
		"of a record not there": {says("a", "", "1"), compacts("k", "a", transcript.Treatment{From: "gone", As: history.AsSummary, Text: "what was"})},
	} {
		store := newStore(t)
		report := bring(t, store, tells("", records...))
		e, err := store.Entry(t.Context(), report.Conversations[0].Conversation, report.Conversations[0].Tip)
		if err != nil || e.Message == nil || e.Message.PlainText() != "what was" || e.Message.Author != message.ByHarness || len(report.Problems) != 1 {
			t.Errorf("%s: entry %+v (%v), problems %v", name, e, err, report.Problems)
		}
	}
}

func TestACompactionIsNotAppliedWhereTheStoreHasAnotherOrder(t *testing.T) {
	store := newStore(t)
	hides := func(id, parent string) transcript.Record {
		return compacts(id, parent, transcript.Treatment{From: "b", As: history.AsSummary, Text: "what was"})
	}
	bring(t, store, tells("", says("a", "", "1"), hides("old", "a"), says("b", "old", "2")))
	// The tool has written a new compaction over the old one.
	report := bring(t, store, tells("", says("a", "", "1"), says("b", "a", "2"), hides("new", "b")))
	e, err := store.Entry(t.Context(), report.Conversations[0].Conversation, report.Conversations[0].Tip)
	if err != nil || e.Compaction != nil || len(report.Problems) != 1 || !strings.Contains(report.Problems[0].What, "stands at 3") {
		t.Errorf("entry %+v (%v), problems %v", e, err, report.Problems)
	}
}

func TestLinksLeadToWhatWasImported(t *testing.T) {
	store := newStore(t)
	parent := bring(t, store, tells("", says("a", "", "1"))).Conversations[0]
	child := func(sink transcript.Sink) error {
		if err := sink.Conversation(transcript.Conversation{ID: "C", Created: day, SpawnedBy: transcript.Link{Conversation: "S", Record: "a"}, ForkedFrom: transcript.Link{Conversation: "unknown"}}); err != nil {
			return err
		}
		return errors.Join(sink.Record(says("a", "", "1")), sink.Label(transcript.Label{Name: "mark", Record: "a", Created: day}))
	}
	for range 2 {
		made := bring(t, store, child).Conversations[0]
		c, err := store.Conversation(t.Context(), made.Conversation)
		if want := (history.Link{Conversation: parent.Conversation, Entry: parent.Tip}); err != nil || c.SpawnedBy != want || c.ForkedFrom != (history.Link{}) {
			t.Errorf("conversation %+v, %v", c, err)
		}
		marks, err := store.Checkpoints(t.Context(), made.Conversation)
		if err != nil || len(marks) != 1 || marks[0].Name != "mark" || marks[0].Entry != made.Tip {
			t.Errorf("marks %+v, %v", marks, err)
		}
	}
}

func TestCallsOfImportedMessagesDoNotWait(t *testing.T) {
	store := newStore(t)
	m := &message.Message{Role: message.Assistant, Author: message.ByModel, Parts: []message.Part{message.ToolCall{ID: "c", Name: "n"}}}
	made := bring(t, store, tells("", transcript.Record{ID: "a", Created: day, Message: m})).Conversations[0]
	if _, err := history.BoundaryAt(t.Context(), store, made.Conversation, made.Tip); err != nil {
		t.Error(err)
	}
	if m.Settled {
		t.Error("the format's message was changed")
	}
}

func TestAnImportThatEndsEarlyReportsWhatItDid(t *testing.T) {
	boom := errors.New("boom")
	store := newStore(t)
	report, err := transcript.Import(t.Context(), store, script(func(sink transcript.Sink) error {
		return errors.Join(tells("", says("a", "", "1"))(sink), boom)
	}), file, transcript.Options{})
	if !errors.Is(err, boom) || !strings.Contains(err.Error(), "import script as script") || len(report.Conversations) != 1 || report.Conversations[0].Records != 1 {
		t.Errorf("report %+v, %v", report, err)
	}
	for name, f := range map[string]script{
		"before its conversation": func(sink transcript.Sink) error { return sink.Record(says("a", "", "1")) },
		"either a message or":     tells("", transcript.Record{ID: "a"}),
	} {
		if _, err := transcript.Import(t.Context(), store, f, file, transcript.Options{}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLargeImportsAreSeveralTransactions(t *testing.T) {
	store := newStore(t)
	text := strings.Repeat("x", 1<<20)
	var records []transcript.Record
	parent := ""
	for n := range 20 {
		id := fmt.Sprint(n)
		records = append(records, says(id, parent, text))
		parent = id
	}
	counted := &counting{Store: store}
	if _, err := transcript.Import(t.Context(), counted, tells("", records...), file, transcript.Options{}); err != nil {
		t.Fatal(err)
	}
	if counted.imports < 9 || counted.imports > 12 {
		t.Errorf("%d transactions for 20 MB", counted.imports)
	}
}

// counting counts transactions.
type counting struct {
	history.Store
	imports int
}

func (c *counting) Import(ctx context.Context, r history.ImportRequest) (history.ImportResult, error) {
	c.imports++
	return c.Store.Import(ctx, r)
}

func TestAFileOfNoKnownFormatIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bin")
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, closer, err := transcript.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	if _, err := transcript.Detect(nil, f); !errors.Is(err, transcript.ErrUnknownFormat) || !strings.Contains(err.Error(), path) {
		t.Errorf("err = %v", err)
	}
	if found, err := transcript.Detect([]transcript.Format{script(nil)}, f); err != nil || found.Name() != "script" {
		t.Errorf("found %v, %v", found, err)
	}
	if _, _, err := transcript.Open(filepath.Dir(path)); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("err = %v", err)
	}
}
