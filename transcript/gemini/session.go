package gemini

import (
	"fmt"
	"slices"
	"time"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/native"
)

// session is what the lines read so far come to.
type session struct {
	header native.Object
	nodes  []*node         // everything that was ever said, parents before children
	ids    map[string]bool // of all that was ever in the list
	items  []item          // what gemini-cli has now
	tip    *node           // what the next message continues from; nil at the beginning
}

// node is a message, or a compaction, at its place in the tree.
type node struct {
	parent *node
	line   int64
	id     string
	fields native.Object // of a message
	hides  []hiding      // of a compaction

	// What became of it, once it has been told.

	created time.Time
	records []transcript.Record
	last    string           // the latest record on the path to here
	results map[string]place // by call
}

// place is a result: a part of a record, counted from 1.
type place struct {
	record string
	part   int
}

// item is a message in gemini-cli's own list. The one it has instead of others
// is of no node: the compaction shows its text for theirs.
type item struct {
	id       string
	node     *node
	from, to *node // the nodes that it stands for
}

// before returns what stood before the item.
func (i item) before() *node { return i.from.parent }

// find returns the index of an item, -1 where there is none.
func (s *session) find(id string) int {
	if s.ids[id] {
		for at, i := range slices.Backward(s.items) { // lines are mostly about the latest
			if i.id == id {
				return at
			}
		}
	}
	return -1
}

func newSession() *session { return &session{header: native.Object{}, ids: map[string]bool{}} }

// line takes an object of a file of lines, or a message of a document.
func (s *session) line(o native.Object, line int64) error {
	switch {
	case o["$rewindTo"] != nil:
		s.rewind(o.Text("$rewindTo"))
	case o["$set"] != nil:
		set, err := native.ReadObject(o["$set"])
		if err != nil {
			return err
		}
		return s.set(set, line)
	case o["$patch"] != nil:
		patch, err := native.ReadObject(o["$patch"])
		if err != nil {
			return err
		}
		if at := s.find(patch.Text("id")); at >= 0 && s.items[at].node != nil {
			s.update(at, patch, line)
		}
	case o.Text("id") != "":
		if at := s.find(o.Text("id")); at >= 0 && s.items[at].node != nil {
			s.update(at, o, line)
		} else {
			s.add(o, line)
		}
	case o.Text("sessionId") != "":
		s.describe(o)
	}
	return nil
}

func (s *session) describe(o native.Object) {
	for key, value := range o {
		if key != "messages" {
			s.header[key] = value
		}
	}
}

// add continues with a new message. Its id may be that of one on a branch that
// was left.
func (s *session) add(fields native.Object, line int64) {
	id := fields.Text("id")
	for s.ids[id] {
		id = fmt.Sprintf("%s@%d", id, line)
	}
	s.ids[id] = true
	n := &node{parent: s.tip, line: line, id: id, fields: fields}
	s.nodes = append(s.nodes, n)
	s.items = append(s.items, item{id: fields.Text("id"), node: n, from: n, to: n})
	s.tip = n
}

// rewind drops a message and all after it; one that is not there drops all.
func (s *session) rewind(id string) {
	at := max(s.find(id), 0)
	if len(s.items) > 0 {
		s.tip = s.items[at].before()
	}
	s.items = s.items[:at]
}

// set changes what the header says, or replaces the list of messages.
func (s *session) set(set native.Object, line int64) error {
	s.describe(set)
	list, err := set.Elements("messages")
	switch {
	case err != nil || set.Raw("messages") == nil:
		return err
	case len(list) == 0:
		s.rewind("") // all of it
		return nil
	}
	messages := make([]native.Object, len(list))
	for i, raw := range list {
		if messages[i], err = native.ReadObject(raw); err != nil {
			return err
		}
	}
	s.replace(messages, line)
	return nil
}

// update takes another version of a message. The last one is still written, and
// changes. What stands before it has been sent: it stays as it was, but for
// results that it lacked; what the model sees of it from now on is a compaction.
func (s *session) update(at int, version native.Object, line int64) {
	if hides := s.merge(at, version); len(hides) > 0 {
		s.compact(hides, line)
	}
}

// merge does the work of [session.update], and returns what changed of a
// message that stays as it was.
func (s *session) merge(at int, version native.Object) []hiding {
	n := s.items[at].node
	if at == len(s.items)-1 {
		for key, value := range version {
			n.fields[key] = value
		}
		return nil
	}
	var hides []hiding
	old, changed := n.calls(), false
	for _, call := range (&node{id: n.id, fields: version}).calls() {
		i := slices.IndexFunc(old, func(c toolCall) bool { return c.id == call.id })
		switch {
		case i < 0 || call.result == nil:
		case old[i].result == nil:
			changed = true
		case !sameJSON(old[i].result, call.result):
			hides = append(hides, hiding{from: n, to: n, call: call.id, text: call.text()})
		}
	}
	if changed && len(hides) == 0 {
		n.fields["toolCalls"] = version["toolCalls"]
	}
	if now, was := textOf(version["content"]), textOf(n.fields["content"]); version["content"] != nil && now != was && was != "" {
		hides = append(hides, hiding{from: n, to: n, text: now})
	}
	if version.Raw("tokens") != nil {
		n.fields["tokens"] = version["tokens"]
	}
	return hides
}

// compact adds a compaction.
func (s *session) compact(hides []hiding, line int64) {
	s.tip = &node{parent: s.tip, line: line, hides: hides}
	s.nodes = append(s.nodes, s.tip)
}

// sameJSON compares two values as JSON.stringify writes them.
func sameJSON(a, b []byte) bool {
	return string(a) == string(b) || rawjson.IsNull(a) && rawjson.IsNull(b)
}
