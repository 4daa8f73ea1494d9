package history

import (
	"errors"
	"testing"

	"github.com/stemma-history/stemma/message"
)

// pathOf makes a path of messages with ids 1, 2, …
func pathOf(messages ...message.Message) []Entry {
	path := make([]Entry, len(messages))
	for i := range messages {
		path[i] = Entry{ID: numberedID(i + 1), Conversation: numberedID(900), Depth: i + 1, Message: &messages[i]}
		if i > 0 {
			path[i].Parent = path[i-1].ID
		}
	}
	return path
}

func digestOf(texts ...string) message.Message {
	m := message.Message{Role: message.User, Author: message.ByDigest}
	for _, t := range texts {
		m.Parts = append(m.Parts, message.Text{Text: t})
	}
	return m
}

func TestRewindAppendsADigestAtTheMark(t *testing.T) {
	path := pathOf(message.Prompt("one"), message.Prompt("two"), message.Prompt("three"))
	r, err := PlanRewind(path, Checkpoint{Name: "m", Entry: path[0].ID}, "  learned\n")
	if err != nil {
		t.Fatal(err)
	}
	if r.Conversation != path[0].Conversation || r.Parent != path[0].ID || r.ExpectedTip != path[2].ID {
		t.Errorf("appends under %v expecting the tip %v", r.Parent, r.ExpectedTip)
	}
	e := r.Entries[0]
	if len(r.Entries) != 1 || e.Left != path[2].ID || e.Author() != message.ByDigest || e.Message.PlainText() != "learned" {
		t.Errorf("the digest is %+v %q", e, e.Message.PlainText())
	}
}

func TestRewindCarriesEarlierDigestsOfTheMarkFirst(t *testing.T) {
	path := pathOf(message.Prompt("one"), digestOf("first", "second"), message.Prompt("two"), digestOf("of another mark"))
	before := len(path[1].Message.Parts)
	r, err := PlanRewind(path, Checkpoint{Entry: path[0].ID}, "third")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.Entries[0].Message.PlainText(), "first\n\nsecond\n\nthird"; got != want {
		t.Errorf("the digest is %q, want %q", got, want)
	}
	if len(path[1].Message.Parts) != before {
		t.Error("the stored digest was changed")
	}
}

func TestRewindRefuses(t *testing.T) {
	path := pathOf(message.Prompt("one"), message.Prompt("two"))
	if _, err := PlanRewind(path, Checkpoint{Name: "m", Entry: numberedID(77)}, "x"); !errors.Is(err, ErrOtherBranch) {
		t.Errorf("a mark elsewhere: %v", err)
	}
	if _, err := PlanRewind(path, Checkpoint{Name: "m", Entry: path[1].ID}, "x"); !errors.Is(err, ErrNothingToLeave) {
		t.Errorf("a mark at the tip: %v", err)
	}
	if _, err := PlanRewind(path, Checkpoint{Name: "m", Entry: path[0].ID}, " \n"); err == nil {
		t.Error("an empty digest was taken")
	}
}
