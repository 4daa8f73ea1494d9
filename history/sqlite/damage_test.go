package sqlite_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/sqlite"
	"github.com/stemma-history/stemma/message"
)

// sound makes a store with something of everything, and returns its path and
// its first conversation.
func sound(t *testing.T) (path string, conversation history.ID, entries []history.Entry) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "stemma.db")
	s := open(t, path)
	defer s.Close()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	frame := message.NewBlob("application/json", []byte(`{"system":"x"}`))
	must(s.PutBlob(t.Context(), frame))
	picture := prompts("a picture")
	picture[0].Message.Parts = append(picture[0].Message.Parts, message.Image{Media: message.Media{Type: "image/png", Data: []byte("png")}})
	all := append(prompts("first", strings.Repeat("long words ", 1000)), turn("called")...)
	all[2].Frame = frame.Hash
	all = append(all, history.Entry{Compaction: &history.Compaction{}}, picture[0])
	large := turn("large")
	r := large[1].Message.Parts[0].(message.ToolResult)
	r.Content = []message.Content{message.Text{Text: strings.Repeat("dump ", message.LargeText)}}
	large[1].Message.Parts[0] = r
	conversation, entries = conversationWith(t, s, append(all, large...)...)
	at, err := history.BoundaryAt(t.Context(), s, conversation, entries[0].ID)
	must(err)
	mark, err := s.Mark(t.Context(), at, history.Checkpoint{Name: "m"})
	must(err)
	must(s.Pin(t.Context(), conversation, entries[0].ID))
	c, err := s.Conversation(t.Context(), conversation)
	must(err)
	_, err = history.Rewind(t.Context(), s, c, mark, "a digest")
	must(err)
	at, err = history.BoundaryAt(t.Context(), s, conversation, entries[len(entries)-1].ID)
	must(err)
	_, err = s.Fork(t.Context(), history.ForkRequest{At: at})
	must(err)
	must(s.SaveDraft(t.Context(), history.Draft{Conversation: conversation, Run: history.NewID(), Parent: c.Tip, Message: message.Prompt("draft")}))
	must(s.Enqueue(t.Context(), history.QueuedPrompt{Conversation: conversation, Message: message.Prompt("queued")}))
	if left, err := s.Index(t.Context(), 1000); err != nil || left != 0 {
		t.Fatalf("%d bodies not indexed, error %v", left, err)
	}
	return path, conversation, entries
}

func check(t *testing.T, s *sqlite.Store, repair bool) []history.Problem {
	t.Helper()
	problems, err := history.Collect(s.Check(t.Context(), repair))
	if err != nil {
		t.Fatal(err)
	}
	return problems
}

// counts says how many rows each table has.
func counts(t *testing.T, db *sql.DB) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, table := range []string{"conversation", "entry", "body", "blob", "checkpoint", "pin", "queued", "draft"} {
		all[table] = value(t, db, "SELECT count(*) FROM "+table+" NOT INDEXED") // an index may be what is broken
	}
	return all
}

