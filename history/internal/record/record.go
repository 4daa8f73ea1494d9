package record

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// ErrNoID refuses a conversation that nobody could find again.
var ErrNoID = errors.New("the conversation has no id")

// A Record is what a store keeps of an entry besides its place in the tree.
type Record struct {
	Kind    history.Kind
	Role    message.Role // empty for compactions
	Author  message.Author
	Body    []byte
	Blobs   []message.Blob
	Preview string
	Bytes   int64 // as [history.Node] has it
}

// Of returns the record of an entry.
func Of(e *history.Entry) (Record, error) {
	r := Record{Kind: e.Kind(), Author: e.Author()}
	switch {
	case (e.Message == nil) == (e.Compaction == nil):
		return Record{}, errors.New("expected either a message or a compaction")
	case e.Compaction != nil:
		var err error
		if r.Body, err = history.EncodeCompaction(e.Compaction); err != nil {
			return Record{}, err
		}
	default:
		if err := checkMessage(e.Message); err != nil {
			return Record{}, err
		}
		r.Role = e.Message.Role
		r.Body, r.Blobs = message.Encode(*e.Message)
	}
	r.Preview = history.Preview(e)
	r.Bytes = int64(len(r.Body))
	for _, b := range r.Blobs {
		if strings.HasPrefix(b.Type, "text/") {
			r.Bytes += int64(len(b.Data))
		}
	}
	return r, nil
}

// Decode sets the message or the compaction of an entry from its body.
func Decode(e *history.Entry, kind history.Kind, body []byte, fetch func(message.Hash) ([]byte, error)) error {
	switch kind {
	case history.KindMessage:
		m, err := message.Decode(body, fetch)
		if err != nil {
			return err
		}
		e.Message = &m
		return nil
	case history.KindCompaction:
		c, err := history.DecodeCompaction(body)
		e.Compaction = c
		return err
	}
	return fmt.Errorf("the kind of the entry is %q, expected message or compaction", kind)
}

// checkMessage refuses what [message.Decode] could not read again.
func checkMessage(m *message.Message) error {
	switch m.Role {
	case message.User, message.Assistant, message.Tool:
	default:
		return fmt.Errorf("message: role is %q, expected user, assistant or tool", m.Role)
	}
	for i, p := range m.Parts {
		if err := checkPart(p); err != nil {
			return fmt.Errorf("message: part %d: %w", i+1, err)
		}
	}
	return nil
}

func checkPart(p message.Part) error {
	switch p := p.(type) {
	case message.Text, message.Thinking, message.RedactedThinking, message.ToolCall, message.Image, message.Document, message.Opaque:
		return nil
	case message.ToolResult:
		for i, c := range p.Content {
			if err := checkPart(c); err != nil {
				return fmt.Errorf("content %d: %w", i+1, err)
			}
		}
		return nil
	}
	return fmt.Errorf("%T is no part of a message; parts are values, not pointers", p)
}

// CheckBlobs refuses blobs whose bytes do not have the hash they are named by.
func CheckBlobs(blobs []message.Blob) error {
	for _, b := range blobs {
		if got := message.HashOf(b.Data); got != b.Hash {
			return fmt.Errorf("blob %v: its bytes have the hash %v", b.Hash, got)
		}
	}
	return nil
}

// Time returns t as stores keep it: in UTC, to the microsecond.
func Time(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
