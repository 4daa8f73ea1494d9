package wire

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire/internal/seen"
)

// What stands in a request where the view has nothing that could.
const (
	// Interrupted stands as the result of a call that never got one. The model
	// must not take the call for something that did not happen.
	Interrupted = "Interrupted: the outcome of this call is unknown. It may or may not have taken effect; check before repeating it."
	// Opening stands first where the view begins with an answer.
	Opening = "(The conversation begins with an answer.)"
	// GoOn stands last where the view ends with an answer.
	GoOn = "Continue."
)

// outcomes say how a call ended where its result has no words of its own.
var outcomes = map[message.Outcome]string{
	message.Failed:  "The tool failed without a message.",
	message.Denied:  "The call was denied and did not run.",
	message.Aborted: "The call was stopped before it had an effect.",
	message.Unknown: Interrupted,
}

// A Step is one message in an order that every wire accepts. The first step is
// a user's; a Tool step follows its Assistant step directly and answers all of
// its calls, in their order; the last step is no answer, unless a paused one.
//
// User steps hold texts, images, documents and blocks of the wire; Assistant
// steps texts, thinking, calls and blocks of the wire; Tool steps results.
type Step struct {
	Role    message.Role
	Parts   []Part
	Message int // index in the view: the message that the step shows, or the last of several

	before Point // of an answer that follows something else
}

// A Point is a place before an answer: the steps there are final, whatever the
// view goes on with. The zero Point is the beginning of a view.
type Point struct {
	Messages int      // how many stand before it
	begun    bool     // there are steps before it
	ids      seen.Set // of the calls before it
}

// Alone returns the same place in a view without the messages before it.
func (p Point) Alone() Point {
	p.Messages = 0
	return p
}

// Point returns the place before a step. Not every step has one: what stands
// before it must be no answer, and it must be one.
func (s *Step) Point() (at Point, ok bool) { return s.before, s.before.begun }

// A Part is a part of a step, and where it comes from.
type Part struct {
	message.Part
	At history.Handle
	// Seal is that of a thinking part, zero where none is known.
	Seal message.Hash
}

// Rules are what a wire demands of steps.
type Rules struct {
	Wire string // whose own blocks are kept
	IDs  IDRule
	// SignedTexts keeps empty texts of answers that carry a signature.
	SignedTexts bool
	// Paused reports whether an answer is to be sent last as it stands, for the
	// model to go on with. nil: none is.
	Paused func(answer *message.Message) bool
}

// Normalise brings the messages of a view into steps. Silent messages, empty
// texts and blocks of other wires are left out; results are put behind their
// call; a call without a result gets one that says so; a result without a call
// becomes a user's text, and what a model drew a user's image; ids that the wire
// does not accept, or that stand twice, are replaced. The repairs depend on
// nothing but what stands before them, so that a longer view begins with the
// same steps (P9).
func Normalise(v View, rules Rules) []Step { return NormaliseFrom(v, rules, Point{}) }

// NormaliseFrom returns the steps behind a point of an earlier view that began
// with the same messages, which were normalised by the same rules.
func NormaliseFrom(v View, rules Rules, from Point) []Step {
	n := normaliser{view: v, rules: rules, from: from.Messages, begun: from.begun, ids: from.ids, orphans: map[message.Place]bool{}}
	n.steps = make([]Step, 0, len(v.Messages)-from.Messages+1)
	n.pairing = message.Pair(func(yield func(*message.Message) bool) {
		for i := from.Messages; i < len(v.Messages); i++ {
			if !yield(&v.Messages[i].Message) {
				return
			}
		}
	})
	for _, at := range n.pairing.Orphans {
		n.orphans[n.inView(at)] = true
	}
	for i := from.Messages; i < len(v.Messages); i++ {
		n.add(i)
	}
	n.end()
	return n.steps
}