func TestCheckFindsDamageAndMendsWhatCanBeMendedWithoutLoss(t *testing.T) {
	t.Parallel()
	const brokenIndex = `
DROP INDEX entry_copy; CREATE INDEX entry_copy ON entry(body) WHERE body <> n AND n > 12;
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = 'CREATE INDEX entry_copy ON entry(body) WHERE body <> n' WHERE name = 'entry_copy';
PRAGMA writable_schema = RESET`
	path, _, _ := sound(t)
	whole, err := os.ReadFile(path) // it was closed: all of it is in this file
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, damage string
		what         string // in the problem
		mended       bool
	}{
		{"nothing", `SELECT 1`, "", true},
		{"an index", brokenIndex, "missing from index entry_copy", true},
		{"the search index", `DELETE FROM words_idx; UPDATE words_data SET block = x'0102030405' WHERE id > 10`, "fts5", true},
		{"the mark of the search index", `UPDATE indexed SET body = 1000`, "search index", true},
		{"no mark of the search index", `DELETE FROM indexed`, "search index", true},
		{"a depth", `UPDATE entry SET depth = 70 WHERE n = 3`, "its depth is 70, by its path it is 3", true},
		{"a nearest compaction", `UPDATE entry SET last_compaction = NULL WHERE n = 6`, "nearest compaction", true},
		{"a compaction in the wrong place", `UPDATE entry SET last_compaction = 5 WHERE n = 2`, "nearest compaction", true},
		{"a tip that is nowhere", `UPDATE conversation SET tip = 1000 WHERE n = 1`, "the newest entry takes its place", true},
		{"a tip elsewhere", `UPDATE conversation SET tip = 10 WHERE n = 1`, "the newest entry takes its place", true},
		{"an imported tip", `UPDATE conversation SET imported_tip = 1000 WHERE n = 1`, "imports leave the tip alone", true},
		{"a count", `UPDATE conversation SET entries = 3 WHERE n = 1`, "it says that it has 3 entries, and has 9", true},
		{"a missing entry", `DELETE FROM entry WHERE n = 2`, "paths through it begin here", false},
		{"a parent elsewhere", `UPDATE entry SET parent = 1 WHERE n = 12`, "paths through it begin here", false},
		{"a cycle", `UPDATE entry SET parent = 8 WHERE n = 2`, "paths through it begin here", false},
		{"a missing conversation", `DELETE FROM conversation WHERE n = 2`, "the conversation it belongs to is missing", false},
		{"a missing body", `DELETE FROM body WHERE n = 2`, "what it said is lost", false},
		{"a torn body", `UPDATE body SET data = substr(data, 1, 20) WHERE n = 1`, "its body is damaged: message body: invalid JSON", false},
		{"a torn compressed body", `UPDATE body SET data = substr(data, 1, 40) WHERE n = 2`, "its body is damaged: s2", false},
		{"a compressed body that claims gigabytes", `UPDATE body SET data = x'FFFFFFFF0F00' WHERE n = 2`, "it claims to be 4294967295 bytes long", false},
		{"a usage", `UPDATE entry SET usage = '{' WHERE n = 3`, "what its provider said of it is damaged: usage", false},
		{"seals", `UPDATE entry SET seals = x'00' WHERE n = 3`, "what its provider said of it is damaged: seals", false},
		{"an unknown encoding", `UPDATE body SET encoding = 7 WHERE n = 1`, "encoding 7 is not known", false},
		{"a message that is no compaction", `UPDATE entry SET role = NULL WHERE n = 1`, "nearest compaction", true},
		{"a waiting call", `DELETE FROM entry WHERE n = 8`, "a path ends inside a turn", false},
		{"a tip that was left", `UPDATE entry SET left_tip = 12 WHERE n = 9`, "the tip that its rewind left", false},
		{"a missing frame", `DELETE FROM blob WHERE type = 'application/json'`, "the frame of its request", false},
		{"a missing image", `DELETE FROM blob WHERE type = 'image/png'`, "what it names is missing", false},
		{"a missing dump", `DELETE FROM blob WHERE type = 'text/plain'`, "what it names is missing", false},
		{"other bytes in a blob", `UPDATE blob SET data = x'00' WHERE type = 'image/png'`, "its bytes have another hash", false},
		{"a blob cut short", `UPDATE blob SET data = substr(data, 1, 9) WHERE type = 'text/plain'`, "is damaged: zstd", false},
		{"the size of a blob", `UPDATE blob SET size = 1 WHERE type = 'image/png'`, "it says that it has 1 bytes, and has 3", false},
		{"a checkpoint", `UPDATE checkpoint SET entry = 1000 WHERE n = 1`, "a checkpoint marks an entry", false},
		{"a pin", `UPDATE pin SET conversation = 2 WHERE n = 1`, "a pin is on an entry", false},
		{"a queued prompt", `UPDATE queued SET body = x'7B'`, "queued prompt", false},
		{"a queue of nobody", `UPDATE queued SET conversation = 77`, "a queued prompt belongs", false},
		{"a draft", `UPDATE draft SET calls = '['`, "draft of run", false},
		{"a draft of nobody", `UPDATE draft SET parent = 12`, "a draft continues from", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "stemma.db")
			if err := os.WriteFile(path, whole, 0o600); err != nil {
				t.Fatal(err)
			}
			db := raw(t, path)
			run(t, db, c.damage)
			before := counts(t, db)
			s := open(t, path)
			defer s.Close()
			found := check(t, s, false)
			if len(found) == 0 != (c.what == "") || c.what != "" && !mentions(found, c.what) {
				t.Fatalf("found %+v, want %q", found, c.what)
			}
			for _, p := range found {
				if p.Repaired || p.Advice == "" {
					t.Errorf("without repair: %+v", p)
				}
			}
			for _, p := range check(t, s, true) {
				if strings.Contains(p.What, c.what) && p.Repaired != c.mended {
					t.Errorf("with repair: %+v", p)
				}
			}
			if left := check(t, s, false); c.mended && c.name != "a message that is no compaction" && len(left) > 0 {
				t.Errorf("left after mending: %+v", left)
			}
			if after := counts(t, db); fmt.Sprint(after) != fmt.Sprint(before) {
				t.Errorf("rows after mending %v, before %v", after, before)
			}
			if _, err := s.Index(t.Context(), 1000); err != nil {
				t.Errorf("indexing after mending: %v", err)
			}
		})
	}
}

