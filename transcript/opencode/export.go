package opencode

import (
	"context"
	"errors"
	"fmt"

	"github.com/stemma-history/stemma/internal/jsonstream"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/native"
)

// readExport reads {info, messages: [{info, parts}]}.
func readExport(ctx context.Context, f *transcript.File, sink transcript.Sink) error {
	var t *teller
	for v, err := range jsonstream.Read(f.Reader(), "messages") {
		if err == nil {
			err = ctx.Err()
		}
		if damage := (*rawjson.SyntaxError)(nil); errors.As(err, &damage) {
			sink.Problem(transcript.Problem{What: fmt.Sprintf("the file is read up to byte %d: %v", damage.Offset, err)})
			break
		}
		if err != nil {
			return err
		}
		if err := exported(&t, v, sink); err != nil {
			return err
		}
		sink.Progress(v.Offset)
	}
	if t == nil {
		return nil
	}
	return t.end()
}

// exported takes one value of an export; the session's own comes first.
func exported(t **teller, v jsonstream.Value, sink transcript.Sink) error {
	problem := func(err error) error {
		sink.Problem(transcript.Problem{What: fmt.Sprintf("the value at byte %d is not understood; it is skipped: %v", v.Offset, err)})
		return nil
	}
	if v.Err != nil {
		return problem(v.Err)
	}
	if v.Key == "info" && *t == nil {
		info, err := native.ReadObject(v.Data)
		if err != nil {
			return problem(err)
		}
		*t = newTeller(sink, sessionOf(info), map[string]transcript.Link{})
		return nil
	}
	if v.Key != "messages" || v.Index < 0 {
		return nil
	}
	if *t == nil {
		return problem(errors.New("expected the session's info before it"))
	}
	e, err := exportedEntry(v.Data)
	if err != nil {
		return problem(err)
	}
	return (*t).entry(e)
}

// exportedEntry reads {info, parts}.
func exportedEntry(data []byte) (*entry, error) {
	o, err := native.ReadObject(data)
	if err != nil {
		return nil, err
	}
	e := &entry{}
	if e.info, err = native.ReadObject(o.Raw("info")); err != nil {
		return nil, fmt.Errorf("info: %w", err)
	}
	if e.id = e.info.Text("id"); e.id == "" {
		return nil, errors.New("the message has no id")
	}
	parts, err := o.Elements("parts")
	if err != nil {
		return nil, fmt.Errorf("parts: %w", err)
	}
	for _, raw := range parts {
		p, err := newPart("", raw)
		if err != nil {
			return nil, fmt.Errorf("parts: %w", err)
		}
		e.parts = append(e.parts, p)
	}
	return e, nil
}
