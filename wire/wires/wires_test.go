package wires

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/wiretest"
)

// strict are limits that every encoded body must keep to.
func strict(w Wire) *wire.Limits {
	l := w.Limits()
	l.StrictKeys, l.CallSignatures = true, true
	return &l
}

// models of which each wire does all it can.
func model(w Wire) string {
	switch w.Name {
	case "gemini":
		return "gemini-3.1-pro"
	case "anthropic":
		return "claude-opus-5-5"
	}
	return "gpt-5.6-sol"
}

func request(w Wire, path []message.Message) wire.Request {
	r := wiretest.Request(w.Name, path)
	r.Frame.Model, r.CacheKey, r.Limits = model(w), "conversation", strict(w)
	for i := range r.View.Messages {
		if m := &r.View.Messages[i]; m.Model == wiretest.Model {
			m.Model = r.Frame.Model
		}
	}
	return r
}

// TestEveryViewIsSendable (P2) leaves nothing for a provider to refuse.
func TestEveryViewIsSendable(t *testing.T) {
	for _, w := range All() {
		t.Run(w.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				r := request(w, wiretest.Path(w.Name).Draw(t, "path"))
				r.View.Head = rapid.IntRange(0, len(r.View.Messages)).Draw(t, "head")
				b, err := w.Encode(r)
				if err != nil {
					t.Fatal(err)
				}
				if !json.Valid(b.JSON) {
					t.Fatalf("not JSON: %s", b.JSON)
				}
				again, err := w.Encode(r)
				if err != nil || !bytes.Equal(again.JSON, b.JSON) || again.Seal != b.Seal {
					t.Fatalf("the same request gave other bytes (%v)", err)
				}
			})
		})
	}
}

// TestRequestsGrowByAppending (P9): without cache marks, the blocks of a request
// are the first blocks of the next one.
func TestRequestsGrowByAppending(t *testing.T) {
	for _, w := range All() {
		t.Run(w.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				path := wiretest.Path(w.Name).Draw(t, "path")
				more := append(slices.Clone(path), message.Message{Role: message.Assistant, Author: message.ByModel, Parts: []message.Part{message.Text{Text: "This."}}})
				more = append(more, wiretest.Path(w.Name).Draw(t, "more")...)
				before, after := blocks(t, w, path), blocks(t, w, more)
				if len(before) > len(after) || !slices.Equal(before, after[:len(before)]) {
					t.Fatalf("\n%s\nis no beginning of\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
				}
			})
		})
	}
}

func blocks(t *rapid.T, w Wire, path []message.Message) []string {
	b, err := w.Encode(request(w, path))
	if err != nil {
		t.Fatal(err)
	}
	list, err := wiretest.Blocks(b.JSON)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestImagesComeFromTheStore: a store that fails is an error, not a request
// without its image; bytes that were never kept are words.
func TestImagesComeFromTheStore(t *testing.T) {
	pixel := wiretest.PNG(1, 1)
	hash := message.HashOf(pixel)
	broken := errors.New("disk on fire")
	for _, w := range All() {
		t.Run(w.Name, func(t *testing.T) {
			r := request(w, []message.Message{{Role: message.User, Author: message.ByPerson, Parts: []message.Part{message.Image{Media: message.Media{Type: "image/png", Blob: hash}}}}})
			r.Blob = func(h message.Hash) (message.Blob, error) { return message.NewBlob("image/png", pixel), nil }
			b, err := w.Encode(r)
			if err != nil || !strings.Contains(string(b.JSON), base64.StdEncoding.EncodeToString(pixel)) || len(b.Notes) != 0 {
				t.Errorf("%s, notes %v, error %v", b.JSON, b.Notes, err)
			}
			r.Blob = func(message.Hash) (message.Blob, error) { return message.Blob{}, broken }
			if _, err := w.Encode(r); !errors.Is(err, broken) {
				t.Errorf("error %v", err)
			}
			r.Blob = nil
			b, err = w.Encode(r)
			if err != nil || !strings.Contains(string(b.JSON), "[1.1: image/png whose bytes were not kept]") || len(b.Notes) != 1 {
				t.Errorf("%s, notes %v, error %v", b.JSON, b.Notes, err)
			}
		})
	}
}

// TestLimitsStopARequest: what the provider would refuse never leaves, and the
// refusal is there for the caller to act on.
func TestLimitsStopARequest(t *testing.T) {
	for _, w := range All() {
		limits := w.Limits()
		limits.BodyBytes = 100
		r := request(w, []message.Message{message.Prompt(strings.Repeat("long ", 100))})
		r.Limits = &limits
		_, err := w.Encode(r)
		var refusal *wire.Refusal
		if !errors.As(err, &refusal) || refusal.Message == "" {
			t.Errorf("%s: error %v", w.Name, err)
		}
	}
}

func TestNamed(t *testing.T) {
	for _, w := range All() {
		if got, err := Named(w.Name); err != nil || got.Name != w.Name {
			t.Errorf("%s: %v", w.Name, err)
		}
	}
	if _, err := Named("smoke-signals"); err == nil || !strings.Contains(err.Error(), "openai-responses") {
		t.Errorf("error %v", err)
	}
}
