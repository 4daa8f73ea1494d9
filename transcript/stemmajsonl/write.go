package stemmajsonl

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// An IncompleteError says that everything was written but what the store could
// not read.
type IncompleteError struct {
	Count  int
	Causes []error // the first of them
}

// maxCauses bounds the causes that an [IncompleteError] keeps.
const maxCauses = 100

// Add notes one more thing that could not be read.
func (e *IncompleteError) Add(cause error) {
	if e.Count++; len(e.Causes) < maxCauses {
		e.Causes = append(e.Causes, cause)
	}
}

// Err returns e, or nil where nothing is missing.
func (e *IncompleteError) Err() error {
	if e.Count == 0 {
		return nil
	}
	return e
}

func (e *IncompleteError) Error() string {
	return fmt.Sprintf("%d stored pieces could not be read, the rest is written; the first: %v", e.Count, e.Causes[0])
}

func (e *IncompleteError) Unwrap() []error { return e.Causes }

// Write writes a conversation of store to w: its whole tree, not a view of it.
// It fails with [history.ErrNotFound] where there is no such conversation, and
// with an [*IncompleteError] where it had to leave out what the store could
// not read; all else is written then.
//
// Turns saved while it runs may be in the file; the tip is the one at its
// beginning.
func Write(ctx context.Context, store history.Store, conversation history.ID, w io.Writer) error {
	c, err := store.Conversation(ctx, conversation)
	if err != nil {
		return fmt.Errorf("conversation %v: %w", conversation, err)
	}
	// Marks and queue are read before the entries, so that all they name is in
	// the file.
	checkpoints, err := store.Checkpoints(ctx, conversation)
	if err != nil {
		return fmt.Errorf("checkpoints: %w", err)
	}
	pins, err := store.Pins(ctx, conversation)
	if err != nil {
		return fmt.Errorf("pins: %w", err)
	}
	queue, err := store.Queue(ctx, conversation)
	if err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	out := writer{ctx: ctx, store: store, w: bufio.NewWriterSize(w, 64<<10), blobs: map[message.Hash]bool{}}
	out.header(c)
	entries := out.tree(conversation)
	for i := len(checkpoints) - 1; i >= 0; i-- { // the store gives the newest first
		m := checkpoints[i]
		out.line(checkpointLine{typeCheckpoint, m.ID, exact(m.Name), m.Entry, exact(m.SetBy), m.Created})
	}
	for _, entry := range pins {
		out.line(pinLine{typePin, entry})
	}
	for _, p := range queue {
		out.message(queuedLine{typeQueued, p.ID, p.Created}, p.Message)
	}
	out.line(endLine{typeEnd, entries})
	if out.err == nil {
		out.err = out.w.Flush()
	}
	if out.err != nil {
		return out.err
	}
	return out.incomplete.Err()
}

// writer writes lines until the first error.
type writer struct {
	ctx        context.Context
	store      history.Store
	w          *bufio.Writer
	blobs      map[message.Hash]bool // written already
	incomplete IncompleteError
	err        error
}

func (w *writer) header(c history.Conversation) {
	w.line(conversationLine{
		Type: typeConversation, Format: Format, Version: Version,
		ID: c.ID, Title: exact(c.Title), Tip: c.Tip,
		ForkedFrom: link(c.ForkedFrom), SpawnedBy: link(c.SpawnedBy),
		Source: source{exact(c.Source.Tool), exact(c.Source.ID)}, ImportedTip: c.ImportedTip,
		Model: exact(c.Model), Directory: exact(c.Directory), Owner: exact(c.Owner),
		Created: c.Created, Updated: c.Updated,
	})
}

