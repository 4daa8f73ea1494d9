package historytest

import (
	"errors"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

func tipTests() []test {
	return []test{
		{"P6 the loser's turn is kept as a branch, and it is told", loser},
		{"P6 a tip moves only from where it was expected", moved},
		{"a branch writes no entry", branchWritesNothing},
		{"P1 a rewind leaves what it leaves, and keeps a digest", rewound},
	}
}

func loser(f fixture) {
	id := f.create()
	root := f.append(id, prompt("root"))[0].ID
	winner := f.append(id, answer("winner"))[0].ID
	stored, err := f.Append(f.Context(), history.AppendRequest{Conversation: id, Parent: root, ExpectedTip: root, Entries: turn("a", "b")})
	var moved *history.TipMovedError
	if !errors.As(err, &moved) {
		f.Fatalf("error %v", err)
	}
	equal(f, "the error", *moved, history.TipMovedError{Conversation: id, Expected: root, Actual: winner, Stored: stored[2].ID})
	if f.conversation(id).Tip != winner {
		f.Error("the loser moved the tip")
	}
	equal(f, "the loser's path", ids(f.path(id, stored[2].ID)), append([]history.ID{root}, ids(stored)...))
	equal(f, "the path", ids(f.path(id, none)), []history.ID{root, winner})
	// A conversation that was expected to be empty.
	_, err = f.Append(f.Context(), history.AppendRequest{Conversation: id, Entries: []history.Entry{prompt("first?")}})
	f.refuses(err, history.ErrTipMoved)
}

func moved(f fixture) {
	id := f.create()
	entries := f.append(id, prompt("a"), prompt("b"), prompt("c"))
	a, b, c := entries[0].ID, entries[1].ID, entries[2].ID
	before := f.conversation(id)
	err := f.MoveTip(f.Context(), f.boundary(id, a), b)
	var tipMoved *history.TipMovedError
	if !errors.As(err, &tipMoved) || *tipMoved != (history.TipMovedError{Conversation: id, Expected: b, Actual: c}) {
		f.Errorf("error %v", err)
	}
	equal(f, "the conversation after a refused move", f.conversation(id), before)
	f.must(f.MoveTip(f.Context(), f.boundary(id, a), c))
	if after := f.conversation(id); after.Tip != a || !after.Updated.After(before.Updated) {
		f.Errorf("after the move %+v", after)
	}
	f.must(f.MoveTip(f.Context(), f.boundary(id, a), c)) // again: nobody knows whether the first came through
}

func branchWritesNothing(f fixture) {
	id := f.create()
	entries := f.append(id, prompt("a"), answer("b"), prompt("c"), answer("d"))
	nodes := f.nodes(id)
	f.must(f.MoveTip(f.Context(), f.boundary(id, entries[1].ID), entries[3].ID))
	equal(f, "the tree", f.nodes(id), nodes)
	equal(f, "the path", texts(f.path(id, none)), []string{"a", "b"})
	f.append(id, prompt("e"))
	equal(f, "the path", texts(f.path(id, none)), []string{"a", "b", "e"})
	equal(f, "the branch that was left", texts(f.path(id, entries[3].ID)), []string{"a", "b", "c", "d"})
}

func rewound(f fixture) {
	id := f.create()
	entries := f.append(id, prompt("a"), prompt("b"))
	mark := f.mark(id, entries[0].ID, "m")
	left := f.append(id, turn("x")...)[1].ID
	digest, err := history.Rewind(f.Context(), f, f.conversation(id), mark, "x did not help")
	f.must(err)
	if digest.Left != left || digest.Parent != mark.Entry || digest.Author() != message.ByDigest || f.conversation(id).Tip != digest.ID {
		f.Errorf("the digest is %+v", digest)
	}
	f.append(id, prompt("c"))
	again, err := history.Rewind(f.Context(), f, f.conversation(id), mark, "nor c")
	f.must(err)
	if again.Message.PlainText() != "x did not help\n\nnor c" {
		f.Errorf("the second digest says %q", again.Message.PlainText())
	}
	equal(f, "the path", ids(f.path(id, none)), []history.ID{entries[0].ID, again.ID})
	equal(f, "the branch that was left", texts(f.path(id, left))[:2], []string{"a", "b"})
	if read, err := f.Entry(f.Context(), id, digest.ID); err != nil || read.Left != left {
		f.Errorf("the first digest is %+v, error %v", read, err)
	}
}
