package history

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stemma-history/stemma/message"
)

// blobs is [Blobs] in a map.
type blobs map[message.Hash]message.Blob

func (b blobs) Blob(_ context.Context, h message.Hash) (message.Blob, error) {
	if blob, ok := b[h]; ok {
		return blob, nil
	}
	return message.Blob{}, ErrNotFound
}

func (b blobs) PutBlob(_ context.Context, blob message.Blob) error {
	b[blob.Hash] = blob
	return nil
}

func TestRecallReturnsOriginals(t *testing.T) {
	stored := message.NewBlob("", []byte("\x89PNG"))
	s := blobs{stored.Hash: stored}
	entry := func(parts ...message.Part) Entry {
		return Entry{Depth: 4, Message: &message.Message{Role: message.Assistant, Parts: parts}}
	}
	all := entry(
		message.Text{Text: "a\n"},
		message.ToolCall{Arguments: []byte(`{"x": 1.0}`)},
		message.ToolResult{Content: []message.Content{
			message.Text{Text: "out"},
			message.Image{Media: message.Media{Type: "image/png", Blob: stored.Hash}},
		}},
		message.Opaque{Raw: []byte(`{}`)},
		message.Document{Media: message.Media{Type: "application/pdf", Data: []byte("%PDF")}},
	)
	for _, test := range []struct {
		name string
		part int
		want []string // media type and bytes
	}{
		{"whole", 0, []string{"text/plain a\n", `application/json {"x": 1.0}`, "text/plain out", "image/png \x89PNG", "application/json {}", "application/pdf %PDF"}},
		{"a text", 1, []string{"text/plain a\n"}},
		{"a result", 3, []string{"text/plain out", "image/png \x89PNG"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			originals, err := Recall(t.Context(), s, all, test.part)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, b := range originals {
				got = append(got, b.Type+" "+string(b.Data))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	for name, e := range map[string]Entry{
		"a part that is not there": all,
		"bytes that were never here": entry(nil, nil, nil, nil, nil, nil,
			message.Image{Media: message.Media{Type: "image/png", URL: "https://example.com/a.png"}}),
	} {
		if _, err := Recall(t.Context(), s, e, 7); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