// tree writes all entries in the order of the store, and returns how many
// lines it wrote.
func (w *writer) tree(conversation history.ID) (entries int) {
	for node, err := range w.store.Nodes(w.ctx, conversation) {
		if w.err != nil {
			return entries
		}
		var damaged *history.DamagedError
		if errors.As(err, &damaged) {
			w.incomplete.Add(err)
			continue
		} else if err != nil {
			w.err = fmt.Errorf("tree: %w", err)
			return entries
		}
		entry, err := w.store.Entry(w.ctx, conversation, node.ID)
		switch {
		case err == nil:
			w.entry(entry)
		case errors.As(err, &damaged):
			w.incomplete.Add(err)
			w.line(entryLine{Type: typeDamaged, ID: node.ID, Parent: node.Parent, Depth: node.Depth, Created: node.Created, What: exact(damaged.Err.Error())})
		default:
			w.err = fmt.Errorf("entry %v: %w", node.ID, err)
		}
		entries++
	}
	return entries
}

func (w *writer) entry(e history.Entry) {
	if !e.Frame.IsZero() {
		w.stored(e.Frame)
	}
	line := entryLine{
		Type: typeEntry, ID: e.ID, Parent: e.Parent, Depth: e.Depth, Created: e.Created,
		Source: exact(e.Source), Left: e.Left, Usage: e.Usage, Frame: e.Frame, Seals: e.Seals,
	}
	if e.Message != nil {
		w.message(line, *e.Message)
		return
	}
	body, err := history.EncodeCompaction(e.Compaction)
	if err != nil {
		w.err = fmt.Errorf("entry %v: %w", e.ID, err)
		return
	}
	w.lineWith(line, "compaction", body)
}

// message writes a line with a message, after the blobs it needs.
func (w *writer) message(line any, m message.Message) {
	body, blobs := message.Encode(m)
	for _, b := range blobs {
		w.blob(b)
	}
	for _, p := range m.Parts {
		w.media(p)
	}
	w.lineWith(line, "message", body)
}

// media writes the stored bytes of images and documents.
func (w *writer) media(p message.Part) {
	switch p := p.(type) {
	case message.Image:
		w.mediaBlob(p.Media)
	case message.Document:
		w.mediaBlob(p.Media)
	case message.ToolResult:
		for _, c := range p.Content {
			w.media(c)
		}
	}
}

func (w *writer) mediaBlob(m message.Media) {
	if m.Data == nil && !m.Blob.IsZero() {
		w.stored(m.Blob)
	}
}

// stored writes a blob of the store, unless it is in the file already.
func (w *writer) stored(hash message.Hash) {
	if w.err != nil || w.blobs[hash] {
		return
	}
	b, err := w.store.Blob(w.ctx, hash)
	var damaged *history.DamagedError
	if errors.Is(err, history.ErrNotFound) || errors.As(err, &damaged) {
		w.incomplete.Add(fmt.Errorf("blob %v: %w", hash, err))
		w.blobs[hash] = true
		return
	} else if err != nil {
		w.err = fmt.Errorf("blob %v: %w", hash, err)
		return
	}
	w.blob(b)
}

func (w *writer) blob(b message.Blob) {
	if w.err != nil || w.blobs[b.Hash] {
		return
	}
	w.blobs[b.Hash] = true
	line, err := json.Marshal(blobLine{Type: typeBlob, Hash: b.Hash, MediaType: exact(b.Type)})
	if err != nil {
		w.err = err
		return
	}
	// The bytes are encoded on the way out: a line can be larger than memory
	// should hold twice.
	w.write(line[:len(line)-len("}")])
	w.write([]byte(`,"base64":"`))
	encoder := base64.NewEncoder(base64.StdEncoding, w.w)
	_, err = encoder.Write(b.Data)
	if err = errors.Join(err, encoder.Close()); err != nil && w.err == nil {
		w.err = err
	}
	w.write([]byte("\"}\n"))
}

func (w *writer) line(v any) {
	line, err := json.Marshal(v)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.write(append(line, '\n'))
}

func (w *writer) lineWith(v any, name string, body []byte) {
	line, err := json.Marshal(v)
	if err != nil {
		w.err = err
		return
	}
	w.write(append(appendMember(line, name, body), '\n'))
}

func (w *writer) write(data []byte) {
	if w.err == nil {
		_, w.err = w.w.Write(data)
	}
}
