package gemini

import (
	"fmt"
	"path/filepath"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/transcript"
)

// conversation returns what the header says. A session without one is named
// after its file.
func (s *session) conversation(f *transcript.File) transcript.Conversation {
	c := transcript.Conversation{
		ID:        s.header.Text("sessionId"),
		Title:     s.header.Text("summary"),
		Created:   transcript.Time(s.header.Raw("startTime")),
		Directory: directoryOf(f.Path),
	}
	if c.ID == "" {
		c.ID = "file:" + filepath.Base(f.Path)
	}
	for _, n := range s.nodes {
		if m := n.fields.Text("model"); m != "" {
			c.Model = m
		}
	}
	// Sub-agents are in a folder with the id of the session that called them.
	if parent := filepath.Dir(f.Path); s.header.Text("kind") == "subagent" && filepath.Base(filepath.Dir(parent)) == "chats" {
		c.SpawnedBy.Conversation = filepath.Base(parent)
	}
	if dirs, err := s.header.Elements("directories"); err == nil && c.Directory == "" && len(dirs) > 0 {
		c.Directory = rawjson.Text(dirs[0])
	}
	return c
}

// tell tells the sink the whole tree.
func (s *session) tell(f *transcript.File, sink transcript.Sink) error {
	if len(s.nodes) == 0 {
		return nil
	}
	if err := sink.Conversation(s.conversation(f)); err != nil {
		return err
	}
	results := &told{ids: map[string]bool{}}
	latest := ""
	for _, n := range s.nodes {
		if n.parent != nil {
			n.last, n.created = n.parent.last, n.parent.created
		}
		n.prepare(results, sink)
		for _, r := range n.records {
			r.Line = n.line
			if err := sink.Record(r); err != nil {
				return err
			}
			n.last, latest = r.ID, r.ID
		}
	}
	switch {
	case s.tip != nil && s.tip.last != "":
		return sink.Tip(s.tip.last)
	case latest != "":
		sink.Problem(transcript.Problem{What: "the session was taken back to before its first message; the tip stays at the last"})
	}
	return nil
}

// prepare makes the records of a node.
func (n *node) prepare(results *told, sink transcript.Sink) {
	if n.hides != nil {
		n.compaction()
		return
	}
	item, err := n.item(results)
	if err != nil {
		sink.Problem(transcript.Problem{Line: n.line, Record: n.id, What: fmt.Sprintf("the content is not understood, it is kept as it stands: %v", err)})
	}
	item.Parent, n.created = n.last, item.Created
	n.records = item.Records()
	n.results = map[string]place{}
	for _, r := range n.records {
		for part, result := range r.Message.Results {
			n.results[result.CallID] = place{r.ID, part + 1}
		}
	}
}

// compaction makes the record of a compaction, where it hides anything.
func (n *node) compaction() {
	c := &transcript.Compaction{Reason: history.Reason{Note: tool}}
	for _, h := range n.hides {
		if t, ok := h.treatment(); ok {
			c.Treatments = append(c.Treatments, t)
		}
	}
	if len(c.Treatments) > 0 {
		n.records = []transcript.Record{{ID: fmt.Sprintf("replaced/%d", n.line), Parent: n.last, Created: n.created, Compaction: c}}
	}
}

func (h *hiding) treatment() (transcript.Treatment, bool) {
	t := transcript.Treatment{As: history.AsStub, Text: h.text}
	if h.summary {
		t.As = history.AsSummary
	}
	if t.Text == "" {
		t.As, t.Text = history.AsTrimmed, "[gemini-cli dropped this part of the conversation; the original is kept]"
	}
	if h.call != "" {
		at, ok := h.from.results[h.call]
		t.From, t.Part = at.record, at.part
		return t, ok
	}
	for n := h.to; ; n = n.parent {
		if len(n.records) > 0 {
			if t.To == "" {
				t.To = n.records[len(n.records)-1].ID
			}
			t.From = n.records[0].ID
		}
		if n == h.from {
			return t, t.From != ""
		}
	}
}