type normaliser struct {
	view    View
	rules   Rules
	from    int                    // the message that the steps begin with
	begun   bool                   // there are steps before them
	pairing message.Pairing        // of the messages from there on
	calls   int                    // how many of pairing.Calls have been placed
	orphans map[message.Place]bool // results that stand for themselves
	ids     seen.Set               // of calls written so far
	steps   []Step
}

// inView returns a place of the pairing as one of the whole view.
func (n *normaliser) inView(at message.Place) message.Place {
	at.Message += n.from
	return at
}

func (n *normaliser) add(i int) {
	m := &n.view.Messages[i]
	if m.Silent() {
		return
	}
	if m.Role == message.Assistant {
		n.assistant(i)
	} else {
		n.user(i, n.words(i))
	}
	n.user(i, n.loose(i))
}

// end sees to it that the last step asks for an answer.
func (n *normaliser) end() {
	if len(n.steps) == 0 {
		return
	}
	last := n.steps[len(n.steps)-1]
	if last.Role != message.Assistant {
		return
	}
	if n.rules.Paused == nil || !n.rules.Paused(&n.view.Messages[last.Message].Message) {
		n.user(last.Message, []Part{{Part: message.Text{Text: GoOn}}})
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

// words returns what a message of a user or a tool says besides results. A call
// has no business there; its result, if there is one, stands for itself.
func (n *normaliser) words(i int) []Part {
	m := &n.view.Messages[i]
	var parts []Part
	for p, part := range m.Parts {
		switch part := part.(type) {
		case message.ToolCall:
			if call := n.nextCall(); call.State == message.Answered {
				n.orphans[call.Result] = true
			}
		case message.Content:
			if n.says(part) {
				parts = append(parts, Part{Part: part, At: partHandle(m, p)})
			}
		}
	}
	return parts
}

// loose returns what stands in message i but can only be a user's: results
// whose call is not in the view, and images and documents of an answer.
func (n *normaliser) loose(i int) []Part {
	m := &n.view.Messages[i]
	var parts []Part
	for p, part := range m.Parts {
		at := partHandle(m, p)
		switch part := part.(type) {
		case message.ToolResult:
			if !n.orphans[message.Place{Message: i, Part: p}] {
				continue
			}
			label := fmt.Sprintf("[Result of a tool call that is not shown (%s %s):]", part.Name, at)
			parts = append(parts, Part{Part: message.Text{Text: label}, At: at})
			for _, c := range part.Content {
				if n.says(c) {
					parts = append(parts, Part{Part: c, At: at})
				}
			}
		case message.Image, message.Document:
			if m.Role == message.Assistant {
				label := fmt.Sprintf("[From the answer above (%s):]", at)
				parts = append(parts, Part{Part: message.Text{Text: label}, At: at}, Part{Part: part, At: at})
			}
		}
	}
	return parts
}

// assistant adds an answer and the results of its calls. An answer that says
// nothing is left out.
func (n *normaliser) assistant(i int) {
	parts := n.answer(i)
	if len(parts) == 0 {
		return
	}
	if len(n.steps) == 0 && !n.begun {
		n.user(i, []Part{{Part: message.Text{Text: Opening}}})
	}
	var before Point
	if last := len(n.steps) - 1; last < 0 || n.steps[last].Role != message.Assistant {
		before = Point{Messages: i, begun: true, ids: n.ids}
	}
	var results []Part
	for p := range parts {
		if call, ok := parts[p].Part.(message.ToolCall); ok {
			if id := n.uniqueID(call.ID, parts[p].At); id != call.ID {
				call.ID = id
				parts[p].Part = call
			}
			if results == nil {
				results = make([]Part, 0, len(parts)-p)
			}
			results = append(results, n.result(call))
		}
	}
	n.steps = append(n.steps, Step{Role: message.Assistant, Parts: parts, Message: i, before: before})
	if len(results) > 0 {
		n.steps = append(n.steps, Step{Role: message.Tool, Parts: results, Message: i})
	}
}

// answer returns the parts of an answer that can be sent as one.
func (n *normaliser) answer(i int) []Part {
	m := &n.view.Messages[i]
	parts := make([]Part, 0, len(m.Parts))
	thinking := 0
	for p, part := range m.Parts {
		out := Part{Part: part, At: partHandle(m, p)}
		switch part := part.(type) {
		case message.Thinking:
			out.Seal = sealOf(m, thinking)
			thinking++
			if part.Raw != nil && !rawjson.Valid(part.Raw) {
				continue
			}
		case message.RedactedThinking:
			out.Seal = sealOf(m, thinking)
			thinking++
		case message.Text:
			if !n.says(part) && !(n.rules.SignedTexts && part.Signature != "") {
				continue
			}
			if extra := n.extra(m, part.Extra); extra != part.Extra {
				part.Extra = extra
				out.Part = part
			}
		case message.Opaque:
			if !n.says(part) {
				continue
			}
		case message.ToolCall:
			if extra := n.extra(m, part.Extra); extra != part.Extra {
				part.Extra = extra
				out.Part = part
			}
		default:
			continue // results and media: see loose
		}
		parts = append(parts, out)
	}
	return parts
}

// extra returns what a provider said of a part besides, where this is its wire.
func (n *normaliser) extra(m *Message, object string) string {
	if object == "" || m.Wire != n.rules.Wire || object[0] != '{' || !rawjson.Valid([]byte(object)) {
		return ""
	}
	return object
}

func sealOf(m *Message, thinking int) message.Hash {
	if thinking < len(m.Seals) {
		return m.Seals[thinking]
	}
	return message.Hash{}
}

func (n *normaliser) nextCall() message.PairedCall {
	call := n.pairing.Calls[n.calls]
	n.calls++
	call.At, call.Result = n.inView(call.At), n.inView(call.Result)
	return call
}

// result returns the answer of the next call, under the id that was written.
func (n *normaliser) result(call message.ToolCall) Part {
	paired := n.nextCall()
	at := partHandle(&n.view.Messages[paired.At.Message], paired.At.Part)
	r := message.ToolResult{Outcome: message.Unknown}
	if paired.State == message.Answered {
		from := &n.view.Messages[paired.Result.Message]
		r = from.Parts[paired.Result.Part].(message.ToolResult)
		at = partHandle(from, paired.Result.Part)
	}
	r.CallID, r.Name = call.ID, call.Name
	content := r.Content
	if slices.ContainsFunc(content, n.silent) {
		content = slices.DeleteFunc(slices.Clone(content), n.silent)
	}
	if words := outcomes[r.Outcome]; len(content) == 0 && words != "" {
		content = []message.Content{message.Text{Text: words}}
	}
	r.Content = content
	return Part{Part: r, At: at}
}

// uniqueID returns id, or one made for the place where the wire would not
// accept it.
func (n *normaliser) uniqueID(id string, at history.Handle) string {
	if id == "" && n.rules.IDs.Optional {
		return ""
	}
	if n.ids.Has(id) || !n.rules.IDs.Valid(id) {
		for id = n.rules.IDs.Make(at); n.ids.Has(id); id = n.rules.IDs.Make(at) {
			at.Part++ // someone else's id looks like ours
		}
	}
	n.ids.Add(id)
	return id
}

// says reports whether a part can be sent and says something: no empty text, no
// block of another wire or of a file.
func (n *normaliser) says(p message.Part) bool {
	switch p := p.(type) {
	case message.Text:
		return strings.TrimSpace(p.Text) != ""
	case message.Opaque:
		return p.Format == n.rules.Wire && rawjson.Valid(p.Raw)
	}
	return true
}

func (n *normaliser) silent(c message.Content) bool { return !n.says(c) }

func partHandle(m *Message, part int) history.Handle {
	return history.Handle{Depth: m.At.Depth, Part: part + 1}
}
