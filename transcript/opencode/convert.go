package opencode

import (
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript/internal/native"
)

// userItem reads a message of the user: what a person typed and attached, and
// after it what opencode added. A mark that belongs to the program stays as it
// is.
func userItem(e *entry) native.Item {
	var person, harness []message.Part
	opaque := func(p *part) { harness = append(harness, message.Opaque{Format: tool, Raw: p.raw}) }
	for i := range e.parts {
		p := &e.parts[i]
		switch kind := p.kind(); {
		case kind == "text" && p.text() == "":
		case kind == "text" && p.Bool("ignored"): // shown, never sent
			opaque(p)
		case kind == "text" && p.Bool("synthetic"):
			harness = append(harness, message.Text{Text: p.text()})
		case kind == "text":
			person = append(person, message.Text{Text: p.text()})
		case kind == "file" && !isCopied(p):
			person = append(person, fileOf(p.Object))
		default:
			opaque(p)
		}
	}
	item := native.Item{ID: e.id, Created: e.created()}
	item.Add(message.User, message.ByPerson, person...)
	item.Add(message.User, message.ByHarness, harness...)
	return item
}

// isCopied reports whether opencode put the content of a file into texts beside
// it, and sends those instead.
func isCopied(p *part) bool {
	mime := p.Text("mime")
	return mime == "text/plain" || mime == "application/x-directory"
}

func fileOf(file native.Object) message.Content {
	return native.MediaURL(file.Text("mime"), file.Text("filename"), file.Text("url"))
}

// answer is an assistant message as it becomes records.
type answer struct {
	native.Item
	usage []*history.Usage // of each of the item's assistant messages, in order
	// places are where the parts went: the index of their message in the item.
	places map[string]int
	elided []elided
	tasks  []task
}

// elided is the output of a tool that opencode no longer sends.
type elided struct {
	at   int64 // ms
	part int   // of the record, counted from 1
	in   int   // index of the message in the item
	text string
}

// task is a call that started the session of a sub-agent.
type task struct {
	session string
	in      int // index of the message in the item
}

// answerOf reads an assistant message. Each step in it was a request of its
// own, and becomes a message and the results of its calls.
func answerOf(e *entry) *answer {
	a := &answer{Item: native.Item{ID: e.id, Created: e.created()}, places: map[string]int{}}
	a.Open = e.info.Raw("time", "completed") == nil && e.info.Raw("error") == nil
	s := step{entry: e, answer: a}
	for i := range e.parts {
		if p := &e.parts[i]; p.kind() == "step-start" {
			s.end(message.StopTools)
		} else {
			s.add(p)
		}
	}
	if failure := e.info.Raw("error"); failure != nil {
		s.parts = append(s.parts, message.Opaque{Format: tool, Raw: failure})
	}
	if s.usage == nil {
		s.usage = usageOf(e.info)
	}
	s.end(stopOf(e.info))
	return a
}

// step gathers one request's answer.
type step struct {
	entry   *entry
	answer  *answer
	wire    string
	parts   []message.Part
	results []message.Part
	usage   *history.Usage
	elided  []elided
	tasks   []string
}

func (s *step) add(p *part) {
	at := len(s.answer.Messages)
	switch p.kind() {
	case "text":
		if t := (message.Text{Text: p.text(), Signature: s.signature(p)}); t.Text != "" || t.Signature != "" {
			s.parts = append(s.parts, t)
		}
	case "reasoning":
		s.reasoning(p)
	case "tool":
		s.tool(p)
	case "file":
		s.parts = append(s.parts, fileOf(p.Object))
	case "step-finish":
		s.usage = usageOf(p.Object)
	case "snapshot": // names a state of the files in opencode's own repository
	default:
		s.parts = append(s.parts, message.Opaque{Format: tool, Raw: p.raw})
	}
	s.answer.places[p.id] = at
}

// signature returns the thought signature that a part of Gemini's bears.
func (s *step) signature(p *part) string {
	for _, provider := range []string{"google", "vertex"} {
		if signature := p.Text("metadata", provider, "thoughtSignature"); signature != "" {
			s.wire = native.WireGemini
			return signature
		}
	}
	return ""
}

func (s *step) reasoning(p *part) {
	if data := p.Text("metadata", "anthropic", "redactedData"); data != "" {
		s.wire = native.WireAnthropic
		s.parts = append(s.parts, message.RedactedThinking{Data: data})
		return
	}
	thinking := message.Thinking{Text: p.text()}
	for _, provider := range []struct{ name, member, wire string }{
		{"anthropic", "signature", native.WireAnthropic},
		{"bedrock", "signature", native.WireAnthropic},
		{"openai", "reasoningEncryptedContent", native.WireResponses},
		{"azure", "reasoningEncryptedContent", native.WireResponses},
	} {
		if signature := p.Text("metadata", provider.name, provider.member); signature != "" {
			thinking.Signature, s.wire = signature, provider.wire
		}
	}
	if signature := s.signature(p); signature != "" {
		thinking.Signature = signature
	}
	if thinking.Text != "" || thinking.Signature != "" {
		s.parts = append(s.parts, thinking)
	}
}

// end closes the step, if there is anything in it.
func (s *step) end(stop message.Stop) {
	a := s.answer
	if len(s.parts) > 0 {
		model := s.entry.model()
		if s.wire == "" {
			s.wire = native.Wire(s.entry.info.Text("providerID"), model)
		}
		for _, session := range s.tasks {
			a.tasks = append(a.tasks, task{session: session, in: len(a.Messages)})
		}
		a.Messages = append(a.Messages, message.Message{
			Role: message.Assistant, Author: message.ByModel, Parts: s.parts,
			Wire: s.wire, Model: model, Stop: stop,
		})
		a.usage = append(a.usage, s.usage)
	}
	if len(s.results) > 0 {
		for _, e := range s.elided {
			e.in = len(a.Messages)
			a.elided = append(a.elided, e)
		}
		a.Messages = append(a.Messages, message.Message{Role: message.Tool, Author: message.ByTool, Parts: s.results})
	}
	*s = step{entry: s.entry, answer: a}
}

func stopOf(info native.Object) message.Stop {
	switch info.Text("error", "name") {
	case "":
	case "MessageAbortedError":
		return message.StopAborted
	case "MessageOutputLengthError":
		return message.StopLength
	default:
		return message.StopError
	}
	switch finish := info.Text("finish"); finish {
	case "stop":
		return message.StopEnd
	case "tool-calls":
		return message.StopTools
	case "content-filter":
		return message.StopRefusal
	default: // length and error are ours too
		return message.Stop(finish)
	}
}

// usageOf reads the tokens of a message or a step. Whether thinking is counted
// in the output differs by provider and version; where a total is given, it
// tells.
func usageOf(o native.Object) *history.Usage {
	u := history.Usage{
		Input:      o.Int("tokens", "input"),
		Output:     o.Int("tokens", "output"),
		Reasoning:  o.Int("tokens", "reasoning"),
		CacheRead:  o.Int("tokens", "cache", "read"),
		CacheWrite: o.Int("tokens", "cache", "write"),
		CostUSD:    costOf(o),
	}
	if u == (history.Usage{}) {
		return nil
	}
	if total := o.Int("tokens", "total"); total > 0 && u.Prompt()+u.Output+u.Reasoning == total {
		u.Output += u.Reasoning
	}
	return &u
}

// isDenied reports whether the error of a tool says that a person or a rule did
// not let it run, in opencode's words of 2025 and 2026.
func isDenied(text string) bool {
	return strings.Contains(text, "user rejected permission") || strings.Contains(text, "specified a rule which prevents")
}
