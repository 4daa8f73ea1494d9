package agent_test

import (
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider/providertest"
)

func TestAnEditedPromptKeepsTheAnswerItReplaces(t *testing.T) {
	b := newBench(t, models[0], providertest.Config{Script: talker})
	b.prompt("First.")
	b.prompt("Second.")
	for _, at := range []int{2, 0} { // the root too
		before, tip := b.stored(), b.run.Position()
		if _, err := all(b.run.Edit(t.Context(), before[at].ID, message.Text{Text: "Otherwise."})); err != nil {
			t.Fatal(err)
		}
		path := b.stored()
		if len(path) != at+2 || path[at].Parent != before[at].Parent || path[at].ID == before[at].ID {
			t.Errorf("path %s", shape(path))
		}
		if _, err := b.store.Entry(t.Context(), b.id, tip); err != nil {
			t.Errorf("what was there is gone: %v", err)
		}
		b.prompt("And on.")
	}
	if _, err := all(b.run.Edit(t.Context(), b.stored()[1].ID, message.Text{Text: "x"})); err == nil {
		t.Error("an answer is no prompt")
	}
	if _, err := all(b.run.Edit(t.Context(), history.NewID(), message.Text{Text: "x"})); err == nil {
		t.Error("there is no such entry")
	}
}
