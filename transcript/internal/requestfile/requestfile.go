// Package requestfile reads files that hold the body of one request to a
// provider: a list of messages, and what stands around it.
package requestfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/stemma-history/stemma/internal/jsonstream"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/transcript"
)

// RequestID names the record that holds what stands around the messages.
const RequestID = "request"

// A Head is what stands around the messages.
type Head struct {
	Model string
	// Around is an object of all members but the lists, their values byte for
	// byte; nil where there are none.
	Around []byte
	// ID names the conversation by its first message: a later request of the
	// same conversation begins with it too.
	ID string
}

// Survey reads the head of a file. Lists names the members that hold messages.
// A file that is an array is all messages.
func Survey(ctx context.Context, f *transcript.File, lists ...string) (Head, error) {
	var h Head
	var names transcript.Chain
	for v, err := range jsonstream.Read(f.Reader(), lists...) {
		if ctx.Err() != nil {
			return h, ctx.Err()
		}
		switch {
		case isDamage(err):
			// [Messages] reports it
		case err != nil:
			return h, err
		case v.Index < 0 && !slices.Contains(lists, v.Key):
			h.add(v)
		case h.ID == "":
			h.ID = names.Next(v.Data)
		}
	}
	if h.Around != nil {
		h.Around = append(h.Around, '}')
	}
	return h, nil
}

func (h *Head) add(v jsonstream.Value) {
	if v.Err != nil {
		return
	}
	if v.Key == "model" {
		h.Model = rawjson.Text(v.Data)
	}
	separator := byte(',')
	if h.Around == nil {
		separator = '{'
	}
	h.Around = rawjson.AppendString(append(h.Around, separator), v.Key)
	h.Around = append(append(h.Around, ':'), v.Data...)
}

// Record returns the record of what stands around the messages, which no model
// gets: it belongs to a request, not to the conversation. It is the root, so
// that it stays where it is when the conversation grows.
func (h Head) Record(format string) transcript.Record {
	return transcript.Record{ID: RequestID, Message: transcript.Silent(format, h.Around)}
}

// Messages yields the elements of the lists, and what stands in the place of a
// list. Where the file is damaged it
// reports so and ends.
func Messages(ctx context.Context, f *transcript.File, sink transcript.Sink, lists ...string) iter.Seq2[jsonstream.Value, error] {
	return func(yield func(jsonstream.Value, error) bool) {
		for v, err := range jsonstream.Read(f.Reader(), lists...) {
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			if isDamage(err) {
				sink.Problem(transcript.Problem{What: fmt.Sprintf("the file is damaged, and not read from there on: %v", err)})
				return
			}
			if err != nil {
				yield(v, err)
				return
			}
			if (v.Index >= 0 || slices.Contains(lists, v.Key)) && !yield(v, nil) {
				return
			}
			sink.Progress(v.Offset + int64(len(v.Data)))
		}
	}
}

func isDamage(err error) bool {
	var syntax *rawjson.SyntaxError
	return errors.As(err, &syntax) || errors.Is(err, io.EOF)
}
