package tui

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/sqlite"
	"github.com/stemma-history/stemma/internal/graphics"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/reclaim"
)

// manyEntries is a conversation that somebody has worked on for weeks.
const manyEntries = 100_000

// long fills a store with a conversation of many entries, with a branch every
// hundred.
func long(b *testing.B) (history.Store, history.Conversation) {
	b.Helper()
	store, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "s.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = store.Close() })
	c := history.Conversation{ID: history.NewID(), Title: "Long", Created: time.Now()}
	r := history.ImportRequest{Conversation: c}
	var parent history.ID
	for i := range manyEntries {
		m := message.Prompt(fmt.Sprintf("Prompt %d: look at the parser again, and say what is wrong with its handling of line ends.", i))
		if i%2 == 1 {
			m = answer(message.Text{Text: fmt.Sprintf("Answer %d: it takes a carriage return for a line end of its own, so that every line counts twice.", i)})
		}
		e := history.Entry{ID: history.NewID(), Parent: parent, Message: &m, Created: time.Now(), Source: fmt.Sprint(i)}
		r.Entries = append(r.Entries, e)
		if i%100 != 99 {
			parent = e.ID
		}
		r.Tip = e.ID
		if len(r.Entries) == 5000 {
			if _, err := store.Import(b.Context(), r); err != nil {
				b.Fatal(err)
			}
			r.Entries = nil
		}
	}
	c, err = store.Conversation(b.Context(), c.ID)
	if err != nil {
		b.Fatal(err)
	}
	return store, c
}

// BenchmarkNavigator measures the tree of a long conversation: until its first
// screen, until it is all there, and a key with the screen after it.
func BenchmarkNavigator(b *testing.B) {
	store, c := long(b)
	open := func() *navigator {
		n := newNavigator(context.Background(), store, c, newDisplay(context.Background(), graphics.Terminal{Protocol: graphics.Off}), reclaim.DrawPage)
		n.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		return n
	}
	b.Run("first screen", func(b *testing.B) {
		for b.Loop() {
			n := open()
			n.Update(n.readNewest()())
			_ = n.View()
		}
	})
	b.Run("whole tree", func(b *testing.B) {
		for b.Loop() {
			n := open()
			n.Update(n.readTree()())
			_ = n.View()
		}
	})
	n := open()
	n.Update(n.readTree()())
	for _, key := range []string{"down", "pgdown", "tab", "F", "left"} {
		b.Run("key "+key, func(b *testing.B) {
			for b.Loop() {
				n.press(key)
				_ = n.View()
			}
		})
	}
	b.Run("typing a word", func(b *testing.B) {
		n.press("1")
		for b.Loop() {
			n.search("nothing has this")
			n.search("answer 77")
			_ = n.View()
		}
	})
}
