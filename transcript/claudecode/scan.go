package claudecode

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/stemma-history/stemma/transcript"
)

// A session is what the first pass learns of a file.
type session struct {
	file   *transcript.File
	report func(transcript.Problem)

	lines []line
	byID  map[string]int // lines by their uuid

	id        string // the tool's
	agent     string // the sub-agent that the whole file is of, if it is one's
	cwd       string
	model     string // used last
	sideModel string // used last by a sub-agent
	title     string // the best so far
	titleRank int
	created   time.Time
	forkedOf  transcript.Link
	hints     []string          // where the tool says, after the last message, that it stands
	spawns    map[string]string // sub-agents, and the id of the call that started each

	records []record
	calls   map[string]int // the latest answer with a call of that id
	at      []int          // by line: the record that what follows continues from, or -1
	trees   []tree
}

// kind is what a line is to the conversation.
type kind uint8

const (
	through  kind = iota // nothing: parents pass through it
	silent               // a record that no model gets
	broken               // a message that cannot be read; kept as a silent record
	user                 // a message of the user role, by whomever
	results              // answers of tools, and perhaps more text
	answer               // part of an answer of the model
	boundary             // where a compaction begins; its parent is the last old line
	summary              // the text of a compaction
)

// A line is what the first pass keeps of one.
type line struct {
	transcript.Span
	number int64
	id     string // its uuid, or a name made from its place
	parent string
	at     time.Time
	kind   kind
	meta   bool // written by the program
	side   bool // of a sub-agent's chain inside the session's file
	agent  string

	up      int  // the line that it continues from, or -1
	dangles bool // that one is not known: it is attached to what stands before it

	message  string   // of an answer: the provider's id
	calls    []call   // of an answer
	answered []string // of results: the ids of the calls
	rest     bool     // of results: something else stands beside them
	prompt   uint64   // of a sub-agent's user line: hash of the text
	shrink   *shrink  // of a boundary
}

// A call is a tool call, as far as it may start a sub-agent.
type call struct {
	id     string
	prompt uint64 // hash of the prompt that it hands over, or 0
}

// shrink is what a boundary says of its compaction.
type shrink struct {
	trigger       string
	before, after int64
	whole         []string // uuids of what stays as it is
	head, tail    string   // of the first and the last that stays; the tool may continue from the last
}

// scan reads the file once.
func scan(ctx context.Context, f *transcript.File, report func(transcript.Problem)) (*session, error) {
	s := &session{file: f, byID: map[string]int{}, spawns: map[string]string{}, calls: map[string]int{}, report: report}
	objects := transcript.Objects(ctx, f, report)
	if isWebExport(f) {
		objects = webObjects(f)
	}
	var names transcript.Chain
	for o, err := range objects {
		if err != nil {
			return nil, err
		}
		s.add(o, &names)
	}
	s.identify()
	s.connect()
	s.grow()
	return s, nil
}

// add takes one line in.
func (s *session) add(o transcript.Object, names *transcript.Chain) {
	e, err := readEnvelope(o.Data)
	if err != nil {
		s.report(transcript.Problem{Line: o.Line, What: fmt.Sprintf("not read: %v", err)})
		return
	}
	if e.kind == "" && len(e.message) == 0 {
		s.report(transcript.Problem{Line: o.Line, What: "neither a message nor of a known type; it is skipped"})
		return
	}
	l := line{
		Span: o.Span, number: o.Line, up: -1,
		id: e.uuid, parent: e.parent, at: e.timestamp,
		side: e.sidechain, agent: e.agent, meta: e.meta,
	}
	if l.at.IsZero() && len(s.lines) > 0 {
		l.at = s.lines[len(s.lines)-1].at
	}
	problem := e.classify(&l)
	s.learn(&e, &l)
	if l.id == "" && l.kind == through {
		return // of no chain
	}
	if problem != "" {
		s.report(transcript.Problem{Line: o.Line, Record: l.id, What: problem + "; it is kept as a record that no model gets"})
	}
	s.place(l, o, names)
}

// place adds a line under its name. A line that stands twice is taken once
// (2026 versions write what a first compaction hid again at the second).
func (s *session) place(l line, o transcript.Object, names *transcript.Chain) {
	uuid := l.id
	known, again := s.byID[uuid]
	again = again && uuid != ""
	if again && s.lines[known].kind != broken {
		if first, err := s.file.ReadObject(s.lines[known].Span); err == nil && !bytes.Equal(first, o.Data) && l.kind != through {
			s.report(transcript.Problem{Line: o.Line, Record: uuid, What: fmt.Sprintf("line %d has the same uuid; this one is skipped", s.lines[known].number)})
		}
		return
	}
	if uuid == "" || l.kind == broken {
		l.id = names.Next(o.Data)
	}
	s.lines = append(s.lines, l)
	if uuid != "" {
		s.byID[uuid] = len(s.lines) - 1
	}
}

// learn takes what a line says of the session as a whole.
func (s *session) learn(e *envelope, l *line) {
	if s.created.IsZero() {
		s.created = l.at
	}
	if s.id == "" {
		s.id = e.session
	}
	if s.cwd == "" {
		s.cwd = e.cwd
	}
	if e.forkedSession != "" && s.forkedOf.Conversation == "" {
		s.forkedOf.Conversation = e.forkedSession
	}
	if e.forkedSession != "" {
		s.forkedOf.Record = e.forkedRecord // the last line that was copied
	}
	switch {
	case e.model == "" || e.model == synthetic:
	case e.sidechain:
		s.sideModel = e.model
	default:
		s.model = e.model
	}
	if agent, call := e.spawned(l); agent != "" && s.spawns[agent] == "" {
		s.spawns[agent] = call
	}
	switch {
	case e.leaf != "" && (e.kind == "summary" || e.kind == "last-prompt"):
		s.hints = append(s.hints, e.leaf)
	case (e.kind == "user" || e.kind == "assistant") && !e.sidechain && !e.meta:
		s.hints = nil
	}
	// A later title of the same rank replaces an earlier one; what the user
	// gave outranks what was generated.
	if rank := titleRanks[e.kind]; rank > 0 && e.title != "" && rank >= s.titleRank {
		if e.kind == "summary" {
			if _, here := s.byID[e.leaf]; !here {
				return // a summary of another session (a defect of 2025 versions)
			}
		}
		s.title, s.titleRank = e.title, rank
	}
}

var titleRanks = map[string]int{"summary": 1, "ai-title": 2, "custom-title": 3}

// synthetic is the model of answers that the program wrote.
const synthetic = "<synthetic>"
