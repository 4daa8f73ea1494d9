package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

func TestAConversationIsFoundByItsTitleOrWords(t *testing.T) {
	s := newStory(t)
	s.say(history.ID{}, message.Prompt("a needle in the hay"))
	other := history.Conversation{ID: history.NewID(), Title: "Another one", Directory: "/home/x/project"}
	if err := s.store.Create(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	text := message.Prompt("nothing sharp here")
	if _, err := s.store.Append(t.Context(), history.AppendRequest{Conversation: other.ID, Entries: []history.Entry{{Message: &text}}}); err != nil {
		t.Fatal(err)
	}
	empty := history.Conversation{ID: history.NewID(), Title: "Opened and left"}
	if err := s.store.Create(t.Context(), empty); err != nil {
		t.Fatal(err)
	}
	p := newPicker(t.Context(), s.store, time.Now())
	p.Update(tea.WindowSizeMsg{Width: 60, Height: 8})
	if !strings.Contains(p.View(), "Reading") {
		t.Error("it does not say that it reads")
	}
	indexing := p.Update(p.Init()())
	p.Update(indexing())
	if len(p.rows) != 2 {
		t.Fatalf("%d rows: those in which something was said are two", len(p.rows))
	}
	typed := func(text string) {
		p.input.SetValue("")
		for _, r := range text {
			p.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
		if cmd := p.search(p.input.Value()); cmd != nil {
			p.Update(cmd())
		}
	}
	for query, want := range map[string]string{"project": other.Title, "NEEDLE": "A tale of two branches", "tale two": "A tale of two branches"} {
		typed(query)
		if len(p.rows) != 1 {
			t.Errorf("%s: %d rows", query, len(p.rows))
			continue
		}
		if got, _ := p.Update(keyPress("enter"))().(picked); got.conversation.Title != want {
			t.Errorf("%s: %q", query, got.conversation.Title)
		}
	}
	typed("nowhere")
	if p.Update(keyPress("enter")) != nil || !strings.Contains(p.View(), "No title") {
		t.Errorf("%s", p.View())
	}
	if got, ok := p.Update(keyPress("esc"))().(picked); !ok || got.conversation.ID != (history.ID{}) {
		t.Error("esc should choose nothing")
	}
}
