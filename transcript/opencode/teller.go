package opencode

import (
	"fmt"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/native"
)

// teller tells a sink the entries of a session.
type teller struct {
	sink    transcript.Sink
	session session
	// spawned has, for all sessions of the file, the call that started each.
	spawned map[string]transcript.Link

	begun   bool
	last    string            // the latest record
	before  map[string]string // by message: the record that it continues from
	tails   map[string]string // by message that asks for a summary: the first one to keep
	pending []clearing
	back    bool   // the tip is not the last record
	tip     string // where it is then; empty before the first
}

// clearing is an output that was cleared, by the name of its record.
type clearing struct {
	elided
	record string
}

func newTeller(sink transcript.Sink, s session, spawned map[string]transcript.Link) *teller {
	if link, ok := spawned[s.ID]; ok {
		s.SpawnedBy = link
	}
	return &teller{sink: sink, session: s, spawned: spawned, before: map[string]string{}, tails: map[string]string{}}
}

// entry tells a message that continues from the latest record.
func (t *teller) entry(e *entry) error {
	if err := t.clear(e.created()); err != nil {
		return err
	}
	t.before[e.id] = t.last
	if e.info.Text("role") == "assistant" {
		return t.answer(e)
	}
	for i := range e.parts {
		if p := &e.parts[i]; p.kind() == "compaction" {
			t.tails[e.id] = p.Text("tail_start_id")
		}
	}
	if t.session.revert.message == e.id {
		t.back, t.tip = true, t.last
	}
	item := userItem(e)
	item.Parent = t.last
	return t.records(item.Records())
}

func (t *teller) answer(e *entry) error {
	a := answerOf(e)
	a.Parent = t.last
	records := a.Records()
	answers := 0
	for i := range records {
		if records[i].Message.Role == message.Assistant {
			records[i].Usage = a.usage[answers]
			answers++
		}
	}
	if c := t.summary(e, records); c != nil {
		return t.records([]transcript.Record{*c})
	}
	for _, task := range a.tasks {
		t.spawned[task.session] = transcript.Link{Conversation: t.session.ID, Record: records[task.in].ID}
	}
	for _, elided := range a.elided {
		t.pending = append(t.pending, clearing{elided: elided, record: records[elided.in].ID})
	}
	if t.session.revert.message == e.id {
		t.back, t.tip = true, t.last
		if step := a.places[t.session.revert.part]; step > 0 {
			t.tip = records[step-1].ID
		}
	}
	return t.records(records)
}

func (t *teller) records(records []transcript.Record) error {
	for _, r := range records {
		if !t.begun {
			t.begun = true
			if t.session.Created.IsZero() { // a log that begins later
				t.session.Created = r.Created
			}
			if err := t.sink.Conversation(t.session.Conversation); err != nil {
				return err
			}
		}
		if err := t.sink.Record(r); err != nil {
			return err
		}
		t.last = r.ID
	}
	return nil
}

// summary returns the compaction that a summary is, or nil. It hides what
// stands before, up to the tail that opencode kept as it is.
func (t *teller) summary(e *entry, records []transcript.Record) *transcript.Record {
	if len(records) == 0 || t.last == "" || !e.isSummary() {
		return nil
	}
	hidden := "" // all
	if tail, known := t.before[t.tails[e.info.Text("parentID")]]; known {
		hidden = tail
		if hidden == "" {
			return nil // the tail is everything
		}
	}
	text := records[0].Message.PlainText()
	if text == "" {
		return nil
	}
	return &transcript.Record{ID: e.id, Parent: t.last, Created: e.created(), Usage: records[0].Usage, Compaction: &transcript.Compaction{
		Treatments: []transcript.Treatment{{To: hidden, As: history.AsSummary, Text: text}},
		Reason:     history.Reason{Model: e.model(), Note: tool},
	}}
}

// clear tells what opencode cleared before a time, at the place in the session
// where it happened: from there on its model saw the outputs no more.
func (t *teller) clear(before time.Time) error {
	c := &transcript.Compaction{Reason: history.Reason{Note: tool}}
	var latest int64
	var waiting []clearing
	for _, p := range t.pending {
		if !native.Time(p.at).Before(before) {
			waiting = append(waiting, p)
			continue
		}
		latest = max(latest, p.at)
		c.Treatments = append(c.Treatments, transcript.Treatment{From: p.record, Part: p.part, As: history.AsStub, Text: p.text})
	}
	t.pending = waiting
	if len(c.Treatments) == 0 {
		return nil
	}
	return t.records([]transcript.Record{{
		ID: fmt.Sprintf("cleared/%d", latest), Parent: t.last, Created: native.Time(latest), Compaction: c,
	}})
}

// end tells what is known only at the end of the session.
func (t *teller) end() error {
	if err := t.clear(endOfTime); err != nil || !t.back {
		return err
	}
	if t.tip == "" {
		t.sink.Problem(transcript.Problem{Record: t.session.revert.message, What: "the session was taken back to before its first message; the tip stays at the last"})
		return nil
	}
	return t.sink.Tip(t.tip)
}

var endOfTime = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
