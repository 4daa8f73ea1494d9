package sqlite_test

import (
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

// raw opens a store's file behind the store's back, without its checks.
func raw(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_busy_timeout=10000&_pragma=ignore_check_constraints(1)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

func run(t testing.TB, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func value(t testing.TB, db *sql.DB, query string) (v string) {
	t.Helper()
	if err := db.QueryRow(query).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

// prompts are entries with a person's words.
func prompts(texts ...string) []history.Entry {
	var entries []history.Entry
	for _, text := range texts {
		m := message.Prompt(text)
		entries = append(entries, history.Entry{Message: &m})
	}
	return entries
}

// turn is an answer with a tool call, and its result.
func turn(text string) []history.Entry {
	call := message.Message{Role: message.Assistant, Author: message.ByModel, Parts: []message.Part{
		message.Text{Text: text}, message.ToolCall{ID: "call_0", Name: "bash", Arguments: []byte(`{"command":"ls"}`)},
	}}
	result := message.Results(message.ToolResult{CallID: "call_0", Content: []message.Content{message.Text{Text: text}}})
	return []history.Entry{{Message: &call}, {Message: &result}}
}

// conversationWith makes a conversation with some entries.
func conversationWith(t testing.TB, s *sqlite.Store, entries ...history.Entry) (history.ID, []history.Entry) {
	t.Helper()
	id := history.NewID()
	if err := s.Create(t.Context(), history.Conversation{ID: id}); err != nil {
		t.Fatal(err)
	}
	stored, err := s.Append(t.Context(), history.AppendRequest{Conversation: id, Entries: entries})
	if err != nil {
		t.Fatal(err)
	}
	return id, stored
}

func TestNewFilesAreForTheirOwnerOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "stemma.db")
	s := open(t, path)
	defer s.Close()
	conversationWith(t, s, prompts("x")...)
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, error %v", name, info.Mode(), err)
		}
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("directory: mode %v, error %v", info.Mode(), err)
	}
}

func TestSettingsOfTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stemma.db")
	open(t, path).Close()
	db := raw(t, path)
	for pragma, want := range map[string]string{"page_size": "4096", "journal_mode": "wal", "user_version": "1", "application_id": fmt.Sprint(0x53544D41)} {
		if got := value(t, db, "PRAGMA "+pragma); got != want {
			t.Errorf("%s is %s, want %s", pragma, got, want)
		}
	}
	if v := value(t, db, "SELECT sqlite_version()"); sqlite.OlderThan(v, sqlite.MinVersion) {
		t.Errorf("SQLite %s is older than %s, which can damage files", v, sqlite.MinVersion)
	}
	for version, older := range map[string]bool{"3.51.2": true, "3.51.3": false, "3.6.99": true, "3.100.0": false, "4.0.0": false, "odd": true} {
		if sqlite.OlderThan(version, "3.51.3") != older {
			t.Errorf("%s older than 3.51.3: %v", version, !older)
		}
	}
}

func TestFilesThatAreNoStoresAreRefusedUnchanged(t *testing.T) {
	makeDatabase := func(statements ...string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			db := raw(t, path)
			for _, s := range statements {
				run(t, db, s)
			}
			db.Close()
		}
	}
	for name, c := range map[string]struct {
		make func(t *testing.T, path string)
		want string
		is   error
	}{
		"text": {func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(strings.Repeat("not a database\n", 100)), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "the file is none", nil},
		"another program's": {makeDatabase("CREATE TABLE t (x)"), "another program", nil},
		"a newer format": {makeDatabase("PRAGMA application_id = 1398033729", "CREATE TABLE t (x)", "PRAGMA user_version = 2"),
			"its format is 2, this program knows up to 1; use a newer one", history.ErrNewerFormat},
		"a directory": {func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, "is a directory", nil},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			c.make(t, path)
			before, _ := os.ReadFile(path)
			s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
			if err == nil {
				s.Close()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			after, _ := os.ReadFile(path)
			// Another program's database keeps its tables; the header may say WAL.
			if len(after) != len(before) || name == "text" && string(after) != string(before) {
				t.Errorf("the file was changed")
			}
		})
	}
}

func TestAClosedStoreSaysSo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stemma.db")
	s := open(t, path)
	id, _ := conversationWith(t, s, prompts("x")...)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Conversation(t.Context(), id); err == nil {
		t.Error("a closed store was read")
	}
	if err := s.Create(t.Context(), history.Conversation{ID: history.NewID()}); err == nil {
		t.Error("a closed store was written")
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
	again := open(t, path)
	defer again.Close()
	if c, err := again.Conversation(t.Context(), id); err != nil || c.Entries != 1 {
		t.Errorf("after opening again: %+v, error %v", c, err)
	}
}

func TestAnotherStoreOfTheSameFileIsNoticed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stemma.db")
	a, b := open(t, path), open(t, path)
	defer a.Close()
	defer b.Close()
	id, _ := conversationWith(t, a, prompts("x")...)
	before, err := a.DataVersion(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c, err := b.Conversation(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Append(t.Context(), history.AppendRequest{Conversation: id, Parent: c.Tip, ExpectedTip: c.Tip, Entries: turn("y")}); err != nil {
		t.Fatal(err)
	}
	after, err := a.DataVersion(t.Context())
	if err != nil || after == before {
		t.Errorf("data version %d, was %d, error %v", after, before, err)
	}
	if c, err := a.Conversation(t.Context(), id); err != nil || c.Entries != 3 {
		t.Errorf("%+v, error %v", c, err)
	}
}
