// Package readertest holds what reads answers to what all readers promise.
package readertest

import (
	"bytes"
	"iter"
	"testing"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/provider/internal/draft"
	"github.com/stemma-history/stemma/provider/internal/transport"
)

// Fuzz gives a reader streams of events: whatever a server sends, what is kept
// can be sent back.
func Fuzz(f *testing.F, seed string, newReader func(*draft.Draft) transport.Reader) {
	fuzz(f, seed, newReader, func(stream []byte) iter.Seq2[[]byte, error] {
		return func(yield func([]byte, error) bool) {
			for e, err := range transport.Events(bytes.NewReader(stream)) {
				if !yield(e.Data, err) {
					return
				}
			}
		}
	})
}

// FuzzLines is [Fuzz] for a server of which each line is an event.
func FuzzLines(f *testing.F, seed string, newReader func(*draft.Draft) transport.Reader) {
	fuzz(f, seed, newReader, func(stream []byte) iter.Seq2[[]byte, error] { return transport.Lines(bytes.NewReader(stream)) })
}

func fuzz(f *testing.F, seed string, newReader func(*draft.Draft) transport.Reader, events func([]byte) iter.Seq2[[]byte, error]) {
	f.Add([]byte(seed))
	f.Fuzz(func(t *testing.T, stream []byte) {
		d := draft.New(func(provider.Delta) {})
		r := newReader(d)
		for event, err := range events(stream) {
			if err != nil || r.Event(event) != nil {
				break
			}
		}
		r.Complete()
		for _, p := range d.Parts() {
			switch p := p.(type) {
			case message.Opaque:
				if !rawjson.Valid(p.Raw) {
					t.Errorf("kept %s", p.Raw)
				}
			case message.Thinking:
				if p.Raw != nil && !rawjson.Valid(p.Raw) {
					t.Errorf("kept %s", p.Raw)
				}
			}
		}
	})
}
