package transcript

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// writer is the [Sink] that stores what a format finds, in batches: one
// transaction for some megabytes, so that other writers are not kept waiting.
type writer struct {
	ctx     context.Context
	store   history.Store
	tool    string
	options Options
	report  Report

	conversation history.Conversation
	existed      bool   // the conversation was imported before
	stored       string // its title then
	words        string // the first words of the first prompt
	imported     *Imported
	known        map[string]place // records of the conversation by the tool's ids
	last         string           // the latest record
	tip          string
	batch        history.ImportRequest
	batchBytes   int
	long         bool // a batch was
}

// place is where a record went.
type place struct {
	id     history.ID
	depth  int
	parent string // the record it continues from
}

// One batch is a transaction of at most about this size. It is in memory several
// times: as messages, bodies, rows, and what of these is not collected yet.
const (
	batchBytes   = 2 << 20
	batchRecords = 4096
)

func (w *writer) Conversation(c Conversation) error {
	if err := w.finish(); err != nil {
		return err
	}
	source := history.Source{Tool: w.tool, ID: c.ID}
	w.conversation = history.Conversation{
		ID:        history.SourceID(c.Created, w.options.Owner, w.tool, c.ID),
		Title:     c.Title,
		Source:    source,
		Model:     c.Model,
		Directory: c.Directory,
		Owner:     w.options.Owner,
		Created:   c.Created,
	}
	existing, err := w.find(source)
	if err != nil {
		return err
	}
	w.stored, w.words = existing.Title, ""
	if w.existed = existing.ID != (history.ID{}); w.existed {
		w.conversation.ID = existing.ID
	}
	if w.conversation.SpawnedBy, err = w.resolve(c.SpawnedBy); err != nil {
		return err
	}
	if w.conversation.ForkedFrom, err = w.resolve(c.ForkedFrom); err != nil {
		return err
	}
	w.report.Conversations = append(w.report.Conversations, Imported{Conversation: w.conversation.ID, Title: c.Title})
	w.imported = &w.report.Conversations[len(w.report.Conversations)-1]
	w.known, w.last, w.tip = map[string]place{}, "", ""
	w.batch = history.ImportRequest{Conversation: w.conversation}
	return nil
}

// find returns the conversation that was imported from a source, or none.
func (w *writer) find(source history.Source) (history.Conversation, error) {
	for c, err := range w.store.List(w.ctx, history.ListQuery{Source: source}) {
		if err != nil {
			return history.Conversation{}, err
		}
		if c.Owner == w.options.Owner {
			return c, nil
		}
	}
	return history.Conversation{}, nil
}

// resolve turns a link in the tool's ids into one of ours, as far as what it
// points to has been imported.
func (w *writer) resolve(l Link) (history.Link, error) {
	if l.Conversation == "" {
		return history.Link{}, nil
	}
	conversation, err := w.find(history.Source{Tool: w.tool, ID: l.Conversation})
	if err != nil || conversation.ID == (history.ID{}) {
		return history.Link{}, err
	}
	link := history.Link{Conversation: conversation.ID}
	if l.Record != "" {
		link.Entry, err = w.store.EntryBySource(w.ctx, conversation.ID, l.Record)
		if errors.Is(err, history.ErrNotFound) {
			err = nil
		}
	}
	return link, err
}

var (
	errNoConversation = errors.New("a record came before its conversation")
	errEmptyRecord    = errors.New("expected either a message or a compaction")
)

