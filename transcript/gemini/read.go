package gemini

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/stemma-history/stemma/internal/jsonstream"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/native"
	"github.com/stemma-history/stemma/wire/gemini"
)

// readLines reads a file of lines. Later lines change what earlier ones said,
// so the session is told when all are read.
func readLines(ctx context.Context, f *transcript.File, sink transcript.Sink) error {
	s := newSession()
	for o, err := range transcript.Objects(ctx, f, sink.Problem) {
		if err != nil {
			return err
		}
		object, err := native.ReadObject(o.Keep())
		if err == nil {
			err = s.line(object, o.Line)
		}
		if err != nil {
			sink.Problem(transcript.Problem{Line: o.Line, What: fmt.Sprintf("not understood; it is skipped: %v", err)})
		}
		sink.Progress(o.Offset)
	}
	return s.tell(f, sink)
}

// readDocument reads a session that is one object; its header may stand behind
// its messages.
func readDocument(ctx context.Context, f *transcript.File, sink transcript.Sink) error {
	s := newSession()
	header := native.Object{}
	err := values(ctx, f, sink, func(v jsonstream.Value) error {
		if v.Index < 0 {
			header[v.Key] = v.Data
			return nil
		}
		o, err := native.ReadObject(v.Data)
		if err == nil && o.Text("id") == "" {
			err = errors.New("the message has no id")
		}
		if err != nil {
			return err
		}
		return s.line(o, int64(v.Index)+1)
	}, "messages")
	if err != nil {
		return err
	}
	s.describe(header)
	return s.tell(f, sink)
}

// readCheckpoint reads a list of contents, which have no ids or times.
func readCheckpoint(ctx context.Context, f *transcript.File, sink transcript.Sink) error {
	name := filepath.Base(f.Path)
	// The same tag may stand in several projects, each a folder.
	c := transcript.Conversation{ID: name + "@" + filepath.Base(filepath.Dir(f.Path)), Title: name}
	var chain transcript.Chain
	parent := ""
	lists := map[string][]jsonstream.Value{}
	err := values(ctx, f, sink, func(v jsonstream.Value) error {
		if v.Index >= 0 {
			lists[v.Key] = append(lists[v.Key], v)
		}
		return nil
	}, "history", "clientHistory")
	if err != nil {
		return err
	}
	list := lists[""]
	for _, key := range []string{"clientHistory", "history"} {
		if len(list) == 0 {
			list = lists[key]
		}
	}
	begun := false
	for _, v := range list {
		role, parts, err := decodeContent(v.Data)
		if err != nil {
			sink.Problem(transcript.Problem{Line: int64(v.Index) + 1, What: fmt.Sprintf("the content is not understood; it is skipped: %v", err)})
			continue
		}
		if len(parts) == 0 {
			continue
		}
		if !begun {
			begun = true
			if err := sink.Conversation(c); err != nil {
				return err
			}
		}
		item := native.Item{ID: chain.Next(v.Data), Parent: parent, Messages: gemini.SplitRoles(role, parts)}
		if m := &item.Messages[0]; m.Role == message.User && isPreface(m.Parts) {
			m.Author = message.ByHarness
		}
		for _, r := range item.Records() {
			if err := sink.Record(r); err != nil {
				return err
			}
			parent = r.ID
		}
	}
	return nil
}

func decodeContent(data []byte) (role string, parts []message.Part, err error) {
	o, err := native.ReadObject(data)
	if err != nil {
		return "", nil, err
	}
	parts, err = gemini.DecodeParts(o["parts"])
	return o.Text("role"), parts, err
}

// values gives take the values of a document, and reports those that it does
// not understand.
func values(ctx context.Context, f *transcript.File, sink transcript.Sink, take func(jsonstream.Value) error, arrays ...string) error {
	for v, err := range jsonstream.Read(f.Reader(), arrays...) {
		if err == nil {
			err = ctx.Err()
		}
		if damage := (*rawjson.SyntaxError)(nil); errors.As(err, &damage) {
			sink.Problem(transcript.Problem{What: fmt.Sprintf("the file is read up to byte %d: %v", damage.Offset, err)})
			return nil
		}
		if err != nil {
			return err
		}
		if err = v.Err; err == nil {
			err = take(v)
		}
		if err != nil {
			sink.Problem(transcript.Problem{What: fmt.Sprintf("the value at byte %d is not understood; it is skipped: %v", v.Offset, err)})
		}
		sink.Progress(v.Offset)
	}
	return nil
}
