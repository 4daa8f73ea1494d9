package cli

import (
	"iter"
	"testing"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/sqlite"
	"github.com/stemma-history/stemma/message"
)

func TestAConversationIsKeptOnceSomethingIsSaid(t *testing.T) {
	hello := message.Prompt("Hello.")
	title := "Named"
	for what, say := range map[string]func(*unsaidStore, history.ID) error{
		"a prompt": func(s *unsaidStore, id history.ID) error {
			_, err := s.Append(t.Context(), history.AppendRequest{Conversation: id, Entries: []history.Entry{{ID: history.NewID(), Message: &hello}}})
			return err
		},
		"a queued prompt": func(s *unsaidStore, id history.ID) error {
			return s.Enqueue(t.Context(), history.QueuedPrompt{ID: history.NewID(), Conversation: id, Message: hello})
		},
		"a draft": func(s *unsaidStore, id history.ID) error {
			return s.SaveDraft(t.Context(), history.Draft{Run: history.NewID(), Conversation: id, Message: hello})
		},
		"a title": func(s *unsaidStore, id history.ID) error {
			return s.Describe(t.Context(), id, history.Description{Title: &title})
		},
	} {
		t.Run(what, func(t *testing.T) {
			below, err := sqlite.Open(t.Context(), t.TempDir()+"/store.db", sqlite.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = below.Close() }() // of a test
			s := newUnsaidStore(below)
			c := history.Conversation{ID: history.NewID(), Directory: "/somewhere", Created: time.Unix(1, 0).UTC()}
			if err := s.Create(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			kept := func(s history.Store) int {
				all, err := history.Collect(s.List(t.Context(), history.ListQuery{}))
				if err != nil {
					t.Fatal(err)
				}
				return len(all)
			}
			found, err := findConversation(t.Context(), s, c.ID.String())
			if err != nil || found != c {
				t.Errorf("it is found as %+v, %v", found, err)
			}
			path, err := history.Collect(s.Path(t.Context(), history.PathQuery{Conversation: c.ID}))
			if err != nil || len(path) != 0 || kept(s) != 0 || kept(below) != 0 {
				t.Errorf("before: path %v, %v; %d are kept", path, err, kept(below))
			}
			if err := say(s, c.ID); err != nil {
				t.Fatal(err)
			}
			if found, err := below.Conversation(t.Context(), c.ID); err != nil || found.Directory != c.Directory {
				t.Errorf("afterwards: %+v, %v", found, err)
			}
		})
	}
}

// What reads an empty conversation finds the same whether it is kept or not.
func TestAnUnsaidConversationReadsAsAnEmptyOne(t *testing.T) {
	below, err := sqlite.Open(t.Context(), t.TempDir()+"/store.db", sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = below.Close() }() // of a test
	s := newUnsaidStore(below)
	c := history.Conversation{ID: history.NewID(), Created: time.Unix(1, 0).UTC()}
	if err := s.Create(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	reads := map[string]func() (int, error){
		"path":        func() (int, error) { return count(s.Path(t.Context(), history.PathQuery{Conversation: c.ID})) },
		"nodes":       func() (int, error) { return count(s.Nodes(t.Context(), c.ID)) },
		"children":    func() (int, error) { return count(s.Children(t.Context(), c.ID, history.ID{})) },
		"compactions": func() (int, error) { return count(s.Compactions(t.Context(), c.ID, history.NewID())) },
		"checkpoints": func() (int, error) { all, err := s.Checkpoints(t.Context(), c.ID); return len(all), err },
		"pins":        func() (int, error) { all, err := s.Pins(t.Context(), c.ID); return len(all), err },
		"queue":       func() (int, error) { all, err := s.Queue(t.Context(), c.ID); return len(all), err },
		"drafts":      func() (int, error) { all, err := s.Drafts(t.Context(), c.ID); return len(all), err },
		"ids":         func() (int, error) { all, err := s.FindEntries(t.Context(), c.ID, "0", 2); return len(all), err },
		"search": func() (int, error) {
			r, err := s.Search(t.Context(), history.SearchQuery{Text: "word", Conversation: c.ID})
			return len(r.Hits), err
		},
	}
	errorsOf := func() map[string]string {
		said := map[string]string{}
		for what, read := range reads {
			n, err := read()
			if n != 0 {
				t.Errorf("%s: %d", what, n)
			}
			if err != nil {
				said[what] = err.Error()
			}
		}
		return said
	}
	unsaid := errorsOf()
	if err := s.keep(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	if kept := errorsOf(); len(unsaid) != len(kept) {
		t.Errorf("unsaid %q, kept %q", unsaid, kept)
	}
}

func count[T any](values iter.Seq2[T, error]) (int, error) {
	all, err := history.Collect(values)
	return len(all), err
}
