package qwen

import (
	"bytes"
	"fmt"
	"hash/fnv"

	"github.com/stemma-history/stemma/transcript"
)

// teller tells a sink one session, or the part of a sub-agent in it.
type teller struct {
	transcript.Conversation
	sink  transcript.Sink
	begun bool
	// by has, by uuid, what each record came to.
	by     map[string]*place
	latest *place // of the latest record in the file
	last   string // the latest record told
	labels []transcript.Label
}

// place is where a record of the file stands: at the latest record of ours on
// the path to it.
type place struct {
	record  string // empty before the first
	parent  *place // the place before that record, where it has one of its own
	content uint64 // hash of the record's content
	parts   []uint64
	prompt  bool
	copies  int // how many records before it had its uuid
}

func newTeller(c transcript.Conversation, sink transcript.Sink) *teller {
	return &teller{Conversation: c, sink: sink, by: map[string]*place{}, latest: &place{}}
}

// record tells one record of the file.
func (t *teller) record(r record) error {
	parent := t.parent(r)
	id := r.Text("uuid")
	content, copies := hash(r.Raw("message")), 0
	if before := t.by[id]; before != nil {
		// Early versions wrote an answer in pieces under one id.
		if before.content == content {
			return nil
		}
		parent = before
		copies = before.copies + 1
		id = fmt.Sprintf("%s#%d", id, copies+1)
	}
	here := &place{record: parent.record, parent: parent.parent, parts: parent.parts, prompt: parent.prompt}
	defer func() {
		here.content, here.copies = content, copies
		t.by[r.Text("uuid")], t.latest = here, here
	}()
	switch r.Text("subtype") {
	case "chat_compression":
		c := t.compression(r, parent)
		if c == nil {
			return nil
		}
		*here = place{record: id, parent: parent}
		return t.tell(transcript.Record{ID: id, Parent: parent.record, Created: r.created(), Line: r.line, Compaction: c})
	case "branch_checkpoint":
		if at := t.by[r.Text("systemPayload", "assistantRecordUuid")]; at != nil && at.record != "" {
			t.labels = append(t.labels, transcript.Label{Name: fmt.Sprintf("branch point %d", len(t.labels)+1), Record: at.record, Created: r.created()})
		}
	}
	item, err := r.item()
	if err != nil {
		t.sink.Problem(transcript.Problem{Line: r.line, Record: id, What: fmt.Sprintf("the content is not understood, it is kept as it stands: %v", err)})
	}
	item.ID, item.Parent = id, parent.record
	for _, told := range item.Records() {
		told.Line = r.line
		if err := t.tell(told); err != nil {
			return err
		}
		*here = place{record: told.ID, parent: parent, parts: partsOf(r), prompt: told.Message.IsPrompt()}
	}
	return nil
}

// parent returns the place that a record continues from. A line that is lost
// takes its children along to what stands before.
func (t *teller) parent(r record) *place {
	named := r.Text("parentUuid")
	if named == "" {
		return &place{}
	}
	if p, ok := t.by[named]; ok {
		return p
	}
	if t.begun { // a sub-agent's first record may name one of the session
		t.sink.Problem(transcript.Problem{Line: r.line, Record: r.Text("uuid"), What: fmt.Sprintf("it continues from %q, which is not in the file; it is attached to the record before it", named)})
	}
	return t.latest
}

func (t *teller) tell(r transcript.Record) error {
	if !t.begun {
		t.begun = true
		if err := t.sink.Conversation(t.Conversation); err != nil {
			return err
		}
	}
	t.last = r.ID
	return t.sink.Record(r)
}

// end tells the labels, and where the session stands.
func (t *teller) end() error {
	if !t.begun {
		return nil
	}
	for _, l := range t.labels {
		if err := t.sink.Label(l); err != nil {
			return err
		}
	}
	switch t.latest.record {
	case t.last:
		return nil
	case "":
		t.sink.Problem(transcript.Problem{What: "the session was taken back to before its first message; the tip stays at the last"})
		return nil
	}
	return t.sink.Tip(t.latest.record)
}

func hash(data []byte) uint64 {
	h := fnv.New64a()
	h.Write(bytes.TrimSpace(data))
	return h.Sum64()
}