func mentions(problems []history.Problem, what string) bool {
	for _, p := range problems {
		if strings.Contains(p.What, what) {
			return true
		}
	}
	return false
}

func TestASearchIndexThatWasBuiltAgainFindsEverything(t *testing.T) {
	path, id, _ := sound(t)
	run(t, raw(t, path), `UPDATE indexed SET body = 1000`)
	s := open(t, path)
	defer s.Close()
	check(t, s, true)
	for left := -1; left != 0; {
		var err error
		if left, err = s.Index(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
	}
	result, err := s.Search(t.Context(), history.SearchQuery{Text: "dump", Conversation: id})
	if err != nil || len(result.Hits) != 1 || result.Unindexed != 0 {
		t.Errorf("%+v, error %v", result, err)
	}
}

func TestReadingGoesOnBehindADamagedRow(t *testing.T) {
	path, id, entries := sound(t)
	db := raw(t, path)
	run(t, db, `UPDATE body SET data = x'7B' WHERE n = 1`)
	run(t, db, `UPDATE body SET data = substr(data, 1, 40) WHERE n = 2`)
	run(t, db, `UPDATE entry SET seals = x'00' WHERE n = 6`)
	s := open(t, path)
	defer s.Close()
	tip := entries[len(entries)-1].ID
	var got, damaged []history.ID
	for e, err := range s.Path(t.Context(), history.PathQuery{Conversation: id, Tip: tip}) {
		if err == nil {
			got = append(got, e.ID)
			continue
		}
		d, ok := errors.AsType[*history.DamagedError](err)
		if !ok || d.Conversation != id {
			t.Fatalf("error %v", err)
		}
		damaged = append(damaged, d.Entry)
	}
	want := []history.ID{entries[2].ID, entries[3].ID, entries[4].ID, entries[6].ID, entries[7].ID}
	if fmt.Sprint(got) != fmt.Sprint(want) || fmt.Sprint(damaged) != fmt.Sprint([]history.ID{entries[0].ID, entries[1].ID, entries[5].ID}) {
		t.Errorf("read %v, damaged %v", got, damaged)
	}
	if nodes, err := history.Collect(s.Nodes(t.Context(), id)); err != nil || len(nodes) != 9 {
		t.Errorf("%d nodes, error %v", len(nodes), err)
	}
	result, err := s.Search(t.Context(), history.SearchQuery{Text: "long words", Conversation: id})
	if err != nil || len(result.Hits) != 1 || result.Hits[0].Entry != entries[1].ID || !strings.Contains(result.Hits[0].Excerpt, "damaged") {
		t.Errorf("%+v, error %v", result, err)
	}
	// What was stored before and after can still be continued.
	c, err := s.Conversation(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(t.Context(), history.AppendRequest{Conversation: id, Parent: c.Tip, ExpectedTip: c.Tip, Entries: turn("on")}); err != nil {
		t.Errorf("appending: %v", err)
	}
}

func TestAPathWithAMissingEntrySaysWhereItBegins(t *testing.T) {
	path, id, entries := sound(t)
	s := open(t, path)
	defer s.Close()
	b, err := history.BoundaryAt(t.Context(), s, id, entries[7].ID)
	if err != nil {
		t.Fatal(err)
	}
	db := raw(t, path)
	run(t, db, `DELETE FROM entry WHERE n = 2`)
	var errs []error
	n := 0
	for _, err := range s.Path(t.Context(), history.PathQuery{Conversation: id, Tip: entries[7].ID}) {
		if err != nil {
			errs = append(errs, err)
		} else {
			n++
		}
	}
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "begins at depth 3") || n != 6 {
		t.Errorf("%d entries, errors %v", n, errs)
	}
	if _, err := s.Fork(t.Context(), history.ForkRequest{At: b}); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("forking: %v", err)
	}
}

