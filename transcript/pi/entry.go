package pi

import (
	"fmt"
	"slices"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
)

// An entry is one line of the file.
type entry struct {
	line             int64
	raw              []byte
	kind, id         string
	parent           []byte // absent in a list, null at a root
	created          time.Time
	message, content []byte
	summary          string
	target           string
	firstKept        string // of a compaction: the id, or
	firstKeptIndex   []byte // in lists the index of the line
	tokensBefore     int64
}

func readEntry(o transcript.Object) entry {
	e := entry{line: o.Line, raw: o.Keep()}
	_ = rawjson.Members(e.raw, func(key string, v []byte) error {
		switch key {
		case "type":
			e.kind = rawjson.Text(v)
		case "id":
			e.id = rawjson.Text(v)
		case "parentId":
			e.parent = v
		case "timestamp":
			e.created = transcript.Time(v)
		case "message":
			e.message = v
		case "content":
			e.content = v
		case "summary":
			e.summary = rawjson.Text(v)
		case "targetId":
			e.target = rawjson.Text(v)
		case "firstKeptEntryId":
			e.firstKept = rawjson.Text(v)
		case "firstKeptEntryIndex":
			e.firstKeptIndex = v
		case "tokensBefore":
			e.tokensBefore = rawjson.Int(v)
		}
		return nil
	})
	return e
}

// A reader tells a sink the entries of a session as they come.
type reader struct {
	file  *transcript.File
	sink  transcript.Sink
	about about

	names   transcript.Chain
	begun   bool
	at      map[string]string // entries, and the records that what follows them continues from
	before  map[string]string // entries, and the records that they continue from
	lines   []string          // the same by line of a list, the header included
	up      map[string]string // records, and those that they continue from
	tip     string            // where the latest entry stands
	created time.Time
	labels  []transcript.Label
}

// entry takes one line in.
func (r *reader) entry(o transcript.Object) error {
	e := readEntry(o)
	if e.kind == "session" || e.kind == "" {
		if e.kind == "" {
			r.sink.Problem(transcript.Problem{Line: e.line, What: "it has no type; it is skipped"})
		}
		r.lines = append(r.lines, r.tip)
		return nil
	}
	if !r.begun {
		r.begun = true
		if err := r.sink.Conversation(r.about.Conversation); err != nil {
			return err
		}
	}
	if e.created.IsZero() {
		e.created = r.created
	}
	r.created = e.created
	if e.id == "" {
		e.id = r.names.Next(e.raw)
	}
	if _, again := r.at[e.id]; again {
		r.sink.Problem(transcript.Problem{Line: e.line, Record: e.id, What: "the id stands twice in the file; the second entry is skipped"})
		return nil
	}
	up := r.parentOf(&e)
	r.before[e.id], r.lines = up, append(r.lines, up)
	record := transcript.Record{ID: e.id, Parent: up, Created: e.created, Line: e.line}
	if !r.fill(&record, &e) { // it changes a setting
		r.at[e.id], r.tip = up, up
		return nil
	}
	r.at[e.id], r.up[e.id], r.tip = e.id, up, e.id
	return r.sink.Record(record)
}

// parentOf returns the record that an entry continues from.
func (r *reader) parentOf(e *entry) string {
	switch parent := rawjson.Text(e.parent); {
	case r.about.lists:
		return r.tip
	case parent == "":
		return ""
	default:
		up, known := r.at[parent]
		if !known {
			r.sink.Problem(transcript.Problem{Line: e.line, Record: e.id, What: fmt.Sprintf("it continues from %q, which is not in the file; it is attached to the entry before it", parent)})
			up = r.tip
		}
		return up
	}
}

// fill puts what an entry says into its record. It returns false for entries
// that are no part of the conversation.
func (r *reader) fill(record *transcript.Record, e *entry) bool {
	switch e.kind {
	case "model_change", "thinking_level_change", "session_info":
		return false
	case "label":
		r.label(e)
		return false
	case "message":
		m, err := transcript.DecodeMessage(e.message, func(data []byte) (message.Message, error) {
			m, usage, err := r.message(data)
			record.Usage = usage
			if err != nil {
				return message.Message{}, err
			}
			return *m, nil
		})
		if record.Message = &m; err != nil {
			r.sink.Problem(transcript.Problem{Line: e.line, Record: e.id, What: fmt.Sprintf("%v; it is kept as a record that no model gets", err)})
			record.Message = transcript.Silent(Name, e.raw)
		}
	case "compaction":
		r.compaction(record, e)
	case "branch_summary":
		record.Message = said(message.ByDigest, e.summary)
	case "custom_message":
		parts, err := r.parts(e.content)
		record.Message = &message.Message{Role: message.User, Author: message.ByHarness, Parts: parts}
		if err != nil || len(parts) == 0 {
			record.Message = transcript.Silent(Name, e.raw)
		}
	default: // an extension's state, and kinds of later versions
		record.Message = transcript.Silent(Name, e.raw)
	}
	return true
}

// compaction hides what came before the first entry that the tool kept.
func (r *reader) compaction(record *transcript.Record, e *entry) {
	to, known := r.before[e.firstKept]
	if i := int(rawjson.Int(e.firstKeptIndex)); len(e.firstKeptIndex) > 0 && i >= 0 && i < len(r.lines)-1 {
		to, known = r.lines[i], true
	}
	if !known {
		to = record.Parent
		if e.firstKept != "" {
			r.sink.Problem(transcript.Problem{Line: e.line, Record: e.id, What: fmt.Sprintf("the compaction kept what follows from %q on, which is not in the file; it hides everything before it", e.firstKept)})
		}
	}
	if to == "" || e.summary == "" || !r.above(to, record.Parent) {
		record.Message = said(message.ByHarness, e.summary) // it hides nothing
		return
	}
	record.Compaction = &transcript.Compaction{
		Treatments: []transcript.Treatment{{To: to, As: history.AsSummary, Text: e.summary}},
		Reason:     history.Reason{Before: e.tokensBefore, Note: Name},
	}
}

// above reports whether a record is on the path that ends at tip.
func (r *reader) above(record, tip string) bool {
	for tip != "" && tip != record {
		tip = r.up[tip]
	}
	return tip != ""
}

// label keeps the name that an entry has in the end.
func (r *reader) label(e *entry) {
	name, record := r.about.labels[e.target], r.at[e.target]
	if name == "" || record == "" {
		return
	}
	r.labels = slices.DeleteFunc(r.labels, func(l transcript.Label) bool { return l.Record == record })
	r.labels = append(r.labels, transcript.Label{Name: name, Record: record, Created: e.created})
}

// finish tells what is known only in the end. The tool continues where its
// latest entry stands.
func (r *reader) finish() error {
	for _, l := range r.labels {
		if err := r.sink.Label(l); err != nil {
			return err
		}
	}
	if r.tip == "" {
		return nil
	}
	return r.sink.Tip(r.tip)
}

func said(by message.Author, text string) *message.Message {
	return &message.Message{Role: message.User, Author: by, Parts: []message.Part{message.Text{Text: text}}}
}
