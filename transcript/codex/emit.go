package codex

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/wire/openai"
)

// emit reads the lines again and tells the sink what they hold.
func (s *session) emit(ctx context.Context) error {
	if len(s.records) == 0 {
		s.sink.Problem(transcript.Problem{What: "the file holds no messages"})
		return nil
	}
	s.identify()
	if err := s.sink.Conversation(s.about); err != nil {
		return err
	}
	for n := range s.records {
		if err := ctx.Err(); err != nil {
			return err
		}
		made, err := s.read(n)
		if err != nil {
			return err
		}
		if err := s.sink.Record(made); err != nil {
			return err
		}
		end := s.records[n].lines[len(s.records[n].lines)-1]
		s.sink.Progress((s.file.Size + end.Offset + int64(end.Size)) / 2)
	}
	if s.at < 0 {
		s.sink.Problem(transcript.Problem{What: "everything was rolled back; the conversation stands where it stood before that"})
		return nil
	}
	return s.sink.Tip(s.records[s.at].id)
}

// identify finds a name for a session whose header is missing: the file is
// named after it.
func (s *session) identify() {
	if s.about.ID != "" {
		return
	}
	base := strings.TrimSuffix(filepath.Base(s.file.Path), ".jsonl")
	if id := base[max(len(base)-36, 0):]; strings.HasPrefix(base, "rollout-") && uuid.Validate(id) == nil {
		s.about.ID = id
		return
	}
	s.about.ID = s.records[0].id
}

// read makes a record of its lines.
func (s *session) read(n int) (transcript.Record, error) {
	r := &s.records[n]
	made := transcript.Record{ID: r.id, Created: r.at, Usage: r.usage, Line: r.lines[0].number}
	if r.up >= 0 {
		made.Parent = s.records[r.up].id
	}
	if r.kind == answer {
		m, err := s.answer(r)
		made.Message = m
		return made, err
	}
	data, err := s.file.ReadObject(r.lines[0].Span)
	if err != nil {
		return made, err
	}
	switch r.kind {
	case compacted:
		if made.Compaction = s.compaction(n, payloadOf(data)); made.Compaction == nil {
			made.Message = transcript.Silent(Name, data)
		}
		return made, nil
	case silent:
		made.Message = transcript.Silent(Name, data)
		return made, nil
	}
	m, err := transcript.DecodeMessage(data, decode)
	if err != nil {
		s.unread(r, r.lines[0], err)
		made.Message = transcript.Silent(Name, data)
		return made, nil
	}
	switch {
	case r.kind == injected:
		m.Author = message.ByHarness
	case r.kind == result:
		setOutcome(&m)
	}
	if len(m.Parts) == 0 {
		m = *transcript.Silent(Name, data)
	}
	made.Message = &m
	return made, nil
}

// answer joins the items of an answer.
func (s *session) answer(r *record) (*message.Message, error) {
	whole := &message.Message{Role: message.Assistant, Author: message.ByModel, Wire: openai.WireResponses, Model: r.model}
	if r.aborted {
		whole.Stop = message.StopAborted
	}
	for _, l := range r.lines {
		data, err := s.file.ReadObject(l.Span)
		if err != nil {
			return nil, err
		}
		m, err := transcript.DecodeMessage(data, decode)
		if err != nil {
			s.unread(r, l, err)
			m = *transcript.Silent(Name, data)
		}
		whole.Parts = append(whole.Parts, m.Parts...)
	}
	return whole, nil
}

func (s *session) unread(r *record, l line, err error) {
	s.sink.Problem(transcript.Problem{Line: l.number, Record: r.id, What: fmt.Sprintf("it cannot be read: %v; it is kept as it stands, and no model gets it", err)})
}

// decode reads the item of a line, or the words of its event.
func decode(data []byte) (message.Message, error) {
	e := readEnvelope(data)
	if e.kind != "event_msg" {
		return openai.DecodeItem(payloadOf(data))
	}
	words := message.Text{Text: rawjson.Text(rawjson.Get(e.payload, "message"))}
	if rawjson.Text(rawjson.Get(e.payload, "type")) == "user_message" {
		return message.Prompt(words.Text), nil
	}
	return message.Message{Role: message.Assistant, Author: message.ByModel, Parts: []message.Part{words}}, nil
}

// payloadOf returns what is inside the envelope of a line, or the line where it
// has none.
func payloadOf(data []byte) []byte {
	if payload := rawjson.Get(data, "payload"); payload != nil {
		return payload
	}
	return data
}
