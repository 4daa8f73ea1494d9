package body

import (
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/internal/verdict"
)

// A Format is how a wire writes a body: the frame, the conversation step by
// step, then what may differ from request to request. What it has to remember
// between two steps is in [Writer.Open]. S is what its checker remembers.
type Format[S any] struct {
	Wire     string
	Provider string // for the words of an error
	Rules    wire.Rules
	// Limits returns what a body is held to.
	Limits func(*wire.Request) wire.Limits

	Frame func(*Writer) // up to where the conversation begins
	Step  func(w *Writer, s *wire.Step, end Mark)
	End   func(*Writer)

	Check func(body []byte, limits wire.Limits, t *verdict.Thread[S]) *wire.Refusal
}

// A Mark says which cache marks may stand at the end of a step.
type Mark uint8

const (
	// EndOfHead is the end of the task and what is pinned to it.
	EndOfHead Mark = 1 << iota
	// Newest is the newest place that the next request has too. An answer at
	// the end has none: it is the next request's.
	Newest
)

// marks are the steps at the end of which cache marks may stand; -1 for none.
type marks struct{ head, newest int }

func marksOf(steps []wire.Step, v wire.View) marks {
	m := marks{head: -1, newest: -1}
	for i := range steps {
		s := &steps[i]
		if s.Message < v.Head {
			m.head = i
		}
		if last := s.Parts[len(s.Parts)-1]; s.Role != message.Assistant && last.At.Depth > 0 {
			m.newest = i
		}
	}
	return m
}

func (m marks) at(step int) (end Mark) {
	if step == m.head {
		end |= EndOfHead
	}
	if step == m.newest {
		end |= Newest
	}
	return end
}
