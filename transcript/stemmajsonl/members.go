package stemmajsonl

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
)

func (r *reader) entry(l transcript.Line) error {
	var line struct {
		entryLine
		body
	}
	if err := json.Unmarshal(l.Data, &line); err != nil {
		return r.damaged(l, err)
	}
	if line.Type == typeDamaged {
		return r.damaged(l, fmt.Errorf("it was damaged in the store that the file is from: %s", line.What))
	}
	entry := history.Entry{
		ID: r.target.newID(line.Created, line.ID), Created: line.Created, Source: string(line.Source),
		Left: r.places.known[line.Left].id, Usage: line.Usage, Frame: line.Frame, Seals: line.Seals,
	}
	if r.target.copied {
		entry.Source = ""
	}
	var err error
	switch {
	case line.message() != nil:
		var m message.Message
		m, err = r.decode(line.message())
		entry.Message = &m
	case line.Compaction != nil:
		if entry.Compaction, err = history.DecodeCompaction(line.Compaction); err == nil {
			err = entry.Compaction.Validate()
		}
	default:
		err = bad("expected a message or a compaction")
	}
	var store storeError
	switch {
	case errors.As(err, &store):
		return store.error
	case err != nil:
		return r.damaged(l, err)
	}
	return r.add(l, line.entryLine, entry)
}

// damaged keeps the line of an entry that cannot be read, if it says where the
// entry stands.
func (r *reader) damaged(l transcript.Line, cause error) error {
	at, ok := salvage(l.Data)
	if !ok {
		return bad("an entry that cannot be read; it is skipped: %v", cause)
	}
	r.problem(l.Number, fmt.Sprintf("entry %v cannot be read, its line is kept as it is: %v", at.ID, cause))
	return r.add(l, at, r.standIn(at.ID, l.Keep()))
}

// add stores an entry of the file, below its parent or below what stands for it.
func (r *reader) add(l transcript.Line, at entryLine, entry history.Entry) error {
	if _, again := r.places.known[at.ID]; again || at.ID == (history.ID{}) {
		return bad("the id %v of the entry stands in the file already; it is skipped", at.ID)
	}
	if !r.places.has(at.Parent) {
		r.problem(l.Number, fmt.Sprintf("the entry continues from %v, which is not in the file; an empty entry stands for that", at.Parent))
		for _, missing := range r.places.bridge(at.Parent, at.Depth-1) {
			r.put(missing, r.standIn(missing.ID, nil))
		}
	}
	r.put(at, entry)
	r.imported.Records++
	r.batchBytes += len(l.Data)
	return r.flushFull()
}

// put adds an entry to the batch. Its parent has a place.
func (r *reader) put(at entryLine, entry history.Entry) {
	entry.Parent = r.places.known[at.Parent].id
	r.places.put(at.ID, at.Parent, entry.ID)
	r.batch.Entries = append(r.batch.Entries, entry)
}

// storeError is an error of the store while a body was decoded: nothing is
// wrong with the line.
type storeError struct{ error }

func (r *reader) decode(body []byte) (message.Message, error) {
	return message.Decode(body, func(hash message.Hash) ([]byte, error) {
		if data, ok := r.blobs[hash]; ok {
			return data, nil
		}
		b, err := r.store.Blob(r.ctx, hash)
		if errors.Is(err, history.ErrNotFound) {
			return nil, fmt.Errorf("blob %v is neither in the file nor in the store", hash)
		} else if err != nil {
			return nil, storeError{err}
		}
		return b.Data, nil
	})
}

func (r *reader) blob(line []byte) error {
	var b blobLine
	if err := parse(line, &b); err != nil {
		return err
	}
	if hash := message.HashOf(b.Base64); hash != b.Hash {
		return bad("the bytes of blob %v have the hash %v: they were changed; the line is skipped", b.Hash, hash)
	}
	r.batch.Blobs = append(r.batch.Blobs, message.Blob{Hash: b.Hash, Type: string(b.MediaType), Data: b.Base64})
	r.blobs[b.Hash] = b.Base64
	r.batchBytes += len(line)
	return r.flushFull()
}

func (r *reader) checkpoint(line []byte) error {
	var c checkpointLine
	if err := parse(line, &c); err != nil {
		return err
	}
	at, ok := r.places.known[c.Entry]
	if !ok || c.ID == (history.ID{}) {
		return bad("checkpoint %q has no id, or marks an entry that is not in the file (%v); it is skipped", string(c.Name), c.Entry)
	}
	r.batch.Checkpoints = append(r.batch.Checkpoints, history.Checkpoint{
		ID: r.target.newID(c.Created, c.ID), Name: string(c.Name), Entry: at.id,
		SetBy: message.Author(c.SetBy), Created: c.Created,
	})
	return nil
}

func (r *reader) pin(line []byte) error {
	var p pinLine
	if err := parse(line, &p); err != nil {
		return err
	}
	at, ok := r.places.known[p.Entry]
	if !ok {
		return bad("entry %v is pinned, but not in the file; the pin is skipped", p.Entry)
	}
	r.pins = append(r.pins, at.id)
	return nil
}

func (r *reader) queued(line []byte) error {
	var q struct {
		queuedLine
		body
	}
	if err := parse(line, &q); err != nil {
		return err
	}
	if q.ID == (history.ID{}) {
		return bad("a queued prompt without an id; it is skipped")
	}
	m, err := r.decode(q.message())
	var store storeError
	if errors.As(err, &store) {
		return store.error
	} else if err != nil {
		return bad("a queued prompt cannot be read; it is skipped: %v", err)
	}
	r.queue = append(r.queue, history.QueuedPrompt{ID: r.target.newID(q.Created, q.ID), Message: m, Created: q.Created})
	return nil
}

func (r *reader) end(line []byte) error {
	var e endLine
	if err := parse(line, &e); err != nil {
		return err
	}
	r.ended = true
	if e.Entries != r.imported.Records {
		return bad("the file was written with %d entries, %d were read", e.Entries, r.imported.Records)
	}
	return nil
}