func TestACheckAfterACheckRaisesNoFalseAlarm(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "stemma.db"))
	defer s.Close()
	for i := range 20 {
		conversationWith(t, s, prompts(fmt.Sprint("needle and words ", i), strings.Repeat(fmt.Sprint("hay", i, " "), 50))...)
		if _, err := s.Index(t.Context(), 1000); err != nil {
			t.Fatal(err)
		}
		if problems := check(t, s, false); len(problems) > 0 {
			t.Fatalf("%+v", problems)
		}
	}
}

// TestForksShareNoRowThatHoldsAnID dumps every 16-byte value of the file
// (promise P7). Bodies and blobs are all that forks share.
func TestForksShareNoRowThatHoldsAnID(t *testing.T) {
	path, _, _ := sound(t)
	db := raw(t, path)
	owner := map[string]string{}
	for _, query := range []string{
		`SELECT id, n FROM conversation`, `SELECT id, conversation FROM entry`, `SELECT id, conversation FROM checkpoint`,
		`SELECT id, conversation FROM queued`, `SELECT run, conversation FROM draft`,
	} {
		rows, err := db.Query(query)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var id []byte
			var conversation string
			if err := rows.Scan(&id, &conversation); err != nil {
				t.Fatal(err)
			}
			if other, again := owner[string(id)]; again {
				t.Errorf("conversations %s and %s share the id %x", other, conversation, id)
			}
			owner[string(id)] = conversation
		}
		rows.Close()
	}
	if len(owner) != 2+9+8+2+1+1 {
		t.Errorf("%d ids", len(owner))
	}
	// No row of a fork points into its origin, and no body names an id.
	for _, query := range []string{
		`SELECT count(*) FROM entry e JOIN entry o ON o.n IN (e.parent, e.last_compaction, e.left_tip) WHERE o.conversation <> e.conversation`,
		`SELECT count(*) FROM checkpoint k JOIN entry e ON e.n = k.entry WHERE e.conversation <> k.conversation`,
		`SELECT count(*) FROM pin k JOIN entry e ON e.n = k.entry WHERE e.conversation <> k.conversation`,
		`SELECT count(*) FROM conversation c JOIN entry e ON e.n IN (c.tip, c.imported_tip) WHERE e.conversation <> c.n`,
	} {
		if n := value(t, db, query); n != "0" {
			t.Errorf("%s: %s", query, n)
		}
	}
	rows, err := db.Query(`SELECT data FROM body WHERE encoding = 0`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var body []byte
		if err := rows.Scan(&body); err != nil {
			t.Fatal(err)
		}
		for id := range owner {
			if bytes.Contains(body, []byte(history.ID([]byte(id)).String())) || bytes.Contains(body, []byte(id)) {
				t.Errorf("a body names the id %x: %s", id, body)
			}
		}
	}
	if shared := value(t, db, `SELECT count(*) FROM body`); shared != "9" {
		t.Errorf("%s bodies for 17 entries, 8 of which are copies", shared)
	}
}
