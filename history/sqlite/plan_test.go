package sqlite_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// TestNoQueryScansTheEntries asks SQLite how it would run each statement that
// the store runs in its everyday work.
func TestNoQueryScansTheEntries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stemma.db")
	s := open(t, path)
	defer s.Close()
	useEverything(t, s)
	db := raw(t, path)
	statements := s.Statements()
	if len(statements) < 40 {
		t.Errorf("only %d statements were run", len(statements))
	}
	for _, statement := range statements {
		if strings.HasPrefix(statement, "BEGIN") || statement == "COMMIT" || statement == "ROLLBACK" {
			continue
		}
		rows, err := db.Query("EXPLAIN QUERY PLAN "+statement, arguments(statement)...)
		if err != nil {
			t.Errorf("%s: %v", statement, err)
			continue
		}
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			table, scans := strings.CutPrefix(detail, "SCAN ")
			if scans && !isSmall(table, statement) {
				t.Errorf("%s:\n%s", detail, statement)
			}
		}
		rows.Close()
	}
}

// arguments returns a NULL for each value that a statement binds.
func arguments(statement string) []any {
	n := strings.Count(statement, "?,") + strings.Count(statement, "?)")
	for strings.Contains(statement, fmt.Sprint("?", n+1)) {
		n++
	}
	return make([]any, n)
}

// isSmall reports whether a scan is over what a query made itself, over a
// virtual table's own answer, over the list of conversations, or is no scan
// at all (a maximum, an index that gives the order).
func isSmall(table, statement string) bool {
	name, how, _ := strings.Cut(table, " ")
	switch name {
	case "path", "found", "j", "words", "indexed", "CONSTANT":
		return true
	case "c", "conversation":
		return strings.Contains(statement, "ORDER BY c.updated")
	}
	return strings.HasPrefix(how, "VIRTUAL TABLE")
}

// useEverything calls all methods whose speed people feel.
func useEverything(t *testing.T, s history.Store) {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	id, run, queued := history.NewID(), history.NewID(), history.NewID()
	must(s.Create(ctx, history.Conversation{ID: id}))
	must(s.SaveDraft(ctx, history.Draft{Conversation: id, Run: run, Message: message.Prompt("x")}))
	must(s.Enqueue(ctx, history.QueuedPrompt{ID: queued, Conversation: id, Message: message.Prompt("x")}))
	r := history.AppendRequest{Conversation: id, Entries: append(prompts("one", strings.Repeat("long ", 5000)), turn("two")...), Run: run, Dequeue: []history.ID{queued}}
	r.Entries = append(r.Entries, history.Entry{Compaction: &history.Compaction{}})
	for i := range r.Entries {
		r.Entries[i].ID = history.NewID()
	}
	stored, err := s.Append(ctx, r)
	must(err)
	_, err = s.Append(ctx, r) // again
	must(err)
	r.Entries = prompts("lost")
	if _, err = s.Append(ctx, r); err == nil {
		t.Fatal("the second append won")
	}
	first, err := history.BoundaryAt(ctx, s, id, stored[0].ID)
	must(err)
	mark, err := s.Mark(ctx, first, history.Checkpoint{Name: "m"})
	must(err)
	_, err = s.Mark(ctx, first, mark)
	must(err)
	must(s.Pin(ctx, id, stored[0].ID))
	must(s.MoveTip(ctx, first, stored[4].ID))
	_, err = s.Fork(ctx, history.ForkRequest{At: first})
	must(err)
	title := "t"
	must(s.Describe(ctx, id, history.Description{Title: &title}))
	must(s.PutBlob(ctx, message.NewBlob("text/plain", []byte("x"))))
	imported := history.ImportRequest{
		Conversation: history.Conversation{ID: id},
		Entries:      []history.Entry{{ID: history.NewID(), Source: "s", Parent: stored[0].ID, Message: r.Entries[0].Message, Left: stored[4].ID}},
	}
	for range 2 {
		_, err = s.Import(ctx, imported)
		must(err)
	}
	for _, q := range []history.ListQuery{{}, {Directory: "/d"}, {Source: history.Source{Tool: "pi", ID: "x"}}, {IDPrefix: "01", Limit: 2}} {
		_, err = history.Collect(s.List(ctx, q))
		must(err)
	}
	_, err = history.Collect(s.Path(ctx, history.PathQuery{Conversation: id, Tip: stored[4].ID, Newest: 3}))
	must(err)
	_, err = history.Collect(s.Compactions(ctx, id, stored[4].ID))
	must(err)
	_, err = history.Collect(s.Nodes(ctx, id))
	must(err)
	for _, parent := range []history.ID{{}, stored[0].ID} {
		_, err = history.Collect(s.Children(ctx, id, parent))
		must(err)
	}
	_, err = s.EntryBySource(ctx, id, "s")
	must(err)
	_, err = s.FindEntries(ctx, id, "01", 3)
	must(err)
	_, err = s.Checkpoints(ctx, id)
	must(err)
	_, err = s.Pins(ctx, id)
	must(err)
	must(s.Unpin(ctx, id, stored[0].ID))
	_, err = s.Queue(ctx, id)
	must(err)
	_, err = s.Drafts(ctx, id)
	must(err)
	must(s.DiscardDraft(ctx, id, run))
	_, err = s.Index(ctx, 100)
	must(err)
	for _, c := range []history.ID{{}, id} {
		_, err = s.Search(ctx, history.SearchQuery{Text: "one", Conversation: c})
		must(err)
	}
}
