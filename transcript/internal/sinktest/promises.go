package sinktest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
)

// Grows checks that importing one state of a tool's file and then a later one
// comes to the same path as importing the later one alone.
func Grows(tb testing.TB, earlier, later *Recording) {
	tb.Helper()
	s := store{}
	s.add(earlier)
	s.add(later)
	for _, t := range later.Trees {
		want := ids(t.Path(t.Tip))
		if got := s.path(t.ID, t.Tip); !slices.Equal(got, want) {
			tb.Errorf("conversation %s: the path is\n%q, want\n%q", t.ID, got, want)
		}
	}
	if added := s.add(later); added != 0 {
		tb.Errorf("importing again added %d records", added)
	}
}

// store keeps the parent of each record, as it was first imported.
type store map[[2]string]string

func (s store) add(r *Recording) (added int) {
	for _, t := range r.Trees {
		for _, record := range t.Records {
			key := [2]string{t.ID, record.ID}
			if _, ok := s[key]; !ok {
				s[key] = record.Parent
				added++
			}
		}
	}
	return added
}

func (s store) path(conversation, tip string) []string {
	var path []string
	for ; tip != ""; tip = s[[2]string{conversation, tip}] {
		path = append(path, tip)
	}
	slices.Reverse(path)
	return path
}

func ids(path []transcript.Record) []string {
	var names []string
	for _, r := range path {
		names = append(names, r.ID)
	}
	return names
}

// Pairing pairs the calls and results on a path, as an import leaves them.
func Pairing(path []transcript.Record) message.Pairing {
	return message.Pair(func(yield func(*message.Message) bool) {
		for _, r := range path {
			if r.Message != nil && !yield(r.Message) {
				return
			}
		}
	})
}

// Unanswered describes the calls without a result and the results without a
// call on a path.
func Unanswered(path []transcript.Record) []string {
	pairing := Pairing(path)
	var found []string
	for _, c := range pairing.Calls {
		if c.State != message.Answered {
			found = append(found, "call "+c.ID)
		}
	}
	for range pairing.Orphans {
		found = append(found, "orphan")
	}
	return found
}

// Outline writes a path as one line a record, for comparing with what stands in
// a file.
func Outline(path []transcript.Record) []string {
	var lines []string
	for _, r := range path {
		if r.Compaction != nil {
			line := "compaction"
			for _, t := range r.Compaction.Treatments {
				line += fmt.Sprintf(" %s..%s as %s", t.From, t.To, t.As)
				if t.Part > 0 {
					line += fmt.Sprintf(" part %d", t.Part)
				}
			}
			lines = append(lines, line)
			continue
		}
		line := string(r.Message.Role) + "/" + string(r.Message.Author)
		for _, p := range r.Message.Parts {
			line += " " + outlinePart(p)
		}
		lines = append(lines, line)
	}
	return lines
}

func outlinePart(p message.Part) string {
	switch p := p.(type) {
	case message.Text:
		return fmt.Sprintf("text:%.40q", p.Text)
	case message.Thinking:
		return fmt.Sprintf("thinking:%.20q", p.Text)
	case message.ToolCall:
		return "call:" + p.Name + ":" + p.ID
	case message.ToolResult:
		s := "result:" + p.CallID
		if p.Outcome != message.OK {
			s += ":" + string(p.Outcome)
		}
		return s
	case message.Image:
		return "image:" + p.Type + p.Name
	case message.Document:
		return "document:" + p.Type + ":" + p.Name
	case message.Opaque:
		return "opaque:" + p.Format
	}
	return fmt.Sprintf("%T", p)
}

// Fuzz runs a format over arbitrary files: none makes it panic or break the
// sink's contract, and the same file always gives the same records. open
// returns the file with a content, nil where it cannot be one.
func Fuzz(f *testing.F, format transcript.Format, open func(*testing.T, []byte) *transcript.File) {
	f.Fuzz(func(t *testing.T, content []byte) {
		file := open(t, content)
		if file == nil {
			return
		}
		format.Detect(file)
		first, err := Record(t.Context(), format, file)
		if len(first.Faults) > 0 {
			t.Fatal(err)
		}
		again, _ := Record(t.Context(), format, file)
		if !reflect.DeepEqual(first, again) {
			t.Fatal("reading again gives other records")
		}
	})
}

// InMemory opens a content for [Fuzz].
func InMemory(_ *testing.T, content []byte) *transcript.File { return File(content) }

// Stops checks that a format ends with the context's error.
func Stops(tb testing.TB, format transcript.Format, f *transcript.File) {
	tb.Helper()
	ctx, cancel := context.WithCancel(tb.Context())
	cancel()
	if _, err := Record(ctx, format, f); err == nil {
		tb.Error("reading went on though the context was cancelled")
	}
}
