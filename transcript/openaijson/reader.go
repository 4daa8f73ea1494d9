package openaijson

import (
	"fmt"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/wire/openai"
)

// A wire decodes an element of a list.
type wire struct {
	decode func([]byte) (message.Message, error)
	// joins says that an answer is several elements.
	joins bool
}

var (
	messages = wire{decode: openai.DecodeChat}
	items    = wire{decode: decodeInput, joins: true}
)

// decodeInput reads an item, or the string that stands for a single prompt.
func decodeInput(data []byte) (message.Message, error) {
	if len(data) > 0 && data[0] == '"' {
		data = append(append([]byte(`{"role":"user","content":`), data...), '}')
	}
	return openai.DecodeItem(data)
}

// A reader tells a sink the elements of one list.
type reader struct {
	sink  transcript.Sink
	wire  wire
	model string
	line  int64

	names   transcript.Chain
	parent  string
	begun   bool               // something else than instructions was said
	pending *transcript.Record // an answer that may go on
}

// add takes one element in.
func (r *reader) add(data []byte) error {
	made := transcript.Record{ID: r.names.Next(data), Line: r.line}
	m, err := r.wire.decode(data)
	switch {
	case err != nil:
		r.sink.Problem(transcript.Problem{Line: r.line, Record: made.ID, What: fmt.Sprintf("it cannot be read: %v; it is kept as it stands, and no model gets it", err)})
		made.Message = transcript.Silent(Name, data)
	case m.Author == message.ByHarness && !r.begun, len(m.Parts) == 0 && m.Role != message.Assistant:
		made.Message = transcript.Silent(Name, data) // the system prompt
	default:
		r.begun = true
		made.Message = &m
	}
	if m.Role == message.Assistant && err == nil {
		m.Model = r.model
		if r.pending != nil {
			m.Parts = append(r.pending.Message.Parts, m.Parts...)
		}
		if r.pending = &made; r.wire.joins {
			return nil
		}
		return r.flush()
	}
	if err := r.flush(); err != nil {
		return err
	}
	return r.tell(made)
}

// flush tells the answer that is complete now. It is named by its last element:
// whole, it is another record than half of it.
func (r *reader) flush() error {
	if r.pending == nil {
		return nil
	}
	made := *r.pending
	r.pending = nil
	return r.tell(made)
}

func (r *reader) tell(made transcript.Record) error {
	made.Parent = r.parent
	r.parent = made.ID
	return r.sink.Record(made)
}
