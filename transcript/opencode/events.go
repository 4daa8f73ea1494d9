package opencode

import (
	"context"
	"errors"
	"slices"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/native"
)

// readEvents reads a log of events, one a line. Later events change what
// earlier ones told, so a session is told when the log has ended. Messages that
// opencode removed stand as a branch.
func readEvents(ctx context.Context, f *transcript.File, sink transcript.Sink) error {
	l := log{sessions: map[string]*logged{}}
	for o, err := range transcript.Objects(ctx, f, sink.Problem) {
		if err != nil {
			return err
		}
		kind, properties := event(o.Data)
		if properties == nil {
			continue
		}
		if err := l.event(kind, slices.Clone(properties)); err != nil {
			sink.Problem(transcript.Problem{Line: o.Line, What: "the event is not understood; it is skipped: " + err.Error()})
		}
		sink.Progress(o.Offset)
	}
	spawned := map[string]transcript.Link{}
	for _, s := range l.order {
		if err := s.tell(sink, spawned); err != nil {
			return err
		}
	}
	return nil
}

// event returns the kind and the properties of an event: {type, properties}, as
// opencode serves it, in the members event or payload where a program recorded
// more with it.
func event(data []byte) (kind string, properties []byte) {
	for key, value := range transcript.Peek(data) {
		switch key {
		case "event", "payload":
			return event(value)
		case "type":
			kind = rawjson.Text(value)
		case "properties":
			properties = value
		}
	}
	return kind, properties
}

// log is what a log of events comes to.
type log struct {
	sessions map[string]*logged
	order    []*logged
}

// logged is a session in a log.
type logged struct {
	session
	entries []*loggedEntry
	byID    map[string]*loggedEntry
}

type loggedEntry struct {
	entry
	parent  *loggedEntry // the message before it when it came
	removed bool
	last    string // the last record of it
}

func (l *log) session(id string) *logged {
	s, ok := l.sessions[id]
	if !ok {
		s = &logged{byID: map[string]*loggedEntry{}}
		s.ID = id
		l.sessions[id] = s
		l.order = append(l.order, s)
	}
	return s
}

var (
	errNoSession = errors.New("it names no session")
	errNoMessage = errors.New("it names no message")
)

func (l *log) event(kind string, data []byte) error {
	properties, err := native.ReadObject(data)
	if err != nil {
		return err
	}
	switch kind {
	case "session.created", "session.updated":
		info, err := native.ReadObject(properties.Raw("info"))
		if err != nil {
			return err
		}
		told := sessionOf(info)
		if told.ID == "" {
			return errNoSession
		}
		s := l.session(told.ID)
		told.Model = s.Model
		s.session = told
	case "message.updated":
		info, err := native.ReadObject(properties.Raw("info"))
		if err != nil {
			return err
		}
		return l.message(info)
	case "message.removed":
		if e := l.find(properties); e != nil {
			e.removed = true
		}
	case "message.part.updated":
		return l.part(properties.Raw("part"))
	case "message.part.removed":
		if e := l.find(properties); e != nil {
			e.parts = slices.DeleteFunc(e.parts, func(p part) bool { return p.id == properties.Text("partID") })
		}
	case "message.part.delta":
		if e := l.find(properties); e != nil && properties.Text("field") == "text" {
			if i := e.index(properties.Text("partID")); i >= 0 {
				e.parts[i].added = append(e.parts[i].added, properties.Text("delta")...)
			}
		}
	}
	return nil
}

func (l *log) message(info native.Object) error {
	id, session := info.Text("id"), info.Text("sessionID")
	if id == "" || session == "" {
		return errNoMessage
	}
	s := l.session(session)
	e := s.entry(id)
	e.info = info
	if m := e.model(); m != "" {
		s.Model = m
	}
	return nil
}

// entry returns a message of the session; a new one continues from the last
// that was not removed.
func (s *logged) entry(id string) *loggedEntry {
	if e, ok := s.byID[id]; ok {
		return e
	}
	e := &loggedEntry{entry: entry{id: id}, parent: s.latest()}
	s.byID[id] = e
	s.entries = append(s.entries, e)
	return e
}

func (s *logged) latest() *loggedEntry {
	for _, e := range slices.Backward(s.entries) {
		if !e.removed {
			return e
		}
	}
	return nil
}

func (l *log) part(raw []byte) error {
	p, err := newPart("", raw)
	if err != nil {
		return err
	}
	session, id := p.Text("sessionID"), p.Text("messageID")
	if session == "" || id == "" {
		return errNoMessage
	}
	e := l.session(session).entry(id)
	if i := e.index(p.id); i >= 0 {
		e.parts[i] = p
	} else {
		e.parts = append(e.parts, p)
	}
	return nil
}

// find returns the message that an event names, or nil.
func (l *log) find(properties native.Object) *loggedEntry {
	if s := l.sessions[properties.Text("sessionID")]; s != nil {
		return s.byID[properties.Text("messageID")]
	}
	return nil
}

func (e *loggedEntry) index(id string) int {
	return slices.IndexFunc(e.parts, func(p part) bool { return p.id == id })
}

// tell tells the sink the session.
func (s *logged) tell(sink transcript.Sink, spawned map[string]transcript.Link) error {
	t := newTeller(sink, s.session, spawned)
	var told *loggedEntry
	for _, e := range s.entries {
		if e.info == nil {
			sink.Problem(transcript.Problem{Record: e.id, What: "the log does not say whose message it is; it is skipped"})
			e.last = t.last
			continue
		}
		if e.parent != told {
			t.last, t.pending = "", nil // what was cleared is not on this path
			if e.parent != nil {
				t.last = e.parent.last
			}
		}
		if err := t.entry(&e.entry); err != nil {
			return err
		}
		e.last, told = t.last, e
	}
	latest := s.latest()
	if latest != nil && latest != told && latest.last != "" && !t.back {
		t.back, t.tip = true, latest.last
	}
	return t.end()
}
