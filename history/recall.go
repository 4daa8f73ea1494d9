package history

import (
	"context"
	"fmt"

	"github.com/stemma-history/stemma/message"
)

// Recall returns the originals of a part of an entry, counted from 1, or of the
// whole entry where part is 0, in order and byte for byte: texts as text/plain;
// the arguments of calls, records of other programs and compactions as
// application/json; images and documents with their own media type. A result
// has an original for each piece of its content.
//
// It fails with [ErrNotFound] where the entry has no such part, or where the
// bytes of a medium were never stored.
func Recall(ctx context.Context, s Blobs, e Entry, part int) ([]message.Blob, error) {
	if e.Compaction != nil {
		body, err := EncodeCompaction(e.Compaction)
		return []message.Blob{{Type: "application/json", Data: body}}, err
	}
	parts := e.Message.Parts
	switch {
	case part > len(parts):
		return nil, fmt.Errorf("part %v: %w: the entry has %d", Handle{e.Depth, part}, ErrNotFound, len(parts))
	case part > 0:
		parts = parts[part-1 : part]
	}
	var originals []message.Blob
	for _, p := range parts {
		pieces := []message.Part{p}
		if r, ok := p.(message.ToolResult); ok {
			pieces = pieces[:0]
			for _, c := range r.Content {
				pieces = append(pieces, c)
			}
		}
		for _, piece := range pieces {
			b, err := original(ctx, s, piece)
			if err != nil {
				return nil, err
			}
			originals = append(originals, b)
		}
	}
	return originals, nil
}

func original(ctx context.Context, s Blobs, p message.Part) (message.Blob, error) {
	switch p := p.(type) {
	case message.Text:
		return message.Blob{Type: "text/plain", Data: []byte(p.Text)}, nil
	case message.Thinking:
		return message.Blob{Type: "text/plain", Data: []byte(p.Text)}, nil
	case message.RedactedThinking:
		return message.Blob{Type: "text/plain", Data: []byte(p.Data)}, nil
	case message.ToolCall:
		return message.Blob{Type: "application/json", Data: p.Arguments}, nil
	case message.Opaque:
		return message.Blob{Type: "application/json", Data: p.Raw}, nil
	case message.Image:
		return mediaBlob(ctx, s, p.Media)
	case message.Document:
		return mediaBlob(ctx, s, p.Media)
	}
	return message.Blob{}, fmt.Errorf("%T has no original", p)
}

func mediaBlob(ctx context.Context, s Blobs, m message.Media) (message.Blob, error) {
	switch {
	case m.Data != nil:
		return message.Blob{Type: m.Type, Data: m.Data}, nil
	case !m.Blob.IsZero():
		b, err := s.Blob(ctx, m.Blob)
		b.Type = m.Type
		return b, err
	}
	return message.Blob{}, fmt.Errorf("%s %s: %w: its bytes were never stored", m.Type, m.URL, ErrNotFound)
}
