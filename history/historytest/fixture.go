package historytest

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// fixture is a store under test with the calls that must succeed.
type fixture struct {
	*testing.T
	history.Store
}

var none history.ID

// create stores an empty conversation.
func (f fixture) create() history.ID {
	f.Helper()
	c := history.Conversation{ID: history.NewID(), Title: "a title", Created: time.Now()}
	f.must(f.Create(f.Context(), c))
	return c.ID
}

func (f fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// refuses wants an error that is target.
func (f fixture) refuses(err, target error) {
	f.Helper()
	if !errors.Is(err, target) {
		f.Errorf("error %v, want %v", err, target)
	}
}

func (f fixture) conversation(id history.ID) history.Conversation {
	f.Helper()
	c, err := f.Conversation(f.Context(), id)
	f.must(err)
	return c
}

// append stores entries at the tip.
func (f fixture) append(conversation history.ID, entries ...history.Entry) []history.Entry {
	f.Helper()
	tip := f.conversation(conversation).Tip
	return f.appendAt(conversation, tip, tip, entries...)
}

func (f fixture) appendAt(conversation, parent, expected history.ID, entries ...history.Entry) []history.Entry {
	f.Helper()
	stored, err := f.Append(f.Context(), history.AppendRequest{
		Conversation: conversation, Parent: parent, ExpectedTip: expected, Entries: entries,
	})
	f.must(err)
	return stored
}

func (f fixture) boundary(conversation, entry history.ID) history.Boundary {
	f.Helper()
	b, err := history.BoundaryAt(f.Context(), f, conversation, entry)
	f.must(err)
	return b
}

func (f fixture) fork(conversation, at history.ID) history.Conversation {
	f.Helper()
	c, err := f.Fork(f.Context(), history.ForkRequest{At: f.boundary(conversation, at)})
	f.must(err)
	return c
}

func (f fixture) doImport(r history.ImportRequest) history.ImportResult {
	f.Helper()
	result, err := f.Import(f.Context(), r)
	f.must(err)
	return result
}

func (f fixture) path(conversation, tip history.ID) []history.Entry {
	f.Helper()
	return collect(f, f.Path(f.Context(), history.PathQuery{Conversation: conversation, Tip: tip}))
}

func (f fixture) nodes(conversation history.ID) []history.Node {
	f.Helper()
	return collect(f, f.Nodes(f.Context(), conversation))
}

func (f fixture) mark(conversation, entry history.ID, name string) history.Checkpoint {
	f.Helper()
	m, err := f.Mark(f.Context(), f.boundary(conversation, entry), history.Checkpoint{Name: name, SetBy: message.ByPerson})
	f.must(err)
	return m
}

func (f fixture) index() {
	f.Helper()
	left, err := f.Index(f.Context(), 1<<20)
	f.must(err)
	if left != 0 {
		f.Fatalf("%d bodies are not indexed", left)
	}
}

// checkStore wants the store to find nothing wrong with itself.
func (f fixture) checkStore() {
	f.Helper()
	for p, err := range f.Check(f.Context(), false) {
		f.must(err)
		f.Errorf("check: %+v", p)
	}
}

func collect[T any](f fixture, seq iter.Seq2[T, error]) []T {
	f.Helper()
	all, err := history.Collect(seq)
	f.must(err)
	return all
}

// texts lists entries by their words.
func texts(entries []history.Entry) []string {
	var all []string
	for i := range entries {
		all = append(all, history.Preview(&entries[i]))
	}
	return all
}

func ids(entries []history.Entry) []history.ID {
	var all []history.ID
	for _, e := range entries {
		all = append(all, e.ID)
	}
	return all
}

func equal(f fixture, what string, got, want any) {
	f.Helper()
	if !reflect.DeepEqual(got, want) {
		f.Errorf("%s is\n%+v, want\n%+v", what, got, want)
	}
}

// prompt is an entry with a person's words.
func prompt(text string) history.Entry {
	m := message.Prompt(text)
	return history.Entry{Message: &m}
}

// answer is an entry with a model's words.
func answer(text string) history.Entry {
	return history.Entry{Message: &message.Message{
		Role: message.Assistant, Author: message.ByModel, Wire: "anthropic", Model: "m", Stop: message.StopEnd,
		Parts: []message.Part{message.Text{Text: text}},
	}}
}

// turn is an answer with tool calls, and the results in an entry each.
func turn(calls ...string) []history.Entry {
	m := &message.Message{Role: message.Assistant, Author: message.ByModel, Wire: "anthropic", Model: "m", Stop: message.StopTools}
	entries := []history.Entry{{Message: m}}
	for i, name := range calls {
		id := fmt.Sprintf("call_%d", i)
		m.Parts = append(m.Parts, message.ToolCall{ID: id, Name: "bash", Arguments: []byte(`{"command":"` + name + `"}`)})
		result := message.Results(message.ToolResult{CallID: id, Content: []message.Content{message.Text{Text: "ran " + name}}})
		entries = append(entries, history.Entry{Message: &result})
	}
	return entries
}

// compaction is an entry that hides the entries 1 to depth.
func compaction(depth int) history.Entry {
	return history.Entry{Compaction: &history.Compaction{
		Treatments: []history.Treatment{{
			From: history.Handle{Depth: 1}, To: history.Handle{Depth: depth}, As: history.AsSummary, Text: "what happened so far",
		}},
		Reason: history.Reason{Trigger: history.ByCommand, Before: 900, After: 90},
	}}
}

// imported is a chain of entries as an import brings it: settled, with sources
// and ids that are made from names.
func imported(conversation history.ID, names ...string) []history.Entry {
	var entries []history.Entry
	parent := none
	for _, name := range names {
		e := prompt(name)
		e.ID, e.Parent, e.Source, e.Created = sourceID(conversation, name), parent, name, sourceTime
		entries, parent = append(entries, e), e.ID
	}
	return entries
}

var sourceTime = time.Date(2025, 1, 2, 3, 4, 5, 6000, time.UTC)

func sourceID(conversation history.ID, name string) history.ID {
	return history.SourceID(sourceTime, conversation.String(), name)
}

func importedConversation() history.Conversation {
	return history.Conversation{ID: history.NewID(), Source: history.Source{Tool: "pi", ID: history.NewID().String()}, Created: sourceTime}
}

func sortedIDs(all []history.ID) []history.ID {
	return slices.SortedFunc(slices.Values(all), func(a, b history.ID) int { return slices.Compare(a[:], b[:]) })
}
