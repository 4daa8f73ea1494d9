package wire

import (
	"fmt"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// Interrupted stands as the result of a call that never got one. The model must
// not take the call for something that did not happen.
const Interrupted = "Interrupted: the outcome of this call is unknown. It may or may not have taken effect; check before repeating it."

// A Step is one message in an order that every wire accepts: a Tool step
// follows its Assistant step directly and answers all of its calls, in their
// order.
type Step struct {
	Role    message.Role
	Parts   []Part
	Message int // index in the view: the message that the step shows, or the last of several
}

// A Part is a part of a step, and where it comes from.
type Part struct {
	message.Part
	At history.Handle
	// Seal is that of a thinking part, zero where none is known.
	Seal message.Hash
}

// Rules are what a wire demands of ids.
type Rules struct {
	// ValidID reports whether the wire accepts an id of a tool call.
	ValidID func(string) bool
	// MakeID returns a valid id for the call at a handle, the same every time.
	MakeID func(history.Handle) string
}

// Normalise brings the messages of a view into steps. Silent messages and empty
// texts are left out; results are put behind their call; a call without a
// result gets one that says so; a result without a call becomes a user's text;
// ids that the wire does not accept, or that stand twice, are replaced. The
// repairs depend on nothing but what stands before them, so that a longer view
// begins with the same steps.
func Normalise(v View, rules Rules) []Step {
	n := normaliser{view: v, rules: rules, ids: map[string]bool{}}
	n.pairing = message.Pair(func(yield func(*message.Message) bool) {
		for i := range v.Messages {
			if !yield(&v.Messages[i].Message) {
				return
			}
		}
	})
	n.orphans = map[message.Place]bool{}
	for _, at := range n.pairing.Orphans {
		n.orphans[at] = true
	}
	for i := range v.Messages {
		n.add(i)
	}
	return n.steps
}

type normaliser struct {
	view    View
	rules   Rules
	pairing message.Pairing
	calls   int // how many of pairing.Calls have been placed
	orphans map[message.Place]bool
	ids     map[string]bool // of calls written so far
	steps   []Step
}

func (n *normaliser) add(i int) {
	m := &n.view.Messages[i]
	switch {
	case m.Silent():
	case m.Role == message.Tool:
		n.toolMessage(i)
	case m.Role == message.Assistant:
		n.assistant(i)
	default:
		n.user(i, n.parts(i, func(message.Part) bool { return true }))
	}
}

// user adds parts of a user, to the step before where that is the user's too.
func (n *normaliser) user(i int, parts []Part) {
	if len(parts) == 0 {
		return
	}
	if last := len(n.steps) - 1; last >= 0 && n.steps[last].Role == message.User {
		n.steps[last].Parts = append(n.steps[last].Parts, parts...)
		n.steps[last].Message = i
		return
	}
	n.steps = append(n.steps, Step{Role: message.User, Parts: parts, Message: i})
}

// toolMessage leaves answered results to their call, and keeps the words of
// everything else: results whose call is not in the view.
func (n *normaliser) toolMessage(i int) {
	n.user(i, n.parts(i, func(p message.Part) bool {
		_, isResult := p.(message.ToolResult)
		return !isResult
	}))
	m := &n.view.Messages[i]
	for part, r := range m.Results {
		if !n.orphans[message.Place{Message: i, Part: part}] {
			continue
		}
		at := partHandle(m, part)
		label := fmt.Sprintf("[Result of a tool call that is not shown (%s %s):]", r.Name, at)
		parts := []Part{{Part: message.Text{Text: label}, At: at}}
		for _, c := range r.Content {
			if !Blank(c) {
				parts = append(parts, Part{Part: c, At: at})
			}
		}
		n.user(i, parts)
	}
}

// assistant adds an answer and the results of its calls. An answer that says
// nothing is left out.
func (n *normaliser) assistant(i int) {
	parts := n.parts(i, func(message.Part) bool { return true })
	if len(parts) == 0 {
		return
	}
	var results []Part
	for p := range parts {
		call, ok := parts[p].Part.(message.ToolCall)
		if !ok {
			continue
		}
		call.ID = n.uniqueID(call.ID, parts[p].At)
		parts[p].Part = call
		results = append(results, n.result(call))
	}
	n.steps = append(n.steps, Step{Role: message.Assistant, Parts: parts, Message: i})
	if len(results) > 0 {
		n.steps = append(n.steps, Step{Role: message.Tool, Parts: results, Message: i})
	}
}

// result returns the answer of the next call, under the id that was written.
func (n *normaliser) result(call message.ToolCall) Part {
	paired := n.pairing.Calls[n.calls]
	n.calls++
	at := partHandle(&n.view.Messages[paired.At.Message], paired.At.Part)
	r := message.ToolResult{Outcome: message.Unknown, Content: []message.Content{message.Text{Text: Interrupted}}}
	if paired.State == message.Answered {
		from := &n.view.Messages[paired.Result.Message]
		r = from.Parts[paired.Result.Part].(message.ToolResult)
		at = partHandle(from, paired.Result.Part)
	}
	r.CallID, r.Name = call.ID, call.Name
	return Part{Part: r, At: at}
}

// uniqueID returns id, or one made for the place where the wire would not
// accept it.
func (n *normaliser) uniqueID(id string, at history.Handle) string {
	if id == "" || n.ids[id] || !n.rules.ValidID(id) {
		for id = n.rules.MakeID(at); n.ids[id]; id = n.rules.MakeID(at) {
			at.Part++ // someone else's id looks like ours
		}
	}
	n.ids[id] = true
	return id
}

// parts returns the parts of message i that say something and that keep wants.
func (n *normaliser) parts(i int, keep func(message.Part) bool) []Part {
	m := &n.view.Messages[i]
	var parts []Part
	thinking := 0
	for p, part := range m.Parts {
		out := Part{Part: part, At: partHandle(m, p)}
		switch part.(type) {
		case message.Thinking, message.RedactedThinking:
			if thinking < len(m.Seals) {
				out.Seal = m.Seals[thinking]
			}
			thinking++
		}
		if !Blank(part) && keep(part) {
			parts = append(parts, out)
		}
	}
	return parts
}

// Blank reports whether a part is a text without words, which no wire wants.
func Blank(p message.Part) bool {
	t, ok := p.(message.Text)
	return ok && strings.TrimSpace(t.Text) == ""
}

func partHandle(m *Message, part int) history.Handle {
	return history.Handle{Depth: m.At.Depth, Part: part + 1}
}
