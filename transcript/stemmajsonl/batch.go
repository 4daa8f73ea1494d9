package stemmajsonl

import (
	"errors"
	"fmt"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
)

// One batch is a transaction of at most about this size, so that other writers
// are not kept waiting.
const (
	batchBytes   = 8 << 20
	batchEntries = 4096
)

// maxProblems bounds a report; a file of garbage has a problem on every line.
const maxProblems = 100

func (r *reader) newBatch() {
	r.batch = history.ImportRequest{Conversation: r.target.Conversation}
	r.batchBytes, r.blobs = 0, map[message.Hash][]byte{}
}

func (r *reader) flushFull() error {
	if r.batchBytes < batchBytes && len(r.batch.Entries) < batchEntries {
		return nil
	}
	return r.flush()
}

func (r *reader) flush() error {
	result, err := r.store.Import(r.ctx, r.batch)
	if err != nil {
		return err
	}
	r.imported.Created = r.imported.Created || result.Created
	r.imported.Added += result.Added
	r.imported.TipMoved = result.TipMoved
	r.newBatch()
	return nil
}

// finish stores what is left of the conversation. The tip comes last: it says
// that all else is there.
func (r *reader) finish() error {
	if r.imported == nil {
		return nil
	}
	if !r.ended {
		r.problem(0, fmt.Sprintf("the file ends within conversation %v: it was cut off, or is still being written", r.target.ID))
	}
	tip, ok := r.places.known[r.tip]
	if !ok && r.tip != (history.ID{}) {
		tip = r.places.known[r.places.last]
		r.problem(0, fmt.Sprintf("the tip %v of the conversation is not in the file; its last entry is taken", r.tip))
	}
	if err := r.flush(); err != nil {
		return err
	}
	if r.target.fresh {
		if err := r.restore(); err != nil {
			return err
		}
	}
	r.imported.Tip, r.batch.Tip = tip.id, tip.id
	err := r.flush()
	r.imported = nil
	return err
}

// restore stores pins and queued prompts. Both may be stored again.
func (r *reader) restore() error {
	for _, entry := range r.pins {
		if err := r.store.Pin(r.ctx, r.target.ID, entry); err != nil {
			return fmt.Errorf("pin of %v: %w", entry, err)
		}
	}
	for _, p := range r.queue {
		p.Conversation = r.target.ID
		if err := r.store.Enqueue(r.ctx, p); err != nil && !errors.Is(err, history.ErrExists) {
			return fmt.Errorf("queued prompt %v: %w", p.ID, err)
		}
	}
	return nil
}

func (r *reader) problem(line int64, what string) {
	if r.report.ProblemCount++; r.report.ProblemCount <= maxProblems {
		r.report.Problems = append(r.report.Problems, transcript.Problem{Line: line, What: what})
	}
}
