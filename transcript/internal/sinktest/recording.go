// Package sinktest tests formats: a sink that records what a format tells it
// and holds it to the sink's contract, and what formats promise in common.
package sinktest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
)

// A Recording is what a format told its sink.
type Recording struct {
	Trees    []*Tree
	Problems []transcript.Problem
	// Faults are breaches of the sink's contract.
	Faults []string
}

// A Tree is one conversation.
type Tree struct {
	transcript.Conversation
	Records []transcript.Record
	Labels  []transcript.Label
	Tip     string

	at    map[string]int // index of each record
	depth map[string]int
}

// Record returns a record by its id. It fails the test where there is none.
func (t *Tree) Record(tb testing.TB, id string) transcript.Record {
	tb.Helper()
	i, ok := t.at[id]
	if !ok {
		tb.Fatalf("no record %q", id)
	}
	return t.Records[i]
}

// Path returns the records from the root to one of them.
func (t *Tree) Path(tip string) []transcript.Record {
	path := make([]transcript.Record, t.depth[tip])
	for i := range path {
		r := t.Records[t.at[tip]]
		path[len(path)-1-i] = r
		tip = r.Parent
	}
	return path
}

// Tree returns the conversation with that id. It fails the test where there is
// none.
func (r *Recording) Tree(tb testing.TB, id string) *Tree {
	tb.Helper()
	for _, t := range r.Trees {
		if t.ID == id {
			return t
		}
	}
	tb.Fatalf("no conversation %q", id)
	return nil
}

// Record runs a format over a file. A breach of the contract is an error.
func Record(ctx context.Context, format transcript.Format, f *transcript.File) (*Recording, error) {
	r := &Recording{}
	if err := format.Read(ctx, f, (*sink)(r)); err != nil {
		return r, err
	}
	for _, t := range r.Trees {
		if t.Tip == "" && len(t.Records) > 0 {
			t.Tip = t.Records[len(t.Records)-1].ID
		}
	}
	return r, r.fault()
}

func (r *Recording) fault() error {
	if len(r.Faults) > 0 {
		return fmt.Errorf("the sink's contract is broken: %q", r.Faults)
	}
	return nil
}

// Check holds records to the sink's contract.
func Check(records ...transcript.Record) error {
	s := &sink{}
	_ = s.Conversation(transcript.Conversation{ID: "checked"})
	for _, r := range records {
		_ = s.Record(r)
	}
	return (*Recording)(s).fault()
}

// Read records the file at path. The format must recognise it.
func Read(tb testing.TB, format transcript.Format, path string) *Recording {
	tb.Helper()
	f, closer, err := transcript.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	r := read(tb, format, f)
	if err := closer.Close(); err != nil {
		tb.Error(err)
	}
	return r
}

// ReadBytes records a file with that content. The format must recognise it.
func ReadBytes(tb testing.TB, format transcript.Format, content []byte) *Recording {
	tb.Helper()
	return read(tb, format, File(content))
}

func read(tb testing.TB, format transcript.Format, f *transcript.File) *Recording {
	tb.Helper()
	if !format.Detect(f) {
		tb.Fatalf("%s does not recognise %s", format.Name(), f.Path)
	}
	r, err := Record(tb.Context(), format, f)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// File returns a file that is not on a disk.
func File(content []byte) *transcript.File {
	return &transcript.File{
		Path:     "in-memory",
		Size:     int64(len(content)),
		Head:     content[:min(len(content), transcript.HeadLen)],
		ReaderAt: bytes.NewReader(content),
	}
}

// Bytes returns the content of a file.
func Bytes(tb testing.TB, path string) []byte {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// sink is a Recording that takes records.
type sink Recording

func (s *sink) fault(format string, args ...any) {
	s.Faults = append(s.Faults, fmt.Sprintf(format, args...))
}

func (s *sink) Conversation(c transcript.Conversation) error {
	if c.ID == "" {
		s.fault("a conversation has no id")
	}
	s.Trees = append(s.Trees, &Tree{Conversation: c, at: map[string]int{}, depth: map[string]int{}})
	return nil
}

func (s *sink) Record(r transcript.Record) error {
	if len(s.Trees) == 0 {
		s.fault("record %q came before a conversation", r.ID)
		return nil
	}
	t := s.Trees[len(s.Trees)-1]
	if r.ID == "" {
		s.fault("a record has no id")
		return nil
	}
	if _, again := t.at[r.ID]; again { // as the import does
		s.Problem(transcript.Problem{Record: r.ID, What: "the id stands twice"})
		return nil
	}
	if _, ok := t.at[r.Parent]; !ok && r.Parent != "" {
		s.fault("record %q continues from %q, which was not given", r.ID, r.Parent)
	}
	if (r.Message == nil) == (r.Compaction == nil) {
		s.fault("record %q is not one of message and compaction", r.ID)
		return nil
	}
	if r.Compaction != nil {
		s.compaction(t, r)
	} else {
		s.message(r)
	}
	t.at[r.ID], t.depth[r.ID] = len(t.Records), t.depth[r.Parent]+1
	t.Records = append(t.Records, r)
	return nil
}

// message checks that a message can be stored and read back.
func (s *sink) message(r transcript.Record) {
	body, _ := message.Encode(*r.Message)
	if _, err := message.Decode(body, func(message.Hash) ([]byte, error) { return nil, nil }); err != nil {
		s.fault("record %q: %v", r.ID, err)
	}
	if r.Message.Author == "" || len(r.Message.Parts) == 0 && r.Message.Role != message.Assistant { // answers may fail before the first part
		s.fault("record %q has no author or no parts", r.ID)
	}
}

// compaction checks that the treatments are of the record's own path.
func (s *sink) compaction(t *Tree, r transcript.Record) {
	onPath := map[string]int{"": t.depth[r.Parent]}
	for _, p := range t.Path(r.Parent) {
		onPath[p.ID] = t.depth[p.ID]
	}
	c := history.Compaction{}
	for _, treatment := range r.Compaction.Treatments {
		from, to := onPath[treatment.From], onPath[treatment.To]
		if treatment.From == "" {
			from = 1
		}
		if treatment.Part != 0 {
			to = from
		}
		if from == 0 || to == 0 {
			s.fault("compaction %q treats %q to %q, which are not on its path", r.ID, treatment.From, treatment.To)
		}
		c.Treatments = append(c.Treatments, history.Treatment{
			From: history.Handle{Depth: from, Part: treatment.Part},
			To:   history.Handle{Depth: to, Part: treatment.Part},
			As:   treatment.As,
			Text: treatment.Text,
		})
	}
	if err := c.Validate(); err != nil {
		s.fault("compaction %q: %v", r.ID, err)
	}
	if len(c.Treatments) == 0 {
		s.fault("compaction %q treats nothing", r.ID)
	}
}

func (s *sink) Label(l transcript.Label) error {
	t := s.Trees[len(s.Trees)-1]
	if _, ok := t.at[l.Record]; !ok {
		s.fault("the label %q names %q, which was not given", l.Name, l.Record)
	}
	t.Labels = append(t.Labels, l)
	return nil
}

func (s *sink) Tip(record string) error {
	t := s.Trees[len(s.Trees)-1]
	if _, ok := t.at[record]; !ok {
		s.fault("the tip %q was not given", record)
	}
	t.Tip = record
	return nil
}

func (s *sink) Problem(p transcript.Problem) {
	if p.What == "" {
		s.fault("a problem says nothing: %+v", p)
	}
	s.Problems = append(s.Problems, p)
}

func (s *sink) Progress(int64) {}
