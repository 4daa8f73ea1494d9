package reclaim

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

// session builds a path from calls: each is one turn.
type session struct{ path []history.Entry }

func (s *session) add(m message.Message) {
	s.path = append(s.path, history.Entry{ID: history.NewID(), Depth: len(s.path) + 1, Message: &m})
}

func (s *session) prompt() { s.add(message.Prompt("go on")) }

// call adds a call of tool with arguments and its result; it returns the handle
// of the result.
func (s *session) call(tool, arguments, result string) history.Handle {
	id := fmt.Sprintf("t%d", len(s.path))
	s.add(message.Message{Role: message.Assistant, Author: message.ByModel, Parts: []message.Part{message.ToolCall{ID: id, Name: tool, Arguments: []byte(arguments)}}})
	r := message.ToolResult{CallID: id, Content: []message.Content{message.Text{Text: result}}}
	if strings.HasPrefix(result, "error") {
		r.Outcome = message.Failed
	}
	s.add(message.Results(r))
	return history.Handle{Depth: len(s.path), Part: 1}
}

var long = strings.Repeat("line of a file\n", 100)

func TestShakeTakesReadsThatALaterCallSuperseded(t *testing.T) {
	for _, c := range []struct {
		name  string
		later func(*session)
		taken string // in the stub; empty: it stays
	}{
		{"read again", func(s *session) { s.call("Read", `{"file_path":"a.go"}`, long) }, "read again later (4.1)"},
		{"read again under another spelling", func(s *session) { s.call("view", `{"path":"./a.go"}`, long) }, "read again"},
		{"changed", func(s *session) { s.call("Edit", `{"file_path":"a.go"}`, "ok") }, "changed later (4.1)"},
		{"changed by an editor tool", func(s *session) { s.call("developer__text_editor", `{"command":"str_replace","path":"a.go"}`, "ok") }, "changed"},
		{"changed by a tool of a server", func(s *session) { s.call("mcp__fs__write_file", `{"path":"a.go"}`, "ok") }, "changed"},
		{"another file changed", func(s *session) { s.call("Edit", `{"file_path":"b.go"}`, "ok") }, ""},
		{"a change that failed", func(s *session) { s.call("Edit", `{"file_path":"a.go"}`, "error: no match") }, ""},
		{"a part read again", func(s *session) { s.call("Read", `{"file_path":"a.go","offset":3}`, long) }, ""},
		{"nothing", func(*session) {}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s session
			at := s.call("Read", `{"file_path":"a.go"}`, long)
			c.later(&s)
			s.prompt()
			compaction, savings := Shake(s.path, nil)
			if c.taken == "" {
				if compaction != nil {
					t.Fatalf("took %+v", savings)
				}
				return
			}
			if compaction == nil || len(compaction.Treatments) != 1 {
				t.Fatalf("compaction %+v", compaction)
			}
			if got := compaction.Treatments[0]; got.From != at || !strings.Contains(got.Text, c.taken) || !strings.Contains(got.Text, "recall 2.1") {
				t.Errorf("treatment %+v", got)
			}
			if err := compaction.Validate(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestShakeLeavesAlone(t *testing.T) {
	t.Run("the current exchange", func(t *testing.T) {
		var s session
		s.prompt()
		s.call("Read", `{"path":"a"}`, long)
		s.call("Read", `{"path":"a"}`, long)
		if c, _ := Shake(s.path, nil); c != nil {
			t.Errorf("took %+v", c.Treatments)
		}
	})
	var s session
	at := s.call("Read", `{"path":"a"}`, long)
	s.call("Read", `{"path":"a"}`, long)
	s.prompt()
	t.Run("pinned entries", func(t *testing.T) {
		if c, _ := Shake(s.path, []history.ID{s.path[at.Depth-1].ID}); c != nil {
			t.Errorf("took %+v", c.Treatments)
		}
	})
	t.Run("what is out of the view already", func(t *testing.T) {
		c, _ := Shake(s.path, nil)
		again := append(s.path[:len(s.path):len(s.path)], history.Entry{Compaction: c, Depth: len(s.path) + 1})
		if c, _ := Shake(again, nil); c != nil {
			t.Errorf("took %+v", c.Treatments)
		}
	})
	t.Run("small results", func(t *testing.T) {
		var s session
		s.call("Read", `{"path":"a"}`, "short")
		s.call("Read", `{"path":"a"}`, "short")
		s.prompt()
		if c, _ := Shake(s.path, nil); c != nil {
			t.Errorf("took %+v", c.Treatments)
		}
	})
}

func TestTheViewShowsStubsFromTheCompactionOn(t *testing.T) {
	var s session
	at := s.call("Read", `{"path":"a"}`, long)
	s.call("Write", `{"path":"a"}`, "ok")
	s.prompt()
	before := view(t, s.path)
	compaction, savings := Shake(s.path, nil)
	after := view(t, append(s.path[:len(s.path):len(s.path)], history.Entry{Compaction: compaction, Depth: len(s.path) + 1}))

	if len(before.Messages) != len(after.Messages) {
		t.Fatalf("%d messages became %d", len(before.Messages), len(after.Messages))
	}
	for i := range after.Messages {
		was, is := fmt.Sprintf("%+v", before.Messages[i]), fmt.Sprintf("%+v", after.Messages[i])
		if changed := was != is; changed != (i == at.Depth-1) {
			t.Errorf("message %d changed: %v", i, changed)
		}
		if i == at.Depth-1 && savings[0].Bytes != len(long) {
			t.Errorf("said to take %d bytes, took %d", savings[0].Bytes, len(long))
		}
	}
	if r := s.path[at.Depth-1].Message.Parts[0].(message.ToolResult); r.PlainText() != long {
		t.Error("the stored entry changed")
	}
}

func TestTheViewOfRangesImagesAndThinking(t *testing.T) {
	var s session
	s.prompt()
	s.call("bash", `{}`, "out")
	s.add(message.Message{Role: message.Assistant, Parts: []message.Part{message.Thinking{Text: "a"}, message.Text{Text: "b"}, message.Thinking{Text: "c"}}})
	s.path[3].Seals = []message.Hash{{1}, {2}}
	s.add(message.Results(message.ToolResult{CallID: "x", Content: []message.Content{message.Text{Text: "shot"}, message.Image{}, message.Image{}}}))
	s.path = append(s.path, history.Entry{Depth: 6, Compaction: &history.Compaction{Treatments: []history.Treatment{
		{From: history.Handle{Depth: 1}, To: history.Handle{Depth: 3}, As: history.AsSummary, Text: "summary"},
		{From: history.Handle{Depth: 4, Part: 1}, To: history.Handle{Depth: 4, Part: 1}, As: history.AsStub, Text: "thinking"},
		{From: history.Handle{Depth: 5, Part: 1}, To: history.Handle{Depth: 5, Part: 1}, As: history.AsImages, Text: "one\ntwo"},
	}}})
	v := view(t, s.path)
	if len(v.Messages) != 3 {
		t.Fatalf("%d messages", len(v.Messages))
	}
	if m := v.Messages[0]; m.PlainText() != "summary" || m.Author != message.ByHarness || m.At.Depth != 1 {
		t.Errorf("the range is shown as %+v", m)
	}
	if m := v.Messages[1]; len(m.Parts) != 2 || len(m.Seals) != 1 || m.Seals[0] != (message.Hash{2}) {
		t.Errorf("the answer is shown as %+v", m)
	}
	if r := v.Messages[2].Parts[0].(message.ToolResult); r.PlainText() != "shot\none\ntwo" {
		t.Errorf("the result is shown as %q", r.PlainText())
	}
}

// drawn has the pages of all tests here.
var drawn = sync.OnceValue(NewSheaf)

func view(t interface{ Fatal(...any) }, path []history.Entry) wire.View {
	v, err := View(path, drawn().Draw)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
