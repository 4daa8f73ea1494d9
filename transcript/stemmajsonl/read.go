package stemmajsonl

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
)

// Detect reports whether f is a file of this format.
func Detect(f *transcript.File) bool { return isHeader(f.Head) }

func isHeader(line []byte) bool {
	return rawjson.Text(rawjson.Get(line, "type")) == typeConversation &&
		rawjson.Text(rawjson.Get(line, "format")) == Format
}

// Read stores the conversations of a file (files may be joined). It may be
// stopped at any point and run again: only what is missing is added then.
//
// A line that cannot be read is a problem of the report, with its number, and
// the rest is read. Where it was an entry, a silent message with the bytes of
// the line takes its place, so that what is below keeps its depth.
//
// The tip moves to that of the file if it stands where the last import put it.
// Pins and queued prompts are restored with a new conversation only: later on,
// someone may have dropped them. The owner is that of options.
func Read(ctx context.Context, file io.Reader, store history.Store, options transcript.Options) (transcript.Report, error) {
	r := reader{ctx: ctx, store: store, options: options}
	r.report.Format = Format
	for line, err := range transcript.Lines(file) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return r.report, err
		}
		if err := r.line(line); err != nil {
			return r.report, fmt.Errorf("line %d: %w", line.Number, err)
		}
		if options.Progress != nil {
			options.Progress(line.Offset + int64(len(line.Data)))
		}
	}
	if len(r.report.Conversations) == 0 {
		return r.report, errNoHeader
	}
	return r.report, r.finish()
}

var errNoHeader = errors.New(`expected the header of a conversation ({"type":"conversation","format":"stemma",…}); the file was not written by stemma export`)

// reader stores what the lines of a file say.
type reader struct {
	ctx     context.Context
	store   history.Store
	options transcript.Options
	report  transcript.Report

	imported *transcript.Imported // nil between conversations
	target   target
	tip      history.ID // by the file
	places   places
	ended    bool // the last line of the conversation was read
	pins     []history.ID
	queue    []history.QueuedPrompt

	batch      history.ImportRequest
	batchBytes int
	blobs      map[message.Hash][]byte // those of the batch
}

// badLine is why a line is skipped. Other errors end the reading.
type badLine string

func (e badLine) Error() string { return string(e) }

func bad(format string, args ...any) error { return badLine(fmt.Sprintf(format, args...)) }

func (r *reader) line(l transcript.Line) error {
	var err error
	switch {
	case l.Skipped > 0:
		err = bad("it has %d bytes, the longest line that is read has %d; it is skipped", l.Skipped, int64(transcript.MaxLine))
	case len(bytes.TrimSpace(l.Data)) == 0:
		return nil
	case isHeader(l.Data):
		err = r.conversation(l.Data)
	case len(r.report.Conversations) == 0:
		return errNoHeader
	case r.imported == nil:
		err = bad("it belongs to no conversation; it is skipped")
	default:
		err = r.member(l)
	}
	var skipped badLine
	if errors.As(err, &skipped) {
		r.problem(l.Number, string(skipped))
		return nil
	}
	return err
}

// member reads a line behind the header.
func (r *reader) member(l transcript.Line) error {
	switch kind := rawjson.Text(rawjson.Get(l.Data, "type")); kind {
	case typeEntry, typeDamaged:
		return r.entry(l)
	case typeBlob:
		return r.blob(l.Data)
	case typeCheckpoint:
		return r.checkpoint(l.Data)
	case typePin:
		return r.pin(l.Data)
	case typeQueued:
		return r.queued(l.Data)
	case typeEnd:
		return r.end(l.Data)
	case "":
		return bad("it cannot be read; it is skipped: %v", parse(l.Data, &struct{}{}))
	default:
		return bad("a line of type %q is not known to this version; it is skipped", kind)
	}
}

// parse reads a line into v.
func parse(line []byte, v any) error {
	if err := json.Unmarshal(line, v); err != nil {
		return bad("it cannot be read; it is skipped: %v", err)
	}
	return nil
}

func (r *reader) conversation(line []byte) error {
	if err := r.finish(); err != nil {
		return err
	}
	var h conversationLine
	if err := json.Unmarshal(line, &h); err != nil {
		return fmt.Errorf("header of a conversation: %w", err)
	}
	if h.Version > Version {
		return fmt.Errorf("the file has format version %d, this program reads up to %d: %w", h.Version, Version, history.ErrNewerFormat)
	}
	var err error
	if r.target, err = findTarget(r.ctx, r.store, h, r.options.Owner); err != nil {
		return err
	}
	r.report.Conversations = append(r.report.Conversations, transcript.Imported{Conversation: r.target.ID, Title: r.target.Title})
	r.imported = &r.report.Conversations[len(r.report.Conversations)-1]
	r.tip, r.ended, r.pins, r.queue = h.Tip, false, nil, nil
	r.places = places{known: map[history.ID]place{}}
	r.newBatch()
	return nil
}
