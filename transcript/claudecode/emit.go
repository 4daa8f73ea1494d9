package claudecode

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
)

// An emitter reads the lines again and tells them to a sink.
type emitter struct {
	*session
	ctx    context.Context
	sink   transcript.Sink
	told   []string        // by record: the id of its last message; empty until it is told
	billed map[string]bool // answers whose usage was counted
	read   int64           // how far into the file
}

// emit tells the sink all conversations of the file.
func (s *session) emit(ctx context.Context, sink transcript.Sink, links links) error {
	e := &emitter{session: s, ctx: ctx, sink: sink, told: make([]string, len(s.records)), billed: map[string]bool{}}
	members := make([][]int, len(s.trees))
	for n := range s.records {
		members[s.records[n].tree] = append(members[s.records[n].tree], n)
	}
	for t, records := range members {
		if len(records) == 0 {
			continue
		}
		if err := sink.Conversation(s.describe(t, records, links)); err != nil {
			return err
		}
		for _, n := range records {
			if err := e.withParents(n); err != nil {
				return err
			}
		}
		if err := e.tip(t, records); err != nil {
			return err
		}
	}
	return nil
}

// describe says what is known of a tree of the file.
func (s *session) describe(t int, records []int, links links) transcript.Conversation {
	agent := cmp.Or(s.trees[t].agent, s.agent)
	c := transcript.Conversation{
		ID:        s.conversation(s.trees[t].agent),
		Title:     s.title,
		Directory: s.cwd,
		Model:     s.model,
		Created:   s.created,
	}
	if agent == "" {
		c.ForkedFrom = s.forkedOf
		return c
	}
	c.Title, c.Model = links.title[agent], s.sideModel
	c.SpawnedBy = cmp.Or(links.by[agent], s.hangsOn(t, records), transcript.Link{Conversation: s.id})
	if t > 0 {
		c.Created = s.lines[s.records[records[0]].lines[0]].at
	}
	return c
}

// withParents tells a record, and before it what it continues from.
func (e *emitter) withParents(n int) error {
	var chain []int
	for ; n >= 0 && e.told[n] == ""; n = e.parent(n) {
		chain = append(chain, n)
	}
	for _, n := range slices.Backward(chain) {
		if err := e.ctx.Err(); err != nil {
			return err
		}
		if err := e.record(n); err != nil {
			return err
		}
	}
	return nil
}

// record tells one record: a message, several where a line holds words of
// several authors, or a compaction.
func (e *emitter) record(n int) error {
	r := &e.records[n]
	l := &e.lines[last(r.lines)]
	made := transcript.Record{ID: e.recordID(n), Created: l.at, Line: l.number}
	if p := e.parent(n); p >= 0 {
		made.Parent = e.told[p]
	}
	messages, err := e.messages(n, &made)
	if err != nil {
		return err
	}
	if made.Compaction != nil {
		messages = []message.Message{{}}
	}
	id := made.ID
	for k := range messages {
		made.ID = partID(id, k+1)
		if made.Compaction == nil {
			made.Message = &messages[k]
		}
		if err := e.sink.Record(made); err != nil {
			return err
		}
		made.Parent, made.Usage = made.ID, nil
		e.told[n] = made.ID
	}
	if read := l.Offset + int64(l.Size); read > e.read {
		e.read = read
		e.sink.Progress((e.file.Size + read) / 2)
	}
	return nil
}

// tip says where Claude Code would continue: after the last line of a
// conversation that a person, the model or a tool wrote, or where it noted
// after that line that it stands.
func (e *emitter) tip(t int, records []int) error {
	tip, latest := -1, -1
	for _, n := range records {
		r := &e.records[n]
		i := last(r.lines)
		switch {
		case r.kind == user && e.lines[i].meta, r.kind == silent, r.kind == broken:
		case i >= latest:
			tip, latest = e.at[i], i
		}
	}
	if hint := e.hint(t); hint >= 0 && e.records[hint].tree == t {
		tip = hint
	}
	if tip = e.end(tip); tip < 0 {
		return nil
	}
	return e.sink.Tip(e.told[tip])
}

// hint returns the record that the tool says it stands at. Where it names
// several branches, it says nothing.
func (e *emitter) hint(t int) int {
	hints := slices.Clone(e.hints)
	slices.Sort(hints)
	if hints = slices.Compact(hints); t > 0 || len(hints) != 1 {
		return -1
	}
	i, found := e.byID[hints[0]]
	if !found {
		return -1
	}
	return e.at[i]
}

// messages reads what a record says. A compaction goes into made.
func (e *emitter) messages(n int, made *transcript.Record) ([]message.Message, error) {
	r := &e.records[n]
	switch r.kind {
	case answer:
		m, usage, err := e.readAnswer(r)
		if err != nil {
			return nil, err
		}
		if id := e.lines[r.lines[0]].message; usage != nil && (id == "" || !e.billed[id]) {
			e.billed[id] = true
			made.Usage = usage
		}
		return []message.Message{m}, nil
	case silent, broken:
		return e.silent(r)
	}
	data, err := e.file.ReadObject(e.lines[r.lines[0]].Span)
	if err != nil {
		return nil, err
	}
	if r.kind == summary {
		return e.summary(n, data, made)
	}
	messages, problem := readUser(data, r, e.lines[r.lines[0]].meta)
	if problem != nil {
		e.problem(r.lines[0], fmt.Sprintf("%v; it is kept as a record that no model gets", problem))
		return e.silent(r)
	}
	return messages, nil
}

// silent keeps a line as it stands in the file.
func (e *emitter) silent(r *record) ([]message.Message, error) {
	data, err := e.file.ReadObject(e.lines[r.lines[0]].Span)
	if err != nil {
		return nil, err
	}
	return []message.Message{*transcript.Silent(Name, data)}, nil
}

// summary turns the text of a compaction into the compaction, where it hides
// something, and into a message where it is the beginning.
func (e *emitter) summary(n int, data []byte, made *transcript.Record) ([]message.Message, error) {
	messages, problem := readUser(data, &e.records[n], true)
	if problem != nil {
		return e.silent(&e.records[n])
	}
	if made.Parent == "" {
		return messages, nil
	}
	note, s := Name, e.shrinkOf(n)
	if s.trigger != "" {
		note += ", " + s.trigger
	}
	made.Compaction = &transcript.Compaction{
		Treatments: append([]transcript.Treatment{{As: history.AsSummary, Text: textOf(messages)}}, e.whole(n, s)...),
		Reason:     history.Reason{Before: s.before, After: s.after, Note: note},
	}
	return nil, nil
}