func (w *writer) Record(r Record) error {
	switch {
	case w.imported == nil:
		return errNoConversation
	case (r.Message == nil) == (r.Compaction == nil):
		return fmt.Errorf("record %q: %w", r.ID, errEmptyRecord)
	}
	problem := func(what string) { w.Problem(Problem{Line: r.Line, Record: r.ID, What: what}) }
	if _, again := w.known[r.ID]; again {
		problem("the id stands twice in the file; the second record is skipped")
		return nil
	}
	if _, ok := w.known[r.Parent]; !ok && r.Parent != "" {
		problem(fmt.Sprintf("it continues from %q, which is not in the file; it is attached to the record before it", r.Parent))
		r.Parent = w.last
	}
	parent := w.known[r.Parent]
	entry := history.Entry{
		ID:      history.SourceID(r.Created, w.conversation.ID.String(), r.ID),
		Parent:  parent.id,
		Created: r.Created,
		Source:  r.ID,
		Usage:   r.Usage,
	}
	if r.Compaction != nil {
		var err error
		if entry.Compaction, err = w.compaction(r.Compaction, r.Parent); err == nil && w.existed {
			if err := w.flush(); err != nil {
				return err
			}
			err = w.standsAsRead(r.Compaction, r.Parent)
		}
		if err != nil {
			problem("the compaction cannot be applied, its text is kept as a message: " + err.Error())
			entry.Compaction, entry.Message = nil, r.Compaction.asMessage()
		}
	} else {
		entry.Message = settle(r.Message)
		if w.words == "" {
			w.words = history.TitleOf(r.Message)
		}
	}
	w.known[r.ID], w.last = place{entry.ID, parent.depth + 1, r.Parent}, r.ID
	w.imported.Records++
	w.batch.Entries = append(w.batch.Entries, entry)
	w.batchBytes += size(entry.Message)
	if w.batchBytes >= batchBytes || len(w.batch.Entries) >= batchRecords {
		return w.flush()
	}
	return nil
}

// settle marks calls of an imported message as not waiting: the tool's run is
// over, or goes on elsewhere.
func settle(m *message.Message) *message.Message {
	for range m.Calls {
		settled := *m
		settled.Settled = true
		return &settled
	}
	return m
}

// compaction puts handles for the tool's own ids, on the path that ends at the
// record parent.
func (w *writer) compaction(c *Compaction, parent string) (*history.Compaction, error) {
	made := &history.Compaction{Reason: c.Reason}
	made.Reason.Trigger = history.ByImport
	for _, t := range c.Treatments {
		from, to := 1, w.known[parent].depth
		if t.From != "" {
			if from = w.depthOnPath(t.From, parent); from == 0 {
				return nil, fmt.Errorf("it begins at %q, which is not on its path", t.From)
			}
		}
		if t.To != "" {
			if to = w.depthOnPath(t.To, parent); to == 0 {
				return nil, fmt.Errorf("it ends at %q, which is not on its path", t.To)
			}
		}
		if t.Part != 0 {
			to = from
		}
		made.Treatments = append(made.Treatments, history.Treatment{
			From: history.Handle{Depth: from, Part: t.Part},
			To:   history.Handle{Depth: to, Part: t.Part},
			As:   t.As,
			Text: t.Text,
		})
	}
	return made, made.Validate()
}

// standsAsRead checks that what a compaction names has the depth in the store
// that it has in the file. It has not where an earlier state of the file put
// something else before it, that is gone from the file; handles would be of
// other entries then.
func (w *writer) standsAsRead(c *Compaction, parent string) error {
	names := []string{parent}
	for _, t := range c.Treatments {
		names = append(names, t.From, t.To)
	}
	for _, name := range names {
		if name == "" {
			continue
		}
		e, err := w.store.Entry(w.ctx, w.conversation.ID, w.known[name].id)
		if err != nil {
			return err
		}
		if e.Depth != w.known[name].depth {
			return fmt.Errorf("%q stands at %d since an earlier import, no longer at %d", name, e.Depth, w.known[name].depth)
		}
	}
	return nil
}

// depthOnPath returns the depth of a record on the path that ends at tip, or 0.
func (w *writer) depthOnPath(record, tip string) int {
	depth := w.known[record].depth
	for w.known[tip].depth > depth {
		tip = w.known[tip].parent
	}
	if tip != record {
		return 0
	}
	return depth
}

