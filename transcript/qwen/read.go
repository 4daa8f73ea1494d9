package qwen

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/native"
)

// Read implements [transcript.Format]. It goes through the file twice: the title
// and what the session came from may stand at its end.
func (Format) Read(ctx context.Context, f *transcript.File, sink transcript.Sink) error {
	c, err := survey(ctx, f)
	if err != nil {
		return err
	}
	main := newTeller(c, sink)
	agents := map[string][]record{}
	for o, err := range transcript.Objects(ctx, f, sink.Problem) {
		if err != nil {
			return err
		}
		r, err := newRecord(o.Keep(), o.Line)
		if err != nil {
			sink.Problem(transcript.Problem{Line: o.Line, What: fmt.Sprintf("not understood; it is skipped: %v", err)})
			continue
		}
		if r.Bool("isSidechain") { // a sub-agent's, which is a tree of its own
			agents[r.Text("agentId")] = append(agents[r.Text("agentId")], r)
			continue
		}
		if err := main.record(r); err != nil {
			return err
		}
		sink.Progress(o.Offset)
	}
	if err := main.end(); err != nil {
		return err
	}
	for _, agent := range slices.Sorted(maps.Keys(agents)) {
		records := agents[agent]
		t := newTeller(transcript.Conversation{
			ID: c.ID + "/" + agent, Title: records[0].Text("agentName"), Directory: c.Directory,
			Created: records[0].created(), SpawnedBy: transcript.Link{Conversation: c.ID},
		}, sink)
		for _, r := range records {
			if err := t.record(r); err != nil {
				return err
			}
		}
		if err := t.end(); err != nil {
			return err
		}
	}
	return nil
}

// survey returns what the records say of the session.
func survey(ctx context.Context, f *transcript.File) (transcript.Conversation, error) {
	var c transcript.Conversation
	for o, err := range transcript.Objects(ctx, f, func(transcript.Problem) {}) { // reported by the second reading
		if err != nil {
			return c, err
		}
		r, err := newRecord(o.Data, o.Line)
		if err != nil {
			continue
		}
		if c.ID == "" {
			c.ID, c.Created, c.Directory = r.Text("sessionId"), r.created(), r.Text("cwd")
		}
		if model := r.Text("model"); model != "" && !r.Bool("isSidechain") {
			c.Model = model
		}
		switch r.Text("subtype") {
		case "custom_title":
			c.Title = r.Text("systemPayload", "customTitle")
		case "parent_session":
			c.SpawnedBy.Conversation = r.Text("systemPayload", "parentSessionId")
		}
		if from := r.Text("forkedFrom", "sessionId"); from != "" && r.Raw("message") != nil {
			c.ForkedFrom = transcript.Link{Conversation: from, Record: r.Text("forkedFrom", "messageUuid")}
		}
	}
	return c, nil
}

// record is a line of the file.
type record struct {
	native.Object
	raw  []byte
	line int64
}

var errNoID = errors.New("expected a uuid and a sessionId")

func newRecord(raw []byte, line int64) (record, error) {
	o, err := native.ReadObject(raw)
	if err == nil && (o.Text("uuid") == "" || o.Text("sessionId") == "") {
		err = errNoID
	}
	return record{Object: o, raw: raw, line: line}, err
}
