package goose

import (
	"fmt"
	"strconv"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/native"
)

// said is one message of goose.
type said struct {
	id      string // empty in files of lines, and databases of before 2025-12
	role    string
	created time.Time
	content []byte
	line    int64

	// Who gets it: a person, the agent.
	userVisible, agentVisible bool
}

// visibility reads the metadata of a message; without any, both see it.
func (s *said) visibility(metadata []byte) {
	o, err := native.ReadObject(metadata)
	s.userVisible = err != nil || o.Raw("userVisible") == nil || o.Bool("userVisible")
	s.agentVisible = err != nil || o.Raw("agentVisible") == nil || o.Bool("agentVisible")
}

// session tells a sink one session.
type session struct {
	transcript.Conversation
	sink     transcript.Sink
	provider string

	begun bool
	last  string // the latest record
	seen  map[string]int
	chain transcript.Chain
	// hidden are the stretches of the path that the agent does not see. The
	// latest still grows while whole is true.
	hidden []stretch
	whole  bool
	fresh  bool // something was hidden since the last compaction
}

// stretch is records that follow each other.
type stretch struct{ from, to string }

// message tells one message.
func (s *session) message(m said) error {
	item, err := decode(&m)
	if err != nil {
		s.sink.Problem(transcript.Problem{Line: m.line, Record: m.id, What: fmt.Sprintf("not all of the message is understood, it is kept as it stands: %v", err)})
	}
	if len(item.Messages) == 0 {
		return nil
	}
	item.ID, item.Parent = s.name(&m), s.last
	if text := item.Messages[0].PlainText(); s.fresh && !m.userVisible && m.role == "user" && text != "" {
		return s.compact(transcript.Record{ID: item.ID, Created: m.created, Line: m.line}, history.AsSummary, text)
	}
	for _, r := range item.Records() {
		r.Line = m.line
		if a := r.Message; a.Role == message.Assistant && a.Author == message.ByModel {
			a.Wire, a.Model = native.Wire(s.provider, s.Model), s.Model
		}
		if err := s.record(r); err != nil {
			return err
		}
		s.see(r, m.agentVisible)
	}
	return nil
}

// see notes whether the agent sees a record. One that no model gets anyway does
// not count.
func (s *session) see(r transcript.Record, visible bool) {
	switch {
	case r.Message.Silent():
	case visible:
		s.whole = false
	case s.whole:
		s.hidden[len(s.hidden)-1].to = r.ID
		s.fresh = true
	default:
		s.hidden = append(s.hidden, stretch{r.ID, r.ID})
		s.whole, s.fresh = true, true
	}
}

// hiddenLine stands where no summary does.
const hiddenLine = "[goose hid this part of the conversation; the original is kept]"

// compact tells that everything hidden is so from here on. The text stands for
// the first of it.
func (s *session) compact(r transcript.Record, as history.As, text string) error {
	r.Parent = s.last
	r.Compaction = &transcript.Compaction{Reason: history.Reason{Note: tool}}
	for i, h := range s.hidden {
		t := transcript.Treatment{From: h.from, To: h.to, As: as, Text: text}
		if i > 0 {
			t.As, t.Text = history.AsTrimmed, hiddenLine
		}
		r.Compaction.Treatments = append(r.Compaction.Treatments, t)
	}
	s.fresh = false
	return s.record(r)
}

// end tells what is hidden though no summary stands for it.
func (s *session) end() error {
	if !s.fresh {
		return nil
	}
	to := s.hidden[len(s.hidden)-1].to
	return s.compact(transcript.Record{ID: "hidden/" + to}, history.AsTrimmed, hiddenLine)
}

func (s *session) record(r transcript.Record) error {
	if !s.begun {
		s.begun = true
		if s.Created.IsZero() {
			s.Created = r.Created
		}
		if err := s.sink.Conversation(s.Conversation); err != nil {
			return err
		}
	}
	s.last = r.ID
	return s.sink.Record(r)
}

// name returns the id of a message. Pieces of one answer may share theirs.
func (s *session) name(m *said) string {
	if m.id == "" {
		return s.chain.Next(fmt.Appendf(nil, "%s %d %s", m.role, m.created.Unix(), m.content))
	}
	if s.seen == nil {
		s.seen = map[string]int{}
	}
	s.seen[m.id]++
	if n := s.seen[m.id]; n > 1 {
		return m.id + "#" + strconv.Itoa(n)
	}
	return m.id
}
