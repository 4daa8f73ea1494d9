package transcript_test

import (
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
)

func TestAConversationWithoutATitleGetsTheFirstWords(t *testing.T) {
	store := newStore(t)
	titled := func(title string) script {
		return func(sink transcript.Sink) error {
			if err := sink.Conversation(transcript.Conversation{ID: "S", Title: title, Created: day}); err != nil {
				return err
			}
			notice := message.Message{Role: message.User, Author: message.ByHarness, Parts: []message.Part{message.Text{Text: "the environment"}}}
			for _, r := range []transcript.Record{{ID: "n", Message: &notice}, says("a", "n", "Mend the\nsluice gate"), says("b", "a", "and paint it")} {
				if err := sink.Record(r); err != nil {
					return err
				}
			}
			return nil
		}
	}
	id := bring(t, store, titled("")).Conversations[0].Conversation
	check := func(step string, report transcript.Report, want string) {
		t.Helper()
		c, err := store.Conversation(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if c.Title != want {
			t.Errorf("%s: the title is %q, expected %q", step, c.Title, want)
		}
		if len(report.Conversations) > 0 && report.Conversations[0].Added != 0 {
			t.Errorf("%s: something was added", step)
		}
	}
	check("first", transcript.Report{}, "Mend the sluice gate")
	check("again", bring(t, store, titled("")), "Mend the sluice gate")
	check("named by the tool", bring(t, store, titled("Sluices")), "Sluices")
	mine := "My own"
	if err := store.Describe(t.Context(), id, history.Description{Title: &mine}); err != nil {
		t.Fatal(err)
	}
	check("named by a person", bring(t, store, titled("Gates")), "My own")
}