// asMessage is what is kept of a compaction that hides nothing.
func (c *Compaction) asMessage() *message.Message {
	m := &message.Message{Role: message.User, Author: message.ByHarness}
	for _, t := range c.Treatments {
		if t.Text != "" {
			m.Parts = append(m.Parts, message.Text{Text: t.Text})
		}
	}
	return m
}

func (w *writer) Label(l Label) error {
	if w.imported == nil {
		return errNoConversation
	}
	at, ok := w.known[l.Record]
	if !ok {
		w.Problem(Problem{Record: l.Record, What: fmt.Sprintf("the label %q names a record that is not in the file; it is skipped", l.Name)})
		return nil
	}
	w.batch.Checkpoints = append(w.batch.Checkpoints, history.Checkpoint{
		ID:      history.SourceID(l.Created, w.conversation.ID.String(), "label", l.Record, l.Name),
		Name:    l.Name,
		Entry:   at.id,
		SetBy:   message.ByPerson,
		Created: l.Created,
	})
	return nil
}

func (w *writer) Tip(record string) error {
	if _, ok := w.known[record]; !ok {
		w.Problem(Problem{Record: record, What: "the tool would continue from it, but it is not in the file; the last record is taken"})
		return nil
	}
	w.tip = record
	return nil
}

func (w *writer) Problem(p Problem) {
	if w.report.ProblemCount++; w.report.ProblemCount <= maxProblems {
		w.report.Problems = append(w.report.Problems, p)
	}
}

func (w *writer) Progress(bytes int64) {
	if w.options.Progress != nil {
		w.options.Progress(bytes)
	}
}

func (w *writer) flush() error {
	if w.batchBytes >= long {
		// Of what the messages were decoded from, and of what storing them leaves.
		w.long = true
		debug.FreeOSMemory()
		defer debug.FreeOSMemory()
		defer debug.SetGCPercent(debug.SetGCPercent(10))
	}
	w.batch.Conversation.Title = cmp.Or(w.conversation.Title, w.words)
	result, err := w.store.Import(w.ctx, w.batch)
	if err != nil {
		return err
	}
	w.imported.Created = w.imported.Created || result.Created
	w.imported.Added += result.Added
	w.imported.TipMoved = result.TipMoved
	w.batch = history.ImportRequest{Conversation: w.conversation}
	w.batchBytes = 0
	return nil
}

// finish stores what is left of the conversation, with its tip.
func (w *writer) finish() error {
	if w.imported == nil {
		return nil
	}
	if w.tip == "" {
		w.tip = w.last
	}
	w.batch.Tip = w.known[w.tip].id
	w.imported.Tip = w.batch.Tip
	w.imported.Title = cmp.Or(w.conversation.Title, w.words)
	err := w.flush()
	if err == nil {
		err = w.retitle()
	}
	w.imported = nil
	return err
}

// retitle puts the title that the tool has given meanwhile in place of the first
// words. A title from elsewhere stays.
func (w *writer) retitle() error {
	title := w.conversation.Title
	if title == "" || title == w.stored || w.stored == "" || w.stored != w.words {
		return nil
	}
	return w.store.Describe(w.ctx, w.conversation.ID, history.Description{Title: &title})
}

// size is about how many bytes a message takes.
func size(m *message.Message) int {
	if m == nil {
		return 0
	}
	n := 64
	for _, p := range m.Parts {
		n += partSize(p)
	}
	return n
}

func partSize(p message.Part) int {
	switch p := p.(type) {
	case message.Text:
		return len(p.Text)
	case message.Thinking:
		return len(p.Text) + len(p.Signature) + len(p.Raw)
	case message.RedactedThinking:
		return len(p.Data)
	case message.ToolCall:
		return len(p.Arguments)
	case message.Image:
		return len(p.Data)
	case message.Document:
		return len(p.Data)
	case message.Opaque:
		return len(p.Raw)
	case message.ToolResult:
		n := 0
		for _, c := range p.Content {
			n += partSize(c)
		}
		return n
	}
	return 0
}
