package sqlite_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/sqlite"
	"github.com/stemma-history/stemma/message"
)

// A full disk is an error that says so. What was acknowledged stays, what was
// refused is not there, and when there is room the store goes on.

func TestAFullStoreLosesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stemma.db")
	s := open(t, path)
	defer s.Close()
	pages, err := strconv.Atoi(value(t, raw(t, path), "PRAGMA page_count"))
	if err != nil {
		t.Fatal(err)
	}
	fillUp(t, s,
		func() error { return s.ExecOnWriter(fmt.Sprint("PRAGMA max_page_count = ", pages+40)) },
		func() error { return s.ExecOnWriter("PRAGMA max_page_count = 1000000") })
}

// TestAFullDiskLosesNothing needs to mount a small file system; where that is
// not allowed, a store with a page limit of its own is as full as it gets.
func TestAFullDiskLosesNothing(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Logf("no small file system (%v: %s)", err, out)
		TestAFullStoreLosesNothing(t)
		return
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	s := open(t, filepath.Join(dir, "stemma.db"))
	defer s.Close()
	filler := filepath.Join(dir, "filler")
	fillUp(t, s,
		func() error { return os.WriteFile(filler, make([]byte, 1<<20), 0o600) },
		func() error { return os.Remove(filler) })
}

// fillUp appends, imports and forks until the store is full, and again when
// there is room.
func fillUp(t *testing.T, s *sqlite.Store, limit, free func() error) {
	t.Helper()
	id, stored := conversationWith(t, s, prompts("root")...)
	if err := limit(); err != nil {
		t.Fatal(err)
	}
	tip, saved := stored[0].ID, 1
	big := func(i int) []history.Entry {
		e := turn(strings.Repeat(fmt.Sprint("words ", i, " "), 150))
		e[1].Message.Parts[0] = message.ToolResult{CallID: "call_0", Content: []message.Content{
			message.Image{Media: message.Media{Type: "image/png", Data: []byte(strings.Repeat(fmt.Sprintf("%8d", i), 4000))}}}}
		return e
	}
	full := 0
	for i := 0; full < 5; i++ {
		if i > 1000 {
			t.Fatal("the store is never full")
		}
		stored, err := s.Append(t.Context(), history.AppendRequest{Conversation: id, Parent: tip, ExpectedTip: tip, Entries: big(i)})
		if err != nil {
			full++
			if !errors.Is(err, history.ErrFull) {
				t.Fatalf("error %v is no ErrFull", err)
			}
			continue
		}
		tip, saved = stored[1].ID, saved+2
	}
	t.Logf("full after %d entries", saved)
	refused := history.Conversation{ID: history.NewID()}
	r := history.ImportRequest{Conversation: refused}
	for i := range 100 {
		e := big(i)[1]
		e.ID = history.NewID()
		r.Entries = append(r.Entries, e)
	}
	if _, err := s.Import(t.Context(), r); !errors.Is(err, history.ErrFull) {
		t.Errorf("importing: %v", err)
	}
	look := func() {
		t.Helper()
		path, err := history.Collect(s.Path(t.Context(), history.PathQuery{Conversation: id}))
		if err != nil || len(path) != saved || path[saved-1].ID != tip {
			t.Errorf("%d entries on the path, want %d, error %v", len(path), saved, err)
		}
		if _, err := s.Conversation(t.Context(), refused.ID); !errors.Is(err, history.ErrNotFound) {
			t.Errorf("of the refused import: %v", err)
		}
		for p, err := range s.Check(t.Context(), false) {
			t.Errorf("check: %+v, error %v", p, err)
		}
	}
	look()
	if err := free(); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		stored, err := s.Append(t.Context(), history.AppendRequest{Conversation: id, Parent: tip, ExpectedTip: tip, Entries: big(i)})
		if err != nil {
			t.Fatalf("with room again: %v", err)
		}
		tip, saved = stored[1].ID, saved+2
	}
	look()
}
