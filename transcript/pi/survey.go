package pi

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/transcript"
)

// about is what must be known before the first record: some of it stands at
// the end of a file.
type about struct {
	transcript.Conversation
	// lists says that the entries have no ids: each continues from the one
	// before (version 1).
	lists bool
	// labels are the names that entries have in the end.
	labels map[string]string
}

// survey reads what the lines of a file say of the session.
func survey(ctx context.Context, f *transcript.File) (about, error) {
	a := about{lists: true, labels: map[string]string{}}
	var names transcript.Chain
	for o, err := range transcript.Objects(ctx, f, func(transcript.Problem) {}) {
		if err != nil {
			return a, err
		}
		a.learn(o.Data)
		if a.ID == "" { // the header is lost
			a.ID = names.Next(o.Data)
		}
	}
	return a, nil
}

func (a *about) learn(line []byte) {
	var kind, id, target, label, title string
	var message []byte
	_ = rawjson.Members(line, func(key string, v []byte) error {
		switch key {
		case "type":
			kind = rawjson.Text(v)
		case "timestamp":
			if a.Created.IsZero() {
				a.Created = transcript.Time(v)
			}
		case "id":
			id = rawjson.Text(v)
		case "cwd":
			a.Directory = rawjson.Text(v)
		case "modelId":
			a.Model = rawjson.Text(v)
		case "name", "title":
			title = rawjson.Text(v)
		case "parentSession", "branchedFrom":
			a.ForkedFrom.Conversation = sessionOf(rawjson.Text(v))
		case "targetId":
			target = rawjson.Text(v)
		case "label":
			label = rawjson.Text(v)
		case "message":
			message = v
		}
		return nil
	})
	switch {
	case kind == "session":
		a.ID, a.Title = cmp.Or(a.ID, id), title
		return
	case id != "":
		a.lists = false
	}
	switch {
	case kind == "session_info":
		a.Title = title
	case kind == "label" && label == "":
		delete(a.labels, target)
	case kind == "label":
		a.labels[target] = label
	case message != nil:
		if model := rawjson.Get(message, "model"); model != nil {
			a.Model = rawjson.Text(model)
		}
	}
}

// sessionOf returns the id of a session that is named by its file.
func sessionOf(file string) string {
	base := strings.TrimSuffix(filepath.Base(strings.ReplaceAll(file, `\`, "/")), ".jsonl")
	if base == "." {
		return ""
	}
	return base[strings.LastIndexByte(base, '_')+1:]
}
