package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stemma-history/stemma/message"
)

var (
	// ErrOtherBranch: the checkpoint is not on the path that would be left.
	ErrOtherBranch = errors.New("the checkpoint is not on the current path")
	// ErrNothingToLeave: the tip stands at the checkpoint.
	ErrNothingToLeave = errors.New("nothing was done since the checkpoint")
)

// Rewind moves the tip of a conversation back to a checkpoint on its path and
// appends a digest of what was explored since. It is one append: when it
// returns, the digest is stored and the tip stands on it.
//
// The digest begins with those of earlier rewinds to the same checkpoint along
// the path that is left, so that nothing learned is forgotten by going back
// twice. The error is [ErrOtherBranch], [ErrNothingToLeave], a [*MidTurnError]
// (an imported mark may stand inside a turn; it is not moved to a neighbour),
// or that of [Entries.Append].
func Rewind(ctx context.Context, s Entries, conversation Conversation, mark Checkpoint, digest string) (Entry, error) {
	at, err := BoundaryAt(ctx, s, conversation.ID, mark.Entry)
	if err != nil {
		return Entry{}, fmt.Errorf("checkpoint %q: %w", mark.Name, err)
	}
	tip, err := s.Entry(ctx, conversation.ID, conversation.Tip)
	if err != nil {
		return Entry{}, err
	}
	var left []Entry
	if newest := tip.Depth - at.Depth() + 1; newest > 0 {
		query := PathQuery{Conversation: conversation.ID, Tip: tip.ID, Newest: newest}
		if left, err = Collect(s.Path(ctx, query)); err != nil {
			return Entry{}, err
		}
	}
	request, err := PlanRewind(left, mark, digest)
	if err != nil {
		return Entry{}, err
	}
	stored, err := s.Append(ctx, request)
	if len(stored) == 0 {
		return Entry{}, err
	}
	return stored[0], err
}

// PlanRewind returns the append that is a rewind. left is the path to the tip,
// whole or from the checkpoint on.
func PlanRewind(left []Entry, mark Checkpoint, digest string) (AppendRequest, error) {
	at := slices.IndexFunc(left, func(e Entry) bool { return e.ID == mark.Entry })
	if at < 0 {
		return AppendRequest{}, fmt.Errorf("checkpoint %q: %w", mark.Name, ErrOtherBranch)
	}
	left = left[at:]
	if len(left) == 1 {
		return AppendRequest{}, fmt.Errorf("checkpoint %q: %w", mark.Name, ErrNothingToLeave)
	}
	if digest = strings.TrimSpace(digest); digest == "" {
		return AppendRequest{}, errors.New("the digest is empty; expected what was learned since the checkpoint")
	}
	tip := left[len(left)-1]
	return AppendRequest{
		Conversation: tip.Conversation,
		Parent:       mark.Entry,
		ExpectedTip:  tip.ID,
		Entries: []Entry{{
			Message: &message.Message{
				Role:   message.User,
				Author: message.ByDigest,
				Parts:  append(earlierDigests(&left[1]), message.Text{Text: digest}),
			},
			Left: tip.ID,
		}},
	}, nil
}

// earlierDigests returns what a rewind to the same checkpoint left: its digest
// is the first entry behind the mark, and begins with those before it.
func earlierDigests(first *Entry) []message.Part {
	if first.Author() != message.ByDigest {
		return nil
	}
	return slices.Clone(first.Message.Parts)
}
