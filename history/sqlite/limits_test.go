package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	driver "modernc.org/sqlite"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/sqlite"
	"github.com/stemma-history/stemma/message"
)

func TestRowsBeyondTheLimitOfSQLiteAreRefused(t *testing.T) {
	if err := sqlite.CheckRow(5_000_000_000, 999_000_000); err != nil {
		t.Error(err)
	}
	if err := sqlite.CheckRow(2_000_000_000, 999_000_001); err == nil || !strings.Contains(err.Error(), "limit is 1 GB") {
		t.Errorf("error %v", err)
	}
}

// TestAMessageOfHundredsOfMegabytesIsStored takes a gigabyte of memory.
func TestAMessageOfHundredsOfMegabytesIsStored(t *testing.T) {
	size := 8 << 20
	if os.Getenv("STEMMA_SOAK") != "" {
		size = 200 << 20
	}
	chance := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, size) // a text that does not compress away
	for i := range text {
		text[i] = byte(' ' + chance.IntN(95))
	}
	s := open(t, filepath.Join(t.TempDir(), "stemma.db"))
	defer s.Close()
	id, stored := conversationWith(t, s, prompts(string(text))...)
	e, err := s.Entry(t.Context(), id, stored[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if got := e.Message.Parts[0].(message.Text).Text; got != string(text) {
		t.Errorf("%d bytes came back of %d", len(got), len(text))
	}
}

// TestALongTextIsFoundByItsBeginning: the megabyte that is indexed, up to the last
// letter that is whole in it, is read of a text in one piece and of one in several.
func TestALongTextIsFoundByItsBeginning(t *testing.T) {
	const indexed, begin, end = 1 << 20, "first", "last été"
	for _, size := range []int{2 << 20, 20 << 20} {
		text := begin + strings.Repeat(" ", indexed+1-len(begin+end)) + end + strings.Repeat(" beyond", size/7)
		s := open(t, filepath.Join(t.TempDir(), "stemma.db"))
		defer s.Close()
		conversationWith(t, s, prompts(text)...)
		if left, err := s.Index(t.Context(), 10); err != nil || left != 0 {
			t.Fatalf("%d left, error %v", left, err)
		}
		for word, want := range map[string]int{"first": 1, "last": 1, "et": 1, "ete": 0, "beyond": 0} {
			found, err := s.Search(t.Context(), history.SearchQuery{Text: word})
			if err != nil || len(found.Hits) != want {
				t.Errorf("%d bytes: %q is found %d times, want %d; error %v", size, word, len(found.Hits), want, err)
			}
		}
	}
}

func TestALockedStoreSaysSoAndLosesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stemma.db")
	open(t, path).Close()
	impatient := func() *sql.DB {
		db, err := sql.Open("sqlite", "file:"+path+"?_busy_timeout=20")
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	s, err := sqlite.New(t.Context(), sqlite.Database{Writer: impatient(), Readers: impatient(), Code: func(err error) int {
		if e, ok := errors.AsType[*driver.Error](err); ok {
			return e.Code()
		}
		return 0
	}}, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	id, stored := conversationWith(t, s, prompts("x")...)
	other := raw(t, path)
	run(t, other, "BEGIN IMMEDIATE")
	r := history.AppendRequest{Conversation: id, Parent: stored[0].ID, ExpectedTip: stored[0].ID, Entries: turn("y")}
	if _, err := s.Append(t.Context(), r); err == nil || !strings.Contains(err.Error(), "another process has kept the store locked") {
		t.Errorf("while another process writes: %v", err)
	}
	if path, err := history.Collect(s.Path(t.Context(), history.PathQuery{Conversation: id})); err != nil || len(path) != 1 {
		t.Errorf("reading meanwhile: %d entries, error %v", len(path), err)
	}
	run(t, other, "COMMIT")
	if _, err := s.Append(t.Context(), r); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestAWriteThatWaitsLooksAtItsContext: the store would wait thirty seconds.
func TestAWriteThatWaitsLooksAtItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stemma.db")
	s := open(t, path)
	defer s.Close()
	id, _ := conversationWith(t, s, prompts("x")...)
	other := raw(t, path)
	run(t, other, "BEGIN IMMEDIATE")
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	title := "t"
	if err := s.Describe(ctx, id, history.Description{Title: &title}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	run(t, other, "COMMIT")
	if err := s.Describe(t.Context(), id, history.Description{Title: &title}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
